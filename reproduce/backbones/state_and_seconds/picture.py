"""The score of every row against the time of a forecast and the numbers that are kept of a curve."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from reproduce._press import style
from reproduce.backbones import _rows
from reproduce.backbones._rows import PFN
from reproduce.backbones._scores import CLOSED_FORMS
from reproduce.pictures.panels import legend, panels

TOP = 0.5  # what lies higher is drawn at the edge, with its number beside its name


def costs(costs: pd.DataFrame, lost: pd.Series, points: int) -> Figure:
    """A dot in each panel for every row; the grey line is as many numbers as the points themselves have."""
    costs = costs.set_index("backbone")
    lost = lost[lost.index.isin(costs.index)]
    titles = ["time of a forecast", f"numbers kept of {points} points"]
    figure, (left, right) = panels(titles, (9.4, 8.0), sharey=True)
    for name, y in lost.items():
        marker = "D" if name == PFN else "^" if y > TOP else "o"
        look: dict[str, Any] = {"color": _colour(str(name)), "label": _kind(str(name)), "markersize": 5}
        for axis, x in ((left, 1_000 * costs["forecast"][name]), (right, costs["state"][name])):
            axis.plot(x, min(y, TOP), marker, linestyle="", **look)
    for axis, label in (
        (left, "milliseconds of one core (left is better)"),
        (right, "numbers (left is better)"),
    ):
        axis.set(xscale="log", yscale="log", xlabel=label)
        axis.xaxis.set_major_formatter("{x:,g}")
    left.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_formatter(NullFormatter())
    left.set_ylabel("nats per point below the exact posterior (lower is better)")
    right.axvline(2 * points, color=style.faint(), linewidth=1, zorder=0)
    _name(right, lost)
    left.set_ylim(top=1.1 * TOP)
    legend(figure, [left])
    return figure


def _name(axis: Axes, lost: pd.Series) -> None:
    """In a column beside the panel, evenly spread, with a line from each name to the height of its dot."""
    line = {
        "arrowstyle": "-",
        "color": style.faint(),
        "linewidth": 0.6,
        "shrinkA": 0,
        "shrinkB": 0,
        "relpos": (0, 0.5),
    }
    for place, (name, y) in enumerate(lost.items()):
        words = f"{name} ({y:.2f})" if y > TOP else str(name)
        axis.annotate(
            words, (1, min(y, TOP)), (1.12, 1 - (place + 0.5) / len(lost)), axis.get_yaxis_transform(), "axes fraction",
            arrowprops=line, fontsize=8, va="center", color=_colour(str(name)), annotation_clip=False,
        )  # fmt: skip


def _kind(name: str) -> str:
    return "closed form" if name in CLOSED_FORMS else _rows.kind(name)


def _colour(name: str) -> str:
    return style.ink() if name in CLOSED_FORMS else _rows.colour(name)
