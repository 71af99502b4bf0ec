"""How far each row is below the exact posterior: ranked, by observed epochs; and pairs of rows."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from reproduce._press import style
from reproduce._press.where import where
from reproduce.backbones import _leads, _rows
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones.architectures.contests import CONTESTS
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import around, legend, panels

LOST = "nats per point below the exact posterior"
TELLING = {  # some of each kind, with the dashes of their lines
    PFN: "-", "transformer, decoder": "--", "Elman": "-", "LSTM": "--", "encoder–decoder": "-.",
    "encoder–decoder, attention": ":", "CNN": "-", "S4, HiPPO": "-", "Mamba": "--", "linear attention": "-",
}  # fmt: skip


def ranks(rows: pd.DataFrame, budgets: tuple[str, ...]) -> Figure:
    """A panel for each budget, a point for each seed."""
    mine = rows[rows["budget"].isin(budgets)]
    names = list(mine.groupby("backbone")["lost"].mean().sort_values(ascending=False).index)
    figure, axes = _panels(budgets, 1.2 + 0.25 * len(names))
    for axis, budget in zip(axes, budgets, strict=True):
        lost = where(rows, budget=budget).groupby(["backbone", "seed"])["lost"].mean()
        for place, name in enumerate(names):
            seeds = lost.get(name, pd.Series(dtype=float))
            line_style: dict[str, Any] = {"color": _rows.colour(name), "label": _rows.kind(name)}
            axis.plot(seeds, [place] * len(seeds), "D" if name == PFN else "o", markersize=4.5, **line_style)
        axis.grid(axis="y", alpha=0.3)
        _logarithmic(axis, "x")
    axes[0].set_yticks(range(len(names)), names)
    legend(figure, axes)
    around(figure, f"{LOST}, mean over cutoffs (left is better)")
    return figure


def pairs(rows: pd.DataFrame, budgets: tuple[str, ...]) -> Figure:
    """Differences within pairs, with 95 % intervals; nothing where there is one seed."""
    figure, axes = _panels(budgets, 4.0)
    contests = sorted(CONTESTS, key=lambda one: one.one_idea)  # one idea: filled, at the top
    for axis, budget in zip(axes, budgets, strict=True):
        table = _leads.by_seed(where(rows, budget=budget), "backbone")
        for place, one in enumerate(contests):
            if found := _leads.lead(table, one.ahead, one.of):
                inside = {} if one.one_idea else {"mfc": "none"}
                dots(axis, [(place, found)], fmt="o", color=_rows.colour(one.ahead), markersize=4.5, **inside)
        axis.axvline(0, color=style.faint(), linewidth=1, zorder=0)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylim(-0.6, len(contests) - 0.4)
    axes[0].set_yticks(range(len(contests)), [f"{one.ahead} against {one.of}" for one in contests])
    around(
        figure, "log-likelihood of the first minus the second, nats per point (right: the first is better)"
    )
    return figure


def _panels(budgets: tuple[str, ...], height: float) -> tuple[Figure, list[Axes]]:
    return panels([f"at {BUDGETS[budget]}" for budget in budgets], (9.4, height), sharey=True, sharex=True)


def seen(rows: pd.DataFrame, process: pd.DataFrame, title: str) -> Figure:
    """By observed epochs, for one row of each kind and the Gaussian process."""
    figure, axis = plt.subplots(figsize=(7.6, 4.6))
    for name, dashes in TELLING.items():
        _line(axis, where(rows, backbone=name), name, dashes, _rows.colour(name))
    _line(axis, process, "Gaussian process", "-", style.colour("exact"))
    axis.set(title=f"at {title}", xlabel="observed epochs", ylabel=f"{LOST} (lower is better)")
    _logarithmic(axis, "x", "y")
    figure.legend(loc="outside right upper", fontsize=8)
    return figure


def _line(axis: Axes, rows: pd.DataFrame, name: str, dashes: str, shade: str) -> None:
    if not rows.empty:
        lost = rows.groupby("cutoff")["lost"].mean()
        axis.plot(lost.index, lost, dashes, color=shade, linewidth=1.3, label=name)


def _logarithmic(axis: Axes, *sides: str) -> None:
    """With plain numbers: 0.05, 0.1, 0.2."""
    for side in sides:
        axis.set(**{f"{side}scale": "log"})
        places = axis.xaxis if side == "x" else axis.yaxis
        places.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
        places.set_major_formatter("{x:g}")
        places.set_minor_formatter(NullFormatter())
