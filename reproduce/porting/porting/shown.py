"""The blog's ports as figures and tables: what a forecast reads, printed and rebuilt, cause by cause, and the checks."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Estimates, Interval, Rows, in_cell, where
from presswork.claim_text import tidy
from presswork.style import colour, faint, line
from reproduce.porting.porting import scores
from reproduce.porting.porting.old_port import TABLE
from reproduce.porting.porting.scores import ALONE, CLEAN, STEPS, Scores, printed

LABELS = {
    "lcpfn": "LC-PFN", "large": "large, teacher forcing", "small": "small, teacher forcing",
    "small-free": "small, free-running", "small-free-euclidean": "small, free-running, Euclidean",
    "last-value": "last value", "mean-of-five": "mean of the last five", "prior-mean": "mean of all curves",
    "rule-1": "linear rule, last value",
}  # fmt: skip
BESIDE = 0.25  # rows between an interval and the dots of its seeds
PROGRAMS = {"ours": "our network", "mended port": "repaired port", "old port": "blog’s port"}
CHECKS = {  # those whose names in the rows need other words on a page
    "loss at the start above that of knowing nothing (nats; as a share)":
        "initial loss minus that of an uninformed forecast (our network: nats; ports: as a share of the variance)",
    "one batch learnt by heart: share left unexplained": "one batch overfitted: share of variance unexplained",
    "score of the true curve itself, times 1000": "error of a perfect forecast, times 1000",
}  # fmt: skip

# --------------------------------------------------------------------------------------------------------- figures


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    """A part that was not measured is left out."""
    made: dict[str, Figure] = {}
    if len(rows["seen"]):
        made["seen"] = draw_seen(rows["seen"])
    if scored := scores.scores(rows["each"]):
        made["again"] = draw_again(scored, found)
    if steps := scores.in_order(found):
        made["waterfall"] = draw_waterfall(steps)
    return made


def squares(axis: Axes, seen: pd.DataFrame) -> None:
    """Cells as squares whose area shows the value."""
    lit, none = seen[seen["value"] > 0], seen[seen["value"] == 0]
    axis.scatter(lit["column"], lit["row"], s=6 + 54 * lit["value"], marker="s", color=colour("ours"))
    axis.scatter(none["column"], none["row"], s=12, marker="x", color=faint(), linewidths=0.7)
    axis.set_ylim(seen["row"].max() + 0.6, -0.6)
    axis.set_xlim(-0.6, seen["column"].max() + 0.6)
    axis.grid(False)


def draw_seen(seen: pd.DataFrame) -> Figure:
    networks = {"old port": "blog’s port", "mended": "repaired port", "LC-PFN": "LC-PFN"}
    figure, axes = plt.subplots(2, 3, figsize=(9, 5.8), height_ratios=(15, 6), sharex=True)
    for (above, below), (network, title) in zip(axes.T, networks.items(), strict=True):
        for axis, view in ((above, "own curve"), (below, "whole batch")):
            squares(axis, where(seen, network=network, view=view))
            axis.set_xticks(range(0, 15, 2), range(1, 16, 2))
        when, start = ("for", 16) if network == "LC-PFN" else ("after", 1)
        above.set(title=title, ylabel=f"forecast made {when} epoch")
        above.set_yticks(range(0, 15, 2), range(start, start + 15, 2))
        below.set(xlabel="epoch of the input", ylabel="curve of the input")
        below.set_yticks(range(5), range(1, 6))
    return figure


def draw_waterfall(steps: list[tuple[str, float, Interval | None]]) -> Figure:
    values = [value for _, value, _ in steps]
    figure, axis = plt.subplots(figsize=(8, 0.36 * len(steps) + 1.2))
    for y, (before, value) in enumerate(zip([values[0], *values[:-1]], values, strict=True)):
        tone = colour("paper") if value >= before else colour("ours")
        axis.plot([before, value], [y, y], color=tone, linewidth=7, solid_capstyle="butt")
        axis.plot([value, value], [y - 0.3, y + 1.3], color=faint(), linewidth=0.8)
        axis.annotate(f"{value:.2g}" if value < 0.1 else f"{value:.2f}", (max(before, value), y), xytext=(6, 0),
                      textcoords="offset points", va="center", fontsize=9)  # fmt: skip
    axis.plot([values[0]], [0], "o", color=colour("ours"), markersize=6)
    axis.set_yticks(range(len(steps)), [cause for cause, _, _ in steps])
    axis.set(xscale="log", xlabel="squared error as counted (lower is better)", ylim=(len(steps) - 0.5, -0.7))
    axis.set_xlim(min(values) / 2, 2.2 * max(values))
    axis.grid(axis="y", visible=False)
    return figure


def draw_again(scored: Scores, found: Estimates) -> Figure:
    """The blog's unit: printed, rebuilt with the faults, repaired, a dot for each seed; last value and LC-PFN as lines."""
    figure, axis = plt.subplots(figsize=(8, 3.4))
    for y, model in enumerate(TABLE):
        mean, sd = printed(model, "mean"), printed(model, "sd")
        label = None if y else "as printed, with its standard deviation"
        axis.errorbar([mean], [y], xerr=[sd], fmt="D", color=colour("paper"), fillstyle="none", label=label)
        for which, marker, tone, label in (
            ((model, "off"), "s", "old port", "rebuilt with its faults"),
            ((f"{model}-mended", "noisy"), "o", "ours", "repaired"),
        ):
            if one := found.get(which):
                label = None if y else label
                error = [one.value - one.low] if one.low == one.low else None
                axis.errorbar([one.value], [y], xerr=error, fmt=marker, color=colour(tone), label=label)
                dots = STEPS * scored[which].mean()  # one a seed
                axis.plot(dots, [y + BESIDE] * len(dots), ".", color=colour(tone), markersize=5)
    for model, name, dashes in (("last-value", "last", ":"), ("lcpfn", "ours", "--")):
        if one := found.get((model, "noisy")):
            axis.axvline(one.value, **line(name, linestyle=dashes))
    axis.set_yticks(range(len(TABLE)), [LABELS[model] for model in TABLE])
    axis.set(xscale="log", ylim=(3.6, -0.6))
    axis.set_xlabel(f"squared error, summed over {STEPS} steps (lower is better)")
    axis.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["0.25", "0.5", "1", "2", "4", "8"], minor=False)
    axis.set_xticks([], minor=True)
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=3)
    return figure


