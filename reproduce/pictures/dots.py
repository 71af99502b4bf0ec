"""Dots with 95 % intervals, a row each."""

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes

from reproduce._press.intervals import Interval


def dots(axis: Axes, found: Iterable[tuple[float | str, Interval | None]], **line_style: Any) -> None:
    """By their places from below, as numbers or as names; no dot where nothing was measured. `line_style` is errorbar's."""
    shown = [(place, one) for place, one in found if one is not None]
    values, places = [one.value for _, one in shown], [place for place, _ in shown]
    below, above = [one.value - one.low for _, one in shown], [one.high - one.value for _, one in shown]
    axis.errorbar(values, places, xerr=[below, above], **line_style)
