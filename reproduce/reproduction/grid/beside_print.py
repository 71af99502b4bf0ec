"""The whole grid in one figure. Hollow: as printed; filled: as trained here."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Estimates, Interval, style
from presswork.estimates import those_of
from reproduce.pictures.panels import legend, panels
from reproduce.reproduction._grid_cells import CORNER, CURVES, GRID, Cell

TEXT: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8}
SHOWN = (10, 40)  # per cent of the epochs
RECIPES = {"paper": "the paper’s recipe, trained here", "ours": "our recipe"}


def draw(found: Estimates) -> Figure:
    """By recipe, cell and cutoff, from the fewest to the most weights."""
    here = {cell[:2] for recipe in RECIPES for cell, _ in those_of(found, recipe)}
    sizes = sorted({cell[:2] for cell in GRID} | here, key=lambda size: (size[0] * size[1] ** 2, size))
    place = {size: x for x, size in enumerate(sizes)}
    titles = [f"after {cutoff} % of the epochs (higher is better)" for cutoff in SHOWN]
    figure, axes = panels(titles, (7.0, 6.2), 1, sharex=True)
    for axis, cutoff in zip(axes, SHOWN, strict=True):
        draw_printed(axis, place, cutoff)
        for recipe, label in RECIPES.items():
            mine = {cell: one for (cell, c), one in those_of(found, recipe).items() if c == cutoff}
            draw_trained_here(axis, place, mine, style.line(recipe, label=label, linestyle="none"))
        axis.set_ylabel("log-likelihood, nats per point")
    axes[1].set_xticks(range(len(sizes)), [f"{layers} × {width}" for layers, width in sizes], fontsize=8.5)
    axes[1].set(xlabel="layers × width, from the fewest to the most weights", xlim=(-0.5, len(sizes) + 0.9))
    legend(figure, axes[:1], 3)
    return figure


def draw_printed(axis: Axes, place: dict[tuple[int, int], int], cutoff: int) -> None:
    """A line for each number of curves, named where it ends."""
    colour = style.colour("paper")
    for n in CURVES:
        scores = {place[cell[:2]]: cell.printed(cutoff) for cell in GRID if cell.curves == n}
        known = sorted((x, value) for x, value in scores.items() if value is not None)
        axis.plot(*zip(*known, strict=True), color=colour, linewidth=0.6, marker="o", markersize=8, fillstyle="none",
                  label="as printed" if n == CURVES[0] else None)  # fmt: skip
        text = f"{CORNER._replace(curves=n).amount} training curves"
        axis.annotate(text, known[-1], xytext=(9, 0), va="center", color=colour, **TEXT)


def draw_trained_here(
    axis: Axes, place: dict[tuple[int, int], int], found: dict[Cell, Interval], look: dict[str, Any]
) -> None:
    """Filled points, with the number of training curves where no line says it."""
    if found:
        x, y = [place[cell[:2]] for cell in found], [one.value for one in found.values()]
        errors = [one.half for one in found.values()]
        axis.errorbar(x, y, yerr=errors, marker="o", markersize=4.5, **look)
    for cell, one in found.items():
        if cell.curves not in CURVES:
            at = place[cell[:2]], one.value
            axis.annotate(f"{cell.amount} curves", at, xytext=(-4, 7), color=look["color"], **TEXT)
