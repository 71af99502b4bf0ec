"""How many times faster each rule is than never stopping: a dot with its interval, a row each."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from reproduce._press import style
from reproduce._press.intervals import Interval

TICKS = (0.5, 1, 2, 5, 10, 20)


def speed_ups(
    axis: Axes, found: Sequence[tuple[Interval | None, str]], edge: float, most: float | None
) -> None:
    """From the lowest row to the highest, each in the colour of a method; left of the edge words stand for dots."""
    for place, (told, method) in enumerate(found):
        if told is None:
            continue
        colour = style.colour(method)
        axis.plot([max(told.low, edge), max(told.high, edge)], [place, place], color=colour)
        if told.value > edge:
            axis.plot(told.value, place, "o", color=colour, markersize=5)
        else:
            axis.text(edge * 1.05, place + 0.2, "below" if told.value else "never", color=colour, fontsize=8)
    axis.axvline(1, color=style.ink(), linewidth=1)
    axis.set(xscale="log", xlim=(edge, most), xlabel="speed-up, × (higher is better)")
    ticks = [tick for tick in TICKS if tick > 1.5 * edge]  # none at the edge itself
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
