"""Pictures of the grid: scores beside print, and differences of neighbours."""

from itertools import product
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Estimates, style, there
from presswork.estimates import line, those_of
from reproduce.pictures.panels import dots, legend
from reproduce.reproduction._grid_cells import (
    CURVES,
    LAYERS,
    WIDTHS,
    Cell,
    between,
    neighbours,
    printed_lead,
)
from reproduce.reproduction._printed_scores import CUTOFFS

DRAWN = ("bigger", "wider", "more")


def sizes(found: Estimates) -> Figure:
    """A panel a size of the network, a line a cutoff. Hollow: as printed; filled: as trained here."""
    figure, axes = plt.subplots(3, 3, figsize=(7.0, 6.6), sharex=True, sharey=True)
    for axis, (layers, width) in zip(axes.flat, product(LAYERS, WIDTHS), strict=True):
        for cutoff in CUTOFFS:
            cells = [Cell(layers, width, n) for n in CURVES]
            printed = {cell.curves: value for cell in cells if (value := cell.printed(cutoff)) is not None}
            look = {"linewidth": 0.6, "marker": "o", "markersize": 6, "fillstyle": "none"}
            axis.plot([*printed], [*printed.values()], color=style.colour("paper"), **look)
            here = there({cell.curves: found.get((cell, cutoff)) for cell in cells})
            line(axis, here, color=style.colour("ours"), marker="o", markersize=3.5, linestyle="none")
            if (layers, width) == (3, 128) and printed:
                axis.annotate(f"{cutoff} %", (CURVES[-1], printed[CURVES[-1]]), xytext=(7, 0), va="center",
                              textcoords="offset points", fontsize=8)  # fmt: skip
        axis.set(xscale="log", title=f"{layers} × {width}", xlim=(6e4, 4e7))
    figure.supxlabel("training curves", fontsize=9)
    figure.supylabel("log-likelihood, nats per point (higher is better)", fontsize=9)
    return figure


def pairs(found: Estimates) -> Figure:
    """A panel a cutoff, a row a pair of neighbours. Bars that are wider than the panel leave it."""
    rows = {step: some for step in DRAWN if (some := neighbours(found, step))} or {"bigger": []}
    heights = [max(1, len(some)) for some in rows.values()]
    figure, axes = plt.subplots(len(rows), len(CUTOFFS), squeeze=False, sharex="row", sharey="row", height_ratios=heights,
                                figsize=(7.0, 1.4 + 0.44 * sum(heights)))  # fmt: skip
    for line_of_axes, (step, some) in zip(axes, rows.items(), strict=True):
        for axis, cutoff in zip(line_of_axes, CUTOFFS, strict=True):
            axis.axvline(0, color=style.ink(), linewidth=0.8)
            for y, pair in enumerate(some):
                draw_lead(axis, found, y, step, *pair, cutoff)
        printed = [
            one for pair in some for cutoff in CUTOFFS if (one := printed_lead(*pair, cutoff)) is not None
        ]
        values = [0.0, *printed, *(one.value for one in those_of(found, step).values())]
        axis.set(xlim=(min(values) - 0.08, max(values) + 0.08), ylim=(max(1, len(some)) - 0.5, -0.5))
        axis.set_yticks(range(len(some)), [labelled(found, step, *pair) for pair in some], fontsize=8.5)
    for axis, cutoff in zip(axes[0], CUTOFFS, strict=True):
        axis.set_title(f"after {cutoff} %")
    figure.supxlabel("score of the second minus score of the first, nats per point", fontsize=9)
    legend(figure, axes[0])
    return figure


def draw_lead(axis: Axes, found: Estimates, y: int, step: str, below: Cell, above: Cell, cutoff: int) -> None:
    """The printed difference, below it ours, and where there are several seeds a mark for each."""
    ours: dict[str, Any] = {"color": style.colour("ours")}
    if (printed := printed_lead(below, above, cutoff)) is not None:
        hollow: dict[str, Any] = {"color": style.colour("paper"), "markersize": 6, "fillstyle": "none"}
        axis.plot(printed, y - 0.16, "o", label="as printed", **hollow)
    seeds = those_of(those_of(found, "seed"), step)
    each = [mine.value for (*key, _), mine in seeds.items() if key == [below, above, cutoff]]
    if len(each) > 1:
        axis.plot(each, [y + 0.16] * len(each), "|", markersize=9, label="one seed of several", **ours)
    ours |= {"linestyle": "none", "elinewidth": 1.2, "marker": "o", "markersize": 4.5}
    dots(axis, [(y + 0.16, found.get((step, below, above, cutoff)))], label="trained here", **ours)


def labelled(found: Estimates, step: str, below: Cell, above: Cell) -> str:
    """A pair, and how many seeds it has in common."""
    n = dict(found[step, below, above, CUTOFFS[0]].over).get("seeds", 1)
    return f"{between(below, above)}\n{n} seed{'s' * (n > 1)}"
