"""How far answers move, by the size of the change: figure and table."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import where
from reproduce.craft.fooled.changes import GRADIENT, RANDOM, STEPS, UP
from reproduce.pictures.panels import legend, panels, ticks

COLOURS = {STEPS: "shipped", GRADIENT: "paper", RANDOM: "ours", UP: "exact"}


def draw(rows: dict[str, pd.DataFrame], config: Any) -> dict[str, Figure]:
    titles = ["accuracy on digits", "how far the forecast of epoch 100 moves"]
    figure, (left, right) = panels(titles, (7.6, 3.9))
    for change in (GRADIENT, RANDOM):
        accuracy = where(rows["digits"], change=change).groupby("size")["accuracy"].mean()
        left.plot(accuracy, "o-", color=style.colour(COLOURS[change]), label=change)
    for change, colour in COLOURS.items():
        moved = where(rows["forecasts"], change=change).set_index("size")["moved"]
        mean = (moved.abs() if change == RANDOM else moved).groupby("size").mean()
        right.plot(mean, "o-", color=style.colour(colour), label=change)
    right.plot(config.points, config.points, ":", color=style.ink(), label="as far as the points")
    left.set(xlabel="size of the change of a pixel", ylim=(-0.02, 1.02))
    right.set(xlabel="size of the change of a point", xscale="log", yscale="log")
    ticks(right, config.points, "g")
    ticks(right, (0.001, 0.002, 0.005, 0.01, 0.02, 0.05), "g", "y")
    legend(figure, [left, right], 3)
    return {"fooled": figure}


def tabulate(rows: dict[str, pd.DataFrame], config: Any) -> dict[str, pd.DataFrame]:
    """How many times as far as the observed points the forecast moves."""
    lines = []
    for size in config.points:
        cells = {change: in_cell(times(rows, change, size)) for change in COLOURS}
        lines.append({"size": f"{size:g}"} | cells | {"median stays inside": in_cell(inside(rows, size))})
    return {"fooled": pd.DataFrame(lines)}


def by_curve(rows: dict[str, pd.DataFrame], size: float) -> pd.DataFrame:
    """Curves x changes: the mean over cutoffs of how many times as far as its points a forecast moves."""
    some = where(rows["forecasts"], size=size)
    moved = some["moved"].where(some["change"] != RANDOM, some["moved"].abs())  # to either side
    return some.assign(times=moved / size).pivot_table(index="curve", columns="change", values="times")


def times(rows: dict[str, pd.DataFrame], change: str, size: float) -> Interval | None:
    return Interval.of_many(by_curve(rows, size)[change])


def inside(rows: dict[str, pd.DataFrame], size: float) -> Interval | None:
    """The share of curves whose median stays in the 90 % interval that was forecast before the change."""
    some = where(rows["forecasts"], size=size, change=STEPS)
    return Interval.of_many((some["moved"] <= some["room"]).groupby(some["curve"]).mean())
