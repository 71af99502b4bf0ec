"""The blog's ports as figures. A part that was not measured is left out."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press.style import colour, faint, line
from reproduce._press.where import Rows
from reproduce.porting.porting import rows as said
from reproduce.porting.porting.old_scores import STEPS
from reproduce.porting.porting.ports_by_name import TABLE
from reproduce.porting.porting.tables import LABELS, printed

BESIDE = 0.25  # rows between an interval and the dots of its seeds


def figures(rows: Rows) -> dict[str, Figure]:
    made: dict[str, Figure] = {}
    if "seen" in rows:
        made |= {"masks": _masks(rows["seen"]), "seen": _seen(rows["seen"])}
    each = rows.get("each")
    if said.in_order(each):
        made["waterfall"] = _waterfall(each)
    if each is not None:
        made["again"] = _again(each)
    if "ahead" in rows:
        made["horizon"] = _horizon(rows["ahead"])
    return made


def _square(axis: Axes, cells: pd.DataFrame) -> None:
    """Cells as squares whose area shows the value."""
    lit = cells[cells["value"] > 0]
    axis.scatter(lit["column"], lit["row"], s=6 + 54 * lit["value"], marker="s", color=colour("ours"))
    none = cells[cells["value"] == 0]
    axis.scatter(none["column"], none["row"], s=12, marker="x", color=faint(), linewidths=0.7)
    axis.set_ylim(cells["row"].max() + 0.6, -0.6)
    axis.set_xlim(-0.6, cells["column"].max() + 0.6)
    axis.grid(False)


def _masks(seen: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(1, 3, figsize=(8, 3.3))
    titles = {"full": "full: an encoder", "causal": "causal: a decoder", "pfn": "PFN: 5 points, 3 queries"}
    for axis, (kind, title) in zip(axes, titles.items(), strict=True):
        _square(axis, seen[(seen["network"] == kind) & (seen["view"] == "mask")])
        axis.set(title=title, xlabel="token that is read", aspect="equal")
        axis.set_xticks(range(8), range(1, 9))
        axis.set_yticks(range(8), range(1, 9))
    axes[0].set_ylabel("token that reads")
    return figure


def _seen(seen: pd.DataFrame) -> Figure:
    networks = {"old port": "blog’s port", "mended": "repaired port", "LC-PFN": "LC-PFN"}
    figure, axes = plt.subplots(2, 3, figsize=(9, 5.8), height_ratios=(15, 6), sharex=True)
    for column, network in enumerate(networks):
        mine = seen[seen["network"] == network]
        for row, view in enumerate(("own curve", "whole batch")):
            _square(axes[row, column], mine[mine["view"] == view])
            axes[row, column].set_xticks(range(0, 15, 2), range(1, 16, 2))
        axes[0, column].set_title(networks[network])
        axes[0, column].set_ylabel(
            "forecast made for epoch" if network == "LC-PFN" else "forecast made after epoch"
        )
        start = 16 if network == "LC-PFN" else 1
        axes[0, column].set_yticks(range(0, 15, 2), range(start, start + 15, 2))
        axes[1, column].set(xlabel="epoch of the input", ylabel="curve of the input")
        axes[1, column].set_yticks(range(5), range(1, 6))
    return figure


def _waterfall(each: pd.DataFrame | None) -> Figure:
    found = said.in_order(each)
    figure, axis = plt.subplots(figsize=(8, 0.36 * len(found) + 1.2))
    for y, (_, value, _) in enumerate(found):
        before = found[y - 1][1] if y else value
        tone = colour("paper") if value >= before else colour("ours")
        axis.plot([before, value], [y, y], color=tone, linewidth=7, solid_capstyle="butt")
        axis.plot([value, value], [y - 0.3, y + 1.3], color=faint(), linewidth=0.8)
        axis.annotate(f"{value:.2g}" if value < 0.1 else f"{value:.2f}", (max(before, value), y), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=9)  # fmt: skip
    axis.plot([found[0][1]], [0], "o", color=colour("ours"), markersize=6)
    axis.set_yticks(range(len(found)), [cause for cause, _, _ in found])
    axis.set(xscale="log", xlabel="squared error as counted (lower is better)", ylim=(len(found) - 0.5, -0.7))
    values = [value for _, value, _ in found]
    axis.set_xlim(min(values) / 2, 2.2 * max(values))
    axis.grid(axis="y", visible=False)
    return figure


def _again(each: pd.DataFrame) -> Figure:
    """The blog's unit: printed, rebuilt with the faults, repaired, a dot for each seed; last value and LC-PFN as lines."""
    figure, axis = plt.subplots(figsize=(8, 3.4))
    for y, model in enumerate(TABLE):
        mean, sd = printed(model, "mean"), printed(model, "sd")
        label = None if y else "as printed, with its standard deviation"
        axis.errorbar([mean], [y], xerr=[sd], fmt="D", color=colour("paper"), fillstyle="none", label=label)
        for name, column, marker, tone, label in (
            (model, "off", "s", "old port", "rebuilt with its faults"),
            (f"{model}-mended", "noisy", "o", "ours", "repaired"),
        ):
            found, seeds = said.mean(each, name, column, STEPS), said.table(each, name, column)
            if found and seeds is not None:
                error = [max(0.0, found.value - found.low)] if found.low == found.low else None
                label = None if y else label
                axis.errorbar([found.value], [y], xerr=error, fmt=marker, color=colour(tone), label=label)
                dots = STEPS * seeds.mean()  # one a seed
                axis.plot(dots, [y + BESIDE] * len(dots), ".", color=colour(tone), markersize=5)
    for model, name in (("last-value", "last"), ("lcpfn", "ours")):
        found = said.mean(each, model, "noisy", STEPS)
        if found:
            axis.axvline(found.value, **line(name, linestyle=":" if name == "last" else "--"))
    axis.set_yticks(range(len(TABLE)), [LABELS[model] for model in TABLE])
    axis.set(
        xscale="log", xlabel=f"squared error, summed over {STEPS} steps (lower is better)", ylim=(3.6, -0.6)
    )
    axis.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["0.25", "0.5", "1", "2", "4", "8"], minor=False)
    axis.set_xticks([], minor=True)
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=3)
    return figure


HORIZON = {  # model: its colour in palette.py
    "rule-1": "rule 1", "last-value": "last", "small-mended": "decoder", "only-detached": "detached",
    "small-free-mended": "through", "encoder-decoder": "two stacks", "rule-15": "rule 15", "rule-direct": "rule direct",
    "one-shot": "one shot", "lcpfn": "ours",
}  # fmt: skip


def _horizon(ahead: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(8, 4.8))
    for model, name in HORIZON.items():
        mine = ahead[ahead["model"] == model].groupby("ahead")["clean"].mean()
        if len(mine):
            axis.plot(mine.index, mine**0.5, **line(name, label=LABELS[model]))
    axis.set(xlabel="epochs after the fifteenth", ylabel="RMSE without noise (lower is better)", yscale="log")
    axis.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    axis.set_yticks([], minor=True)
    figure.legend(loc="outside upper center", ncols=2)
    return figure
