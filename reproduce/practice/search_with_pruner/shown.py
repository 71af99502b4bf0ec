"""One search, epoch by epoch, and what each pruner saves and loses."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice.search_with_pruner.compared import (
    NEVER,
    OURS,
    PLAIN,
    against,
    cost_of_the_same,
    paired,
)
from reproduce.practice.search_with_pruner.networks import Digits

NAMES = {  # of pruners, and their colours
    "none": ("no pruner", "none"),
    "patience": ("Optuna’s patience of ten", "patience"),
    OURS: ("our pruner", "shipped"),
    PLAIN: ("our pruner, not calibrated", "ours"),
    "median": ("median of earlier trials", "last"),
    "Hyperband": ("Hyperband", "rungs"),
    "halving": ("successive halving", "rungs"),
}


def figures(rows: Rows, epochs: int) -> dict[str, Figure]:
    return {"looked": _looked(rows["looked"], epochs), "pruners": _pruners(rows["rows"])}


def _looked(lines: pd.DataFrame, epochs: int) -> Figure:
    """Each network a line; a dot where it was stopped."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.4), sharey=True)
    for axis, pruner in zip(axes, ("none", OURS), strict=True):
        found = where(lines, pruner=pruner)
        title, styled = NAMES[pruner]
        for _, own in found.groupby("trial"):
            axis.plot(own["epoch"], own["held"], color=style.colour(styled), linewidth=0.8, alpha=0.7)
        ends = found[(found["last"] == 1) & (found["epoch"] < epochs)]
        axis.plot(ends["epoch"], ends["held"], "o", color=style.colour(styled), markersize=3.5)
        axis.set(
            title=f"{title}: {len(found):,} epochs",
            xlabel="epoch of a network",
            xlim=(0, epochs),
            ylim=(0, 1),
        )
    axes[0].set_ylabel("held-out accuracy")
    return figure


def _pruners(rows: pd.DataFrame) -> Figure:
    """Each small dot is a search, each large one the mean of all."""
    figure, (saved, lost) = plt.subplots(1, 2, figsize=(8.6, 2.6), sharey=True)
    found, pictures = where(rows, sampler="random"), len(Digits.drawn(0).held[1])
    for place, (pruner, (_, styled)) in enumerate(NAMES.items()):
        share = 100 * paired(found, pruner, "epochs") / paired(found, "none", "epochs")
        fewer = pictures * (paired(found, "none", "held") - paired(found, pruner, "held"))
        for axis, values in ((saved, share), (lost, fewer)):
            axis.plot(values, [place] * len(values), "o", color=style.colour(styled), markersize=4, alpha=0.3)
            axis.plot(values.mean(), place, "o", color=style.colour(styled), markersize=8)
    saved.set_yticks(range(len(NAMES)), [title for title, _ in NAMES.values()])
    saved.invert_yaxis()
    saved.set(xlabel="epochs trained, % (lower is better)", xlim=(0, 105))
    lost.set(xlabel=f"further errors in {pictures} pictures (lower is better)")
    return figure


def tables(rows: pd.DataFrame) -> Rows:
    """A row for each sampler and pruner."""
    held, test = (len(part[1]) for part in (Digits.drawn(0).held, Digits.drawn(0).test))
    lines = []
    for sampler, found in rows.groupby("sampler", sort=False):
        for pruner, (title, _) in NAMES.items():
            own = where(found, pruner=pruner)
            lines.append({
                "pruner": title, "sampler": sampler, "searches": str(len(own)),
                "epochs, % of all": _cell(against(found, pruner, "none", "epochs"), 100, ".0f"),
                "epochs to the same score, %": _cell(cost_of_the_same(found, pruner), 100, ".0f"),
                "reached the score": f"{(own['same'] != NEVER).sum()} of {len(own)}",
                "further errors, held out": _lost(found, pruner, "held", held),
                "further errors, test": _lost(found, pruner, "test", test),
                "training, s": f"{own['training'].mean():.1f}",
                "forecasting, s": f"{own['asking'].mean():.1f}",
            })  # fmt: skip
    return {"pruners": pd.DataFrame(lines)}


def _lost(found: pd.DataFrame, pruner: str, what: str, pictures: int) -> str:
    return _cell(Interval.of_mean(paired(found, "none", what) - paired(found, pruner, what)), pictures, ".1f")


def _cell(found: Interval | None, times: float, form: str) -> str:
    if found is None:
        return "…"
    value, low, high = (times * number for number in found)
    return f"{value:{form}}" + (f" [{low:{form}}, {high:{form}}]" if high > low else "")
