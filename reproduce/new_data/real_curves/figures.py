"""Pictures of forecasts of real curves: a small panel for each row of the report."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import where
from reproduce.new_data._protocol import SHARES
from reproduce.new_data.real_curves import summary
from reproduce.new_data.real_curves.summary import cell

Rows = dict[str, pd.DataFrame]

DRAWN = ("paper", "ours", "new", "shipped", "exact")
SEEN = "per cent of the curve seen"
AT = 20  # per cent seen, of the calibration


def figures(rows: Rows) -> dict[str, Figure]:
    found = summary.each(rows)
    if found.empty:
        return {}
    drawn = {
        "coverage": _panels(found, _coverage, SEEN, "held by the 90 % band"),
        "error": _panels(found, _error, SEEN, "error / that of the last value"),
    }
    if (below := rows.get("below")) is None:
        return drawn

    def calibration(axes: Axes, _: pd.DataFrame, row: str) -> None:
        _calibration(axes, below, row)

    return drawn | {"calibration": _panels(found, calibration, "level of the quantile", "points below it")}


def _panels(
    found: pd.DataFrame, draw: Callable[[Axes, pd.DataFrame, str], None], across: str, up: str
) -> Figure:
    titles = summary.titles(found)
    columns = min(3, len(titles))
    lines = -(-len(titles) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(1 + 2.7 * columns, 0.7 + 2.1 * lines), sharex=True, sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax, (row, title) in zip(axes.flat, titles.items(), strict=False):
        draw(ax, found, row)
        ax.set_title(title)
    for ax in axes.flat[len(titles) :]:
        ax.set_visible(False)
    figure.supxlabel(across, fontsize=10)
    figure.supylabel(up, fontsize=10)
    named = {
        label: line for ax in axes.flat for line, label in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=3)
    return figure


def _coverage(ax: Axes, found: pd.DataFrame, row: str) -> None:
    ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
    _lines(ax, found, row, "in90")
    ax.set_ylim(0, 1.03)


def _error(ax: Axes, found: pd.DataFrame, row: str) -> None:
    ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
    _lines(ax, found, row, "ratio")
    ax.set_yscale("log")
    ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
    ax.minorticks_off()


def _lines(ax: Axes, found: pd.DataFrame, row: str, score: str) -> None:
    for method in (name for name in DRAWN if name in summary.methods(found)):
        cells = {seen: told for seen in SHARES if (told := cell(found, row, seen, score, method))}
        ax.plot(
            list(cells),
            [told.value for told in cells.values()],
            marker="o",
            markersize=3,
            **style.line(method),
        )
    ax.set_xticks(SHARES)


def _calibration(ax: Axes, below: pd.DataFrame, row: str) -> None:
    ax.plot([0, 1], [0, 1], color=style.ink(), linewidth=1, linestyle=":")
    for method in DRAWN:
        own = where(below, row=row, seen=AT, method=method)
        if len(own):
            ax.plot(own["level"], own["below"], **style.line(method))