# ---------------------------------------------------------------------------------------------------------- tables


def tabulate(rows: Rows, found: Estimates) -> Rows:
    checks = checks_table(rows["checks"])
    return {"again": again_table(found), "causes": causes_table(found), "checks": checks}


def again_table(found: Estimates) -> pd.DataFrame:
    """The blog's unit. LC-PFN, as printed, has its own: no noise, mean per point."""
    per_point = found.get(CLEAN) and found[CLEAN].times(1 / STEPS)
    kept = {model: in_cell(found.get((model, "off"))) for model in TABLE}
    kept["lcpfn"] = in_cell(per_point, ".4f")
    return pd.DataFrame([
        {"model": label, "as printed": f"{printed(model, 'mean'):.4f}" if model in kept else "–",
         "with its faults": kept.get(model, "–"),
         "repaired": in_cell(found.get((f"{model}-mended" if model in TABLE else model, "noisy")))}
        for model, label in LABELS.items()
    ])  # fmt: skip


def causes_table(found: Estimates) -> pd.DataFrame:
    """Each cause: what the score is after it and what it added, in order; and what it adds alone."""
    nothing = {"score": "–", "added in this order": "–", "added alone": "–"}
    lines: dict[str, dict[str, str]] = {}
    for cause, value, added in scores.in_order(found):
        score = f"{value:.4f}" if value < 0.01 else f"{value:.2f}"
        lines[cause] = nothing | {"score": score, "added in this order": in_cell(added, "+.2f", "–")}
    for cause, pair in ALONE.items():
        lines[cause] = lines.get(cause, nothing) | {"added alone": in_cell(found.get(pair), "+.2f")}
    return pd.DataFrame([{"cause": cause} | shown for cause, shown in lines.items()])


def checks_table(checks: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for check, mine in checks.groupby("check", sort=False):
        of, cell = mine.set_index("program"), {"check": tidy(CHECKS.get(str(check), str(check)))}
        cell["should be"] = mine["wanted"].iloc[0]
        for program, title in PROGRAMS.items():
            cell[title] = f"{of.loc[program, 'value']:.2g} {'✓' if of.loc[program, 'passes'] else '✗'}"
        lines.append(cell)
    return pd.DataFrame(lines)
