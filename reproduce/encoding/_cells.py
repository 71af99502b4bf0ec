"""The cells of the experiment with encodings: what each is called, how it scores, and by how much it is above another.

An interval has two parts: seed-to-seed variation, by Student's t since there are few seeds, and sampling of the curves.
"""

import math
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.networks.encodings import EncodingConfig
from presswork import Estimates, Interval, there
from presswork.intervals import drawn, student
from presswork.style import ink, line
from reproduce.pictures.panels import dots

TITLES = {
    "none": "none",
    "log": "log-epoch features",
    "sincos": "sin–cos",
    "sincos-100": "sin–cos, base 100",
    "sincos-4": "sin–cos, base 4",
    "learned": "learned",
    "scrambled-coded": "scrambled, as coded",
    "scrambled-described": "scrambled, as described",
    "euclidean": "Euclidean",
    "rope": "RoPE",
    "alibi": "ALiBi",
    "t5": "T5 bias",
    "shaw": "simplified Shaw",
}
OF_BASE = {f"sincos-{base}": EncodingConfig("sincos", base=base) for base in (100, 4)}
FED = {True: "epoch given", False: "epoch not given"}


class Cell(NamedTuple):
    network: str  # "pfn"; one that is given some epochs alone: "observed" or "asked"; or "free": step by step
    name: str  # of TITLES
    fed: bool  # is the epoch a number in the token?

    @property
    def encoding(self) -> EncodingConfig:
        return OF_BASE.get(self.name) or EncodingConfig(self.name)

    def part(self, seed: int) -> str:
        return f"{self.network}.{self.name}.{'fed' if self.fed else 'unfed'}.{seed}"


# --------------------------------------------------------------------------------------------------- their scores

Scores = dict[Cell, dict[int, pd.DataFrame]]  # of each cell and seed a table: a row a curve, a column a task


def scores(each: pd.DataFrame, parts: dict[str, dict[str, Any]]) -> Scores:
    """In the order in which they were measured. `parts` are those of the question: the cell and the seed of each."""
    by_cell: Scores = {}
    for part, own in each.groupby("part", sort=False):
        of = parts[str(part)]
        by_cell.setdefault(of["cell"], {})[of["seed"]] = own.set_index("curve")
    return by_cell


def over(scored: Scores, cell: Cell, tasks: list[str]) -> pd.DataFrame:
    """The mean over these tasks: a row a curve, a column a seed; without seeds that lack one of them."""
    seeds = scored.get(cell, {}).items()
    means = {seed: own.reindex(columns=tasks).mean(axis=1, skipna=False) for seed, own in seeds}
    return pd.DataFrame(means).dropna(axis=1)


def gap(scored: Scores, ours: Cell, theirs: Cell, tasks: list[str]) -> Interval | None:
    """By how much `ours` is above `theirs`; None with fewer than two seeds."""
    mine, yours = over(scored, ours, tasks), over(scored, theirs, tasks)
    shared = [seed for seed in mine if seed in yours]
    apart = (mine[shared] - yours[shared]).rename_axis("seed", axis=1)
    seeds, curves = apart.mean(), apart.mean(axis=1)
    if len(seeds) < 2:
        return None
    half = math.hypot(student(len(seeds)) * seeds.sem(), 1.96 * curves.sem())
    return Interval.around(seeds.mean(), half, drawn(seeds) + drawn(curves))


def gaps(scored: Scores, theirs: Cell, tasks: list[str]) -> Estimates:
    """Of each cell: by how much it is above one of them."""
    return there({cell: gap(scored, cell, theirs, tasks) for cell in scored})


# --------------------------------------------------------------------------------------- figure of two questions


def effects(found: Estimates, network: str, label: str) -> Figure:
    """A row for each encoding, with what it gains where the epoch is given and where it is not."""
    names = list(dict.fromkeys(cell.name for cell in found if cell.network == network))[::-1]
    figure, axis = plt.subplots(figsize=(7.4, 0.36 * len(names) + 1.6))
    axis.axvline(0, color=ink(), linewidth=1, linestyle=":")
    for fed, shift in ((True, 0.12), (False, -0.12)):
        gains = [(place + shift, found.get(Cell(network, name, fed))) for place, name in enumerate(names)]
        dots(axis, gains, fmt="o" if fed else "s", markersize=5, **line(FED[fed], linestyle="none"))
    axis.set_yticks(range(len(names)), [TITLES[name] for name in names])
    axis.set(xlabel=label, ylim=(-0.6, len(names) - 0.4))
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=2)
    return figure
