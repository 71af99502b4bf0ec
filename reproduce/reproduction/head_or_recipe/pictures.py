"""What each cell loses, and what the head gains in each tuning, against the curves of the training."""

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press.intervals import Interval
from reproduce._press.style import colour
from reproduce._press.where import where
from reproduce.reproduction.head_or_recipe.cells import CELLS, GAINS
from reproduce.reproduction.head_or_recipe.contrasts import contrast, lead

HEAD = {  # of GAINS: label, colour, dashes
    "head_authors": ("in the authors’ tuning", "paper", "-"),
    "head_ours": ("in our tuning", "ours", ":"),
    "head_ours_plain": ("in our tuning, over logits with plain features", "ours", "-"),
}


def gains(each: pd.DataFrame, lengths: list[int]) -> Figure:
    figure, (level, ahead) = plt.subplots(1, 2, figsize=(9.4, 4.4))
    for name, cell in CELLS.items():
        found = [(n, contrast(each, {(name, n): -1})) for n in lengths]
        _line(level, found, colour("paper" if cell.tuning == "authors" else "ours"), cell.line, cell.name)
    for name, (label, kind, dashes) in HEAD.items():
        above, below, _ = GAINS[name]
        _line(ahead, [(n, lead(each, above, below, n)) for n in lengths], colour(kind), dashes, label)
    level.set(ylabel="nats per point", title="lost to whoever knows the curve: less is better")
    ahead.set(ylabel="nats per point", title="gained by a mixture over free logits")
    for axis in (level, ahead):
        axis.set(xscale="log", xlabel="curves of the training")
        axis.set_xticks(lengths, [f"{n / 1000:,.0f}k" for n in lengths])
        axis.minorticks_off()
        axis.margins(x=0.12)
        axis.set_ylim(min(0, axis.get_ylim()[0]), 1.45 * axis.get_ylim()[1])  # room for the legend
        axis.legend(fontsize=8, loc="upper right", handlelength=3)  # dashes that can be told apart
    return figure


def _line(axis: Axes, found: list[tuple[int, Interval | None]], hue: str, dashes: str, label: str) -> None:
    known = [(n, one) for n, one in found if one]
    half = [0.0 if math.isnan(one.half) else one.half for _, one in known]
    axis.errorbar([n for n, _ in known], [one.value for _, one in known], yerr=half, color=hue, linestyle=dashes,
                  marker="o", markersize=4, elinewidth=0.7, label=label)  # fmt: skip


def lost(rows: pd.DataFrame, lengths: list[int], cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """A row for each cell at each length: nats per point lost to whoever knows the curve and its noise."""
    table = []
    for name, cell in CELLS.items():
        for n in lengths:
            mine = where(rows, cell=name, curves=n)
            if len(mine):
                by_cutoff = {f"{c} %": f"{where(mine, cutoff=c)['lost'].mean():.3f}" for c in cutoffs}
                table.append({
                    "network": cell.name, "curves": f"{n:,}", "seeds": str(mine["seed"].nunique()), **by_cutoff,
                    "mean": f"{mine['lost'].mean():.3f}",
                })  # fmt: skip
    return pd.DataFrame(table)


def table_of_gains(each: pd.DataFrame, lengths: list[int]) -> pd.DataFrame:
    """A row for each pair of cells."""
    table = []
    for above, below, _ in GAINS.values():
        found = {f"{n:,} curves": _cell(lead(each, above, below, n)) for n in lengths}
        table.append({"above": CELLS[above].name, "below": CELLS[below].name} | found)
    return pd.DataFrame(table)


def _cell(found: Interval | None) -> str:
    if found is None:
        return "…"
    return found.plus_minus("+.3f")
