"""Pictures of scores by share observed: a small panel for each benchmark."""

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import Rows, where
from reproduce.new_data import _cells
from reproduce.new_data._cells import cell
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols.real_curve import SHARES

DRAWN = ("paper", "old", "shipped", "exact")
SEEN = "share of the curve observed, %"
AT = 20  # per cent observed, of the calibration


def figures(rows: Rows, titles: dict[str, str]) -> dict[str, Figure]:
    """By their names; `titles` are those of the benchmarks."""
    found = _cells.each(rows)
    if found.empty:
        return {}

    def coverage(ax: Axes, row: str) -> None:
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
        _lines(ax, found, row, "in90")
        ax.set_ylim(0, 1.03)

    def error(ax: Axes, row: str) -> None:
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        _lines(ax, found, row, "ratio")
        ax.set_yscale("log")
        ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
        ax.minorticks_off()

    def calibration(ax: Axes, row: str) -> None:
        _calibration(ax, rows["below"], row)

    drawn = {
        "coverage": _panels(titles, coverage, SEEN, "coverage of the 90 % interval"),
        "error": _panels(titles, error, SEEN, "error relative to the last value’s (lower is better)"),
    }
    if "below" in rows:
        drawn["calibration"] = _panels(
            titles, calibration, "level of the quantile", "share of future points below it"
        )
    return drawn


def _panels(titles: dict[str, str], draw: Callable[[Axes, str], None], across: str, up: str) -> Figure:
    columns = min(3, len(titles))
    size = (1 + 2.7 * columns, 0.7 + 2.1 * -(-len(titles) // columns))
    figure, axes = panels(titles.values(), size, columns, sharex=True, sharey=True)
    for ax, row in zip(axes, titles, strict=True):
        draw(ax, row)
    around(figure, across, up)
    legend(figure, axes, 3)
    return figure


def _lines(ax: Axes, found: pd.DataFrame, row: str, score: str) -> None:
    for method in (name for name in DRAWN if name in _cells.methods(found)):
        cells = {seen: scored for seen in SHARES if (scored := cell(found, row, seen, score, method))}
        values = [scored.value for scored in cells.values()]
        ax.plot(list(cells), values, marker="o", markersize=3, **style.line(method))
    ax.set_xticks(SHARES)


def _calibration(ax: Axes, below: pd.DataFrame, row: str) -> None:
    ax.plot([0, 1], [0, 1], color=style.ink(), linewidth=1, linestyle=":")
    for method in DRAWN:
        own = where(below, row=row, seen=AT, method=method)
        if len(own):
            ax.plot(own["level"], own["below"], **style.line(method))
