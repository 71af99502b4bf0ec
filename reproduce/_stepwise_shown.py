"""Step by step with an encoding: figures, tables, claims. Cells that were not trained are left out."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduce._contract import Claim
from reproduce._encoding_cells import CELLS, Cell
from reproduce._encodings_gaps import interval, scores
from reproduce._encodings_shown import FED, LINES
from reproduce._paired import Interval, claim
from reproduce._style import ink, line

Rows = dict[str, pd.DataFrame]
Which = tuple[str, str, bool]  # network, name of an encoding, is the epoch fed?

RAW: Which = ("free", "none", True)
SHOT: Which = ("pfn", "none", True)
ERRORS = {  # column: title
    "near": "1 to 10 ahead", "far": "71 to 80 ahead", "longer": "epochs 151 to 200", "irregular": "gaps at random",
    "geometric": "growing gaps",
}  # fmt: skip


def found_cells(rows: Rows) -> list[Which]:
    cells = [Cell.of(part) for part in dict.fromkeys(rows["each"]["part"])]
    return list(dict.fromkeys((cell.network, cell.name, cell.fed) for cell in cells))


def gap(rows: Rows, ours: Which, theirs: Which, column: str) -> Interval | None:
    """How far `ours` is above `theirs` on the same curves after the same seeds; None with fewer than two seeds."""
    mine, yours = (scores(rows, (name, fed), [column], network) for network, name, fed in (ours, theirs))
    shared = [seed for seed in mine if seed in yours]
    return interval(mine[shared] - yours[shared]) if len(shared) > 1 else None


def figures(rows: Rows) -> dict[str, Figure]:
    return {"effects": _effects(rows), "horizon": _horizon(rows)}


def _effects(rows: Rows) -> Figure:
    """The next value, given true ones: each cell against the epoch as a number."""
    names = list(dict.fromkeys(name for network, name, _ in found_cells(rows) if network == "free"))[::-1]
    figure, axis = plt.subplots(figsize=(7.4, 0.36 * len(names) + 1.6))
    axis.axvline(0, color=ink(), linewidth=1, linestyle=":")
    for fed, shift in ((True, 0.12), (False, -0.12)):
        found = [(place, gap(rows, ("free", name, fed), RAW, "next")) for place, name in enumerate(names)]
        shown = [(place + shift, gain) for place, gain in found if gain is not None]
        axis.errorbar([g.value for _, g in shown], [place for place, _ in shown], xerr=[g.high - g.value for _, g in shown],
                      fmt="o" if fed else "s", markersize=5, **line(FED[fed], linestyle="none"))  # fmt: skip
    axis.set_yticks(range(len(names)), [CELLS[name].title for name in names])
    axis.set(xlabel="the next value, against the epoch as a number, nats", ylim=(-0.6, len(names) - 0.4))
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def _horizon(rows: Rows) -> Figure:
    """Step by step, a line for each encoding; in one shot, LC-PFN's own way, in both panels."""
    table = rows["horizon"]
    kinds = table["part"].map(lambda part: tuple(Cell.of(part)[:3]))
    figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True)
    for axis, fed in zip(axes, (True, False), strict=True):
        for name in LINES:
            mine = table[kinds == ("free", name, fed)]
            if len(mine):
                error = 100 * mine.groupby("ahead")["error"].mean()
                axis.plot(error.index, error, marker=".", **line(f"encoding {name}"))
        shot = table[kinds == SHOT]
        if len(shot):
            error = 100 * shot.groupby("ahead")["error"].mean()
            axis.plot(error.index, error, marker="x", **line("one shot", label="in one shot, epoch fed"))
        axis.set(title=FED[fed], xscale="log", xlabel="epochs ahead of the last of 20")
        ticks = sorted(table["ahead"].unique())
        axis.set_xticks(ticks, [str(tick) for tick in ticks])
        axis.minorticks_off()
    axes[0].set(ylabel="mean error of the median, times 100", ylim=(0, None))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def tables(rows: Rows) -> Rows:
    return {"likelihood": _likelihood(rows), "errors": _errors(rows)}


def title(which: Which) -> str:
    network, name, fed = which
    return "in one shot, epoch fed" if network == "pfn" else f"{CELLS[name].title}, {FED[fed]}"


def _mean(rows: Rows, which: Which, column: str) -> float:
    network, name, fed = which
    return float(scores(rows, (name, fed), [column], network).mean().mean())


def _likelihood(rows: Rows) -> pd.DataFrame:
    """The next value given true ones, and all later values given its own."""
    cells = []
    for which in found_cells(rows):
        told, path = _mean(rows, which, "next"), _mean(rows, which, "path")
        cells.append({"forecaster": title(which), "next value": "–" if told != told else f"{told:.3f}",
                      "all later values": f"{path:.3f}"})  # fmt: skip
    return pd.DataFrame(cells)


def _errors(rows: Rows) -> pd.DataFrame:
    cells = []
    for which in found_cells(rows):
        means = {heading: 100 * _mean(rows, which, column) for column, heading in ERRORS.items()}
        shown = {heading: "–" if mean != mean else f"{mean:.2f}" for heading, mean in means.items()}
        cells.append({"forecaster": title(which)} | shown)
    return pd.DataFrame(cells)


def claims(rows: Rows) -> list[Claim]:
    blind = "Told neither the epoch nor a place, a network with a causal mask loses {value:.3f} nats on the next value."
    path = "Reading its own medians, it loses {value:.2f} nats a point on the later values, beside one shot."
    near = "Over the next ten epochs the error of its median is {value:+.4f} above that of one shot."
    far = "Seventy epochs on it is {value:+.4f} above it."
    stated = [
        claim("mask_tells_the_order", blind, gap(rows, RAW, ("free", "none", False), "next"), "< 0.1"),
        claim("own_path_costs", path, gap(rows, SHOT, RAW, "path"), "> 0"),
        claim("near_as_good", near, gap(rows, RAW, SHOT, "near"), "< 0.002"),
        claim("far_worse", far, gap(rows, RAW, SHOT, "far"), "> 0"),
    ]
    for name in ("sincos", "rope"):
        adds = f"Where the epoch is fed, {CELLS[name].title} on top changes the next value’s score by {{value:+.3f}} nats."
        instead = f"In place of the epoch, {CELLS[name].title} changes it by {{value:+.3f}} nats."
        alike = "between -0.05 and 0.05"
        stated.append(claim(f"{name}_adds", adds, gap(rows, ("free", name, True), RAW, "next"), alike))
        stated.append(
            claim(f"{name}_replaces", instead, gap(rows, ("free", name, False), RAW, "next"), alike)
        )
    return stated
