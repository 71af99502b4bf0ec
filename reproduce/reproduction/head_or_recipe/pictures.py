"""What each network loses to the oracle, and what head and tuning gain, by number of training curves."""

import math

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press.intervals import Interval, in_cell
from reproduce._press.style import colour
from reproduce._press.where import where
from reproduce.reproduction.head_or_recipe.cells import CELLS, GAINS, Cell
from reproduce.reproduction.head_or_recipe.contrasts import contrast, lead

# vertical offset of each label, in points
BESIDE = {"authors-free": 3, "authors-mixture": -14, "ours-free": -22, "ours-plain": 4, "ours-mixture": -13}


def gains(each: pd.DataFrame, lengths: list[int]) -> Figure:
    """Nats per point below the oracle; hollow: free logits. Labels stand beside the shortest training."""
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    for name, cell in CELLS.items():
        found = [(n, one) for n in lengths if (one := contrast(each, {(name, n): -1}))]
        if found:
            hue = colour("paper" if cell.tuning == "authors" else "ours")
            _line(axis, found, hue, cell, BESIDE.get(name, 0))
    axis.set(xscale="log", xlabel="training curves", ylim=(0, None))
    axis.set_ylabel("nats per point below the oracle (lower is better)")
    axis.set_xticks(lengths, [f"{n / 1000:,.0f}k" for n in lengths])
    axis.minorticks_off()
    axis.margins(x=0.12)
    return figure


def _line(axis: Axes, found: list[tuple[int, Interval]], hue: str, cell: Cell, shift: int) -> None:
    half = [0.0 if math.isnan(one.half) else one.half for _, one in found]
    full = "full" if cell.model["head"] == "mixture" else "none"
    axis.errorbar([n for n, _ in found], [one.value for _, one in found], yerr=half, color=hue, marker="o", markersize=6,
                  fillstyle=full, linestyle=cell.line, elinewidth=0.7)  # fmt: skip
    axis.annotate(cell.name, (found[0][0], found[0][1].value), xytext=(9, shift), textcoords="offset points",
                  color=hue, fontsize=9)  # fmt: skip


def lost(rows: pd.DataFrame, lengths: list[int], cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """A row for each network and number of training curves: nats per point below the oracle."""
    table = []
    for name, cell in CELLS.items():
        for n in lengths:
            mine = where(rows, cell=name, curves=n)
            if len(mine):
                by_cutoff = {f"{c} %": f"{where(mine, cutoff=c)['lost'].mean():.3f}" for c in cutoffs}
                table.append({
                    "network": cell.name, "training curves": f"{n:,}", "seeds": str(mine["seed"].nunique()), **by_cutoff,
                    "mean": f"{mine['lost'].mean():.3f}",
                })  # fmt: skip
    return pd.DataFrame(table)


def table_of_gains(each: pd.DataFrame, lengths: list[int]) -> pd.DataFrame:
    """A row for each pair of networks."""
    table = []
    for above, below, _ in GAINS.values():
        found = {f"{n:,} curves": in_cell(lead(each, above, below, n), "+.3f") for n in lengths}
        table.append({"network": CELLS[above].name, "compared with": CELLS[below].name} | found)
    return pd.DataFrame(table)
