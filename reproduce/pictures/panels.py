"""Small panels that share what is written around them: a title each, one legend, one name for an axis."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter


def panels(
    titles: Iterable[str], size: tuple[float, float], columns: int = 99, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """A panel for each title, in lines of so many; the figure has this size, and its last line may end early."""
    titles = list(titles)
    columns = min(columns, len(titles))
    figure, axes = plt.subplots(-(-len(titles) // columns), columns, figsize=size, squeeze=False, **shared)
    for axis, title in zip_longest(axes.flat, titles):
        axis.set_title(title or "")
        axis.set_visible(title is not None)
    return figure, list(axes.flat[: len(titles)])


def legend(figure: Figure, axes: Sequence[Axes], columns: int | None = None, **more: Any) -> None:
    """Above all panels, every name of any of them once; in one line, if no number of columns is given."""
    pairs = [pair for axis in axes for pair in zip(*axis.get_legend_handles_labels(), strict=True)]
    named = {label: handle for handle, label in pairs}
    columns = columns or max(1, len(named))
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=columns, **more)


def around(figure: Figure, across: str, up: str = "") -> None:
    """What the axes of all panels are."""
    figure.supxlabel(across, fontsize=10)
    if up:
        figure.supylabel(up, fontsize=10)


def ticks(axis: Axes, places: Iterable[float], form: str = "", side: str = "x", **more: Any) -> None:
    """At these places alone, and as numbers are written: an axis of logarithms would write powers."""
    places = list(places)
    set_ticks = axis.set_xticks if side == "x" else axis.set_yticks
    set_ticks(places, [f"{place:{form}}" for place in places], **more)
    axis.minorticks_off()


def logarithmic(axis: Axes, *sides: str) -> None:
    """With plain numbers: 0.05, 0.1, 0.2."""
    for side in sides:
        axis.set(**{f"{side}scale": "log"})
        places = axis.xaxis if side == "x" else axis.yaxis
        places.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        places.set_major_formatter("{x:g}")
        places.set_minor_formatter(NullFormatter())
