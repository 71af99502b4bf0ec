"""How do time and memory of a backbone grow with the length of the curve?

One curve of 100 to 6,400 points is read on one core, without a gradient; and once more to count the memory that a gradient
would need. Attention is measured twice: unfused, which stores all products of pairs, and fused, which stores none of them.
All rows read each length in turns. Reported is the slope between two long curves, with both axes logarithmic.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from curvecast.networks.backbones.families import FAMILIES
from reproduce._press.claim import Between, Claim
from reproduce._press.estimates import Estimates, there
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.backbones import _rows
from reproduce.backbones._costs import kept
from reproduce.pictures.panels import legend
from reproduce.protocols.timing import core_seconds, threads

PLAIN = "attention, written down"
FUSED = "transformer, encoder"
DRAWN = (FUSED, PLAIN, "LSTM", "CNN", "S4, HiPPO", "H3", "Mamba", "Mamba-2", "linear attention", "DeltaNet")
DASHES = {PLAIN: "--", "H3": "--", "Mamba": "-.", "Mamba-2": ":", "DeltaNet": "--"}  # of one colour
TITLES = {FUSED: "attention, fused", PLAIN: "attention, unfused"}  # as figures and tables name them
STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": ("backbone", "points", "round", "seconds", "kept")}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = DRAWN
    others: tuple[str, ...] = tuple(name for name in FAMILIES if name not in DRAWN)  # for the table alone
    points: tuple[int, ...] = (100, 200, 400, 800, 1_600, 3_200, 6_400)
    rounds: int = 6
    steep: tuple[int, int] = (1_600, 6_400)  # between these the slope is taken


SCALES = {
    "smoke": Config(points=(10, 20), rounds=1, steep=(10, 20)),
    "laptop": Config(others=(), points=(100, 400, 1_600, 6_400)),
    "paper": Config(),
}


def measure(config: Config, part: str) -> pd.DataFrame:
    nets = {}
    for name in (*config.rows, *config.others):
        reader = _rows.reader(FUSED if name == PLAIN else name)
        nets[name] = reader.backbone.make(reader.width).eval(), reader.width
    lines = []
    with threads():
        for T in config.points:
            x, bytes_of = torch.arange(1.0, T + 1)[None], {}
            for name, (net, d) in nets.items():  # which warms up
                bytes_of[name] = _kept(net, torch.randn(1, T, d), x, name)
            for number in range(config.rounds):
                for name, (net, d) in nets.items():
                    took = _read(net, torch.randn(1, T, d), x, name)
                    line = {"backbone": name, "points": T, "round": number, "seconds": took}
                    lines.append(line | {"kept": bytes_of[name]})
    return pd.DataFrame(lines)


def _as_told(name: str) -> AbstractContextManager[Any]:
    return sdpa_kernel(SDPBackend.MATH) if name == PLAIN else nullcontext()


@torch.no_grad()
def _read(net: Any, tokens: Tensor, x: Tensor, name: str) -> float:
    with _as_told(name):
        return core_seconds(partial(net, tokens, x, None))


def _kept(net: Any, tokens: Tensor, x: Tensor, name: str) -> int:
    with _as_told(name):
        return kept(net.parameters(), partial(net, tokens, x, None))


def slopes(rows: pd.DataFrame, ends: tuple[int, int]) -> Estimates:
    """By backbone and column: of logarithms between two lengths, round by round."""
    near, far = ends
    found: dict[tuple[str, str], Interval | None] = {}
    for column in ("seconds", "kept"):
        table = rows.pivot_table(index=["backbone", "round"], columns="points", values=column).reindex(
            columns=ends
        )
        slope = (np.log(table[far] / table[near]) / np.log(far / near)).dropna()
        for name, own in slope.groupby("backbone"):
            counted = column == "kept"  # bytes are the same in every round
            found[str(name), column] = (
                Interval.exactly(own.iloc[0]) if counted else Interval.of_median(list(own))
            )
    return there(found)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.4))
    middle = rows.groupby(["backbone", "points"])[["seconds", "kept"]].median()
    for name in config.rows:
        if name not in middle.index:
            continue
        mine = middle.loc[name]
        colour = _rows.colour(FUSED if name == PLAIN else name)
        for axis, values in zip(axes, (mine["seconds"], mine["kept"] / 1e6), strict=True):
            label = TITLES.get(name, name)
            axis.plot(mine.index, values, DASHES.get(name, "-"), color=colour, linewidth=1.3, label=label)
    for axis, what in zip(axes, ("seconds of one core", "MB stored for the gradient"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="points of the curve", ylabel=f"{what} (lower is better)")
    legend(figure, axes[:1], 5, fontsize=8)
    return {"lengths": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> Rows:
    far, found, lines = config.steep[1], slopes(rows, config.steep), []
    for name in (*config.rows, *config.others):
        if (mine := where(rows, backbone=name)).empty:
            continue
        at_far = where(mine, points=far)
        lines.append({
            "backbone": TITLES.get(name, name), f"seconds, {far:,} points": f"{at_far['seconds'].median():.2f}",
            "stored, MB": f"{at_far['kept'].iloc[0] / 1e6:,.0f}" if len(at_far) else "",
        } | {
            f"exponent of {what}": f"{found[name, column].value:.2f}" if (name, column) in found else ""
            for what, column in (("time", "seconds"), ("memory", "kept"))
        })  # fmt: skip
    return {"lengths": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    (near, far), found = config.steep, slopes(rows, config.steep)
    square, proportional = Between(1.5, 2.3), Between(0.8, 1.3)
    return [
        Claim(part, f"Between {near:,} and {far:,} points, does the {what} the length?",
              found.get((name, column)), needs)
        for part, name, column, what, needs in (
            ("attention_time", FUSED, "seconds", "time of fused attention grow about with the square of", square),
            ("plain_memory", PLAIN, "kept", "memory of unfused attention grow about with the square of", square),
            ("fused_memory", FUSED, "kept", "memory of fused attention grow in proportion to", Between(0.8, 1.2)),
            ("s4_time", "S4, HiPPO", "seconds", "time of S4 grow about in proportion to", proportional),
            ("mamba_time", "Mamba", "seconds", "time of Mamba, point by point, grow about in proportion to", proportional),
            ("mamba2_time", "Mamba-2", "seconds", "time of Mamba-2, in chunks, grow about in proportion to", proportional),
        )
    ]  # fmt: skip
