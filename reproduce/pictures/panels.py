"""Shapes of figures: panels with one legend, lines of means, dots with intervals, bands, names of lines, speed-ups."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from presswork import Interval, style, where


def panels(
    titles: Iterable[str], size: tuple[float, float], columns: int = 99, across: str = "", up: str = "",
    **shared: Any,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """A panel for each title, in lines of so many; the figure has this size, and its last line may end early. `across` and
    `up` say once what the axes of all panels are."""
    titles = list(titles)
    columns = min(columns, len(titles))
    figure, axes = plt.subplots(-(-len(titles) // columns), columns, figsize=size, squeeze=False, **shared)
    for axis, title in zip_longest(axes.flat, titles):
        axis.set_title(title or "")
        axis.set_visible(title is not None)
    if across:
        figure.supxlabel(across, fontsize=10)
    if up:
        figure.supylabel(up, fontsize=10)
    return figure, list(axes.flat[: len(titles)])


def legend(figure: Figure, axes: Sequence[Axes], columns: int | None = None, **more: Any) -> None:
    """Above all panels, every name of any of them once; in one line, if no number of columns is given."""
    pairs = [pair for axis in axes for pair in zip(*axis.get_legend_handles_labels(), strict=True)]
    named = {label: handle for handle, label in pairs}
    columns = columns or max(1, len(named))
    figure.legend(named.values(), named.keys(), loc="outside upper center", ncols=columns, **more)


def ticks(axis: Axes, places: Iterable[float], form: str = "", side: str = "x", **more: Any) -> None:
    """At these places alone, and as numbers are written: an axis of logarithms would write powers."""
    places = list(places)
    set_ticks = axis.set_xticks if side == "x" else axis.set_yticks
    set_ticks(places, [f"{place:{form}}" for place in places], **more)
    axis.minorticks_off()


def logarithmic(axis: Axes, *sides: str, digits: Sequence[float] = (1, 1.5, 2, 3, 5, 7)) -> None:
    """With plain numbers that begin with these digits: 0.05, 0.1, 0.2."""
    for side in sides:
        axis.set(**{f"{side}scale": "log"})
        places = axis.xaxis if side == "x" else axis.yaxis
        places.set_major_locator(LogLocator(subs=digits))
        places.set_major_formatter("{x:g}")
        places.set_minor_formatter(NullFormatter())


# ------------------------------------------------------------------------------------------ lines of means, in a panel


def mean_lines(
    axis: Axes, rows: pd.DataFrame, x: str, y: str, by: str, looks: Mapping[Any, str | tuple[str, str]],
    dashes: str = "-", label: Callable[[Any], object] = str, **line_style: Any,
) -> None:  # fmt: skip
    """What `y` is at each `x`, mean over all else that varies: a line for each of these values of the column `by`.

    Its look is the colour of a method or, where lines differ in more, (colour, dashes); `label` makes its name of the value.
    """
    for value, look in looks.items():
        colour, own_dashes = (look, dashes) if isinstance(look, str) else look
        mean = where(rows, **{by: value}).groupby(x)[y].mean()
        axis.plot(mean, own_dashes, color=style.colour(colour), label=label(value), **line_style)


# -------------------------------------------------------------------------------- dots with 95 % intervals, a row each


def dots(axis: Axes, found: Iterable[tuple[float | str, Interval | None]], **line_style: Any) -> None:
    """By their places from below, as numbers or as names; no dot where nothing was measured. `line_style` is errorbar's."""
    shown = [(place, one) for place, one in found if one is not None]
    values, places = [one.value for _, one in shown], [place for place, _ in shown]
    below, above = [one.value - one.low for _, one in shown], [one.high - one.value for _, one in shown]
    axis.errorbar(values, places, xerr=[below, above], **line_style)


# --------------------------------------------------------------------------------------------- a forecast as a picture


Strengths = Mapping[tuple[str, str], float]  # by the columns of both ends of a band, 0 to 1


def bands(
    axis: Axes, x: pd.Series, rows: pd.DataFrame, colour: str, strengths: Strengths, *names: str
) -> None:
    """The widest band first. `names` for a legend."""
    for place, ((low, high), alpha) in enumerate(strengths.items()):
        named: dict[str, Any] = {"label": names[place]} if names else {}
        axis.fill_between(x, rows[low], rows[high], color=colour, alpha=alpha, linewidth=0, **named)


def window(axis: Axes, values: pd.Series) -> None:
    """Around the middle of all values; the farthest hundredth of them may leave the picture."""
    middle, reach = values.median(), max(0.06, 1.1 * (values - values.median()).abs().quantile(0.99))
    axis.set(xlim=(0, 100), ylim=(middle - reach, middle + reach))


# ----------------------------------------------------------- names beside the right ends of lines, instead of a legend


def name_lines(axis: Axes, ends: dict[str, tuple[float, str]], room: float = 0.055) -> None:
    """{name: (height of the right end of its line, colour)}; names move only as far as keeps them `room` apart."""
    from scipy.optimize import isotonic_regression  # slow to import, and most jobs draw nothing

    scale, back = (np.log10, lambda y: 10**y) if axis.get_yscale() == "log" else (np.asarray, np.asarray)
    low, high = scale(axis.get_ylim())
    names = sorted(ends, key=lambda name: ends[name][0])
    apart = (high - low) * room * np.arange(len(names))
    places = back(apart + isotonic_regression(scale([ends[name][0] for name in names]) - apart).x)
    tick = {"arrowstyle": "-", "color": style.faint(), "shrinkA": 1, "shrinkB": 0, "relpos": (0, 0.5)}
    for name, place in zip(names, places, strict=True):
        end, colour = ends[name]
        axis.annotate(
            name, (1, end), (1.04, place), ("axes fraction", "data"), ("axes fraction", "data"),
            va="center", fontsize=8.5, color=colour, arrowprops=tick,
        )  # fmt: skip


# -------------------------------------------------------------- how many times faster each rule is than never stopping


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
