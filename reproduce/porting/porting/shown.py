"""The blog's ports as figures and tables: printed, rebuilt, per point, cause by cause, by distance; checks and equality."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press.claim_text import tidy
from reproduce._press.estimates import Estimates, by_mean, cells, table
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.style import colour, faint, line
from reproduce._press.where import Rows, where
from reproduce.porting.porting import estimates
from reproduce.porting.porting.estimates import ALONE, LABELS, Scores, difference, printed
from reproduce.porting.porting.old_scores import STEPS
from reproduce.porting.porting.old_training import TABLE

UNTAUGHT = ("last-value", "mean-of-five", "prior-mean", "pow3", "pow4")
BY_DISTANCE = (
    "lcpfn", "one-shot", "encoder-decoder", "small-mended", "only-detached", "small-free-mended", "last-value",
)  # fmt: skip
BESIDE = 0.25  # rows between an interval and the dots of its seeds
HORIZON = {  # model: its colour in palette.py
    "rule-1": "rule 1", "last-value": "last", "small-mended": "decoder", "only-detached": "detached",
    "small-free-mended": "through", "encoder-decoder": "two stacks", "rule-15": "rule 15", "rule-direct": "rule direct",
    "one-shot": "one shot", "lcpfn": "ours",
}  # fmt: skip
PROGRAMS = {"ours": "our network", "mended port": "repaired port", "old port": "blog’s port"}
CHECKS = {  # those whose names in the rows need other words on a page
    "loss at the start above that of knowing nothing (nats; as a share)":
        "initial loss minus that of an uninformed forecast (our network: nats; ports: as a share of the variance)",
    "one batch learnt by heart: share left unexplained": "one batch overfitted: share of variance unexplained",
    "score of the true curve itself, times 1000": "error of a perfect forecast, times 1000",
}  # fmt: skip
TIMED = {"ours": "fast network", "stock layers": "port"}

# --------------------------------------------------------------------------------------------------------- figures


def draw(rows: Rows) -> dict[str, Figure]:
    """A part that was not measured is left out."""
    scored = estimates.scores(rows["each"])
    found = estimates.means(scored)
    made: dict[str, Figure] = {}
    if len(rows["seen"]):
        made = {"masks": draw_masks(rows["seen"]), "seen": draw_seen(rows["seen"])}
    if scored:
        made |= {"again": draw_again(scored, estimates.summed(found)), "horizon": draw_horizon(rows["ahead"])}
    if steps := estimates.in_order(scored, found):
        made["waterfall"] = draw_waterfall(steps)
    return made


def draw_masks(seen: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(1, 3, figsize=(8, 3.3))
    titles = {"full": "full: an encoder", "causal": "causal: a decoder", "pfn": "PFN: 5 points, 3 queries"}
    for axis, (kind, title) in zip(axes, titles.items(), strict=True):
        squares(axis, where(seen, network=kind, view="mask"))
        axis.set(title=title, xlabel="token that is read", aspect="equal")
        axis.set_xticks(range(8), range(1, 9))
        axis.set_yticks(range(8), range(1, 9))
    axes[0].set_ylabel("token that reads")
    return figure


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
    axis.set(
        xscale="log", xlabel=f"squared error, summed over {STEPS} steps (lower is better)", ylim=(3.6, -0.6)
    )
    axis.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["0.25", "0.5", "1", "2", "4", "8"], minor=False)
    axis.set_xticks([], minor=True)
    axis.grid(axis="y", visible=False)
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def draw_horizon(ahead: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots(figsize=(8, 4.8))
    for model, name in HORIZON.items():
        mine = where(ahead, model=model).groupby("ahead")["clean"].mean()
        if len(mine):
            axis.plot(mine.index, mine**0.5, **line(name, label=LABELS[model]))
    axis.set(xlabel="epochs after the fifteenth", ylabel="RMSE without noise (lower is better)", yscale="log")
    axis.set_yticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    axis.set_yticks([], minor=True)
    figure.legend(loc="outside upper center", ncols=2)
    return figure


# ---------------------------------------------------------------------------------------------------------- tables


def tabulate(rows: Rows) -> Rows:
    scored = estimates.scores(rows["each"])
    found = estimates.means(scored)
    columns = {"near": "first ten epochs", "clean": "all", "far": "last ten epochs"}
    lines = {model: LABELS[model] for model in BY_DISTANCE}
    return {
        "printed": printed_table(),
        "again": again_table(found),
        "honest": honest_table(found, rows["density"]),
        "causes": causes_table(scored, found),
        "distance": table(found, "squared error, × 1,000", lines, columns, ".2f", "…", 1000),
        "rules": rules_table(found),
        "checks": checks_table(rows["checks"]),
        "equal": equal_table(rows["equal"]),
        "times": times_table(rows["times"]),
    }


def printed_table() -> pd.DataFrame:
    lines = []
    for model in ("lcpfn", *TABLE):
        mean, steps = printed(model, "mean"), 1 if model == "lcpfn" else STEPS
        lines.append({
            "as printed": LABELS[model], "mean": f"{mean:.4f}", "standard deviation": f"{printed(model, 'sd'):.4g}",
            "counted over": "point" if model == "lcpfn" else f"{STEPS} steps", "per point": f"{mean / steps:.4f}",
        })  # fmt: skip
    return pd.DataFrame(lines)


def again_table(found: Estimates) -> pd.DataFrame:
    """The blog's unit. LC-PFN, as printed, has its own: no noise, mean per point."""
    summed = estimates.summed(found)
    kept = {model: in_cell(summed.get((model, "off"))) for model in TABLE}
    kept["lcpfn"] = in_cell(found.get(("lcpfn-clean", "clean")), ".4f")
    repaired = {model: model for model in ("lcpfn", *TABLE, *UNTAUGHT)}
    repaired |= {model: f"{model}-mended" for model in TABLE}
    return pd.DataFrame([
        {"model": LABELS[model], "as printed": f"{printed(model, 'mean'):.4f}" if model in kept else "–",
         "with its faults": kept.get(model, "–"), "repaired": in_cell(summed.get((mended, "noisy")))}
        for model, mended in repaired.items()
    ])  # fmt: skip


def honest_table(found: Estimates, density: pd.DataFrame) -> pd.DataFrame:
    """Squared error per point, times 1000; likelihood and coverage where there is a density."""
    names = {"lcpfn": LABELS["lcpfn"]} | {model: f"{LABELS[model]}, with its faults" for model in TABLE}
    names |= {f"{model}-mended": f"{LABELS[model]}, repaired" for model in TABLE}
    names |= {model: LABELS[model] for model in ("one-shot", "encoder-decoder", *UNTAUGHT)}
    errors = {"noisy": "against noisy points", "clean": "against the clean curve"}
    dense = {"ll": "nats per point", "cover90": "90 % coverage"}
    by_score = {score: by_mean(density, "model", score, Interval.of_many) for score in dense}
    scored = {(model, score): one for score, some in by_score.items() for model, one in some.items()}
    return pd.DataFrame([
        {"model": name} | cells(found, model, errors, ".2f", "…", 1000) | cells(scored, model, dense, ".3f")
        for model, name in names.items()
    ])  # fmt: skip


def causes_table(scored: Scores, found: Estimates) -> pd.DataFrame:
    """Each cause: what the score is after it and what it added, in order; and what it adds alone."""
    nothing = {"score": "–", "added in this order": "–", "added alone": "–"}
    lines: dict[str, dict[str, str]] = {}
    for cause, value, added in estimates.in_order(scored, found):
        score = f"{value:.4f}" if value < 0.01 else f"{value:.2f}"
        lines[cause] = nothing | {"score": score, "added in this order": in_cell(added, "+.2f", "–")}
    for cause, _, one, other in ALONE.values():
        alone = in_cell(difference(scored, one, other), "+.2f")
        lines[cause] = lines.get(cause, nothing) | {"added alone": alone}
    return pd.DataFrame([{"cause": cause} | shown for cause, shown in lines.items()])


def rules_table(found: Estimates) -> pd.DataFrame:
    """No training: least squares. In the blog's unit, and far from the last observed point."""
    return pd.DataFrame([
        {"rule": LABELS[model]}
        | cells(found, model, {"noisy": "blog’s unit"}, ".2f", "…", STEPS)
        | cells(found, model, {"far": "last ten epochs, × 1,000"}, ".2f", "…", 1000)
        for model in (*estimates.RULES, "last-value", "lcpfn")
    ])  # fmt: skip


def checks_table(checks: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for check, mine in checks.groupby("check", sort=False):
        of, cell = mine.set_index("program"), {"check": tidy(CHECKS.get(str(check), str(check)))}
        cell["should be"] = mine["wanted"].iloc[0]
        for program, title in PROGRAMS.items():
            cell[title] = f"{of.loc[program, 'value']:.2g} {'✓' if of.loc[program, 'passes'] else '✗'}"
        lines.append(cell)
    return pd.DataFrame(lines)


def equal_table(equal: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (network, norm), mine in equal.groupby(["network", "norm"], sort=False):
        place = "after the layers" if norm == "post" else "before the layers"
        apart = {f"{c} observed": f"{d:.1e}" for c, d in zip(mine["cutoff"], mine["difference"], strict=True)}
        lines.append({
            "network": f"{network}, norm {place}", "parameters": f"{mine['parameters'].iloc[0]:,.0f}",
            "largest logit": f"{mine['largest'].max():.1f}",
        } | apart)  # fmt: skip
    return pd.DataFrame(lines)


def times_table(times: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for what, both in times.groupby("what", sort=False):
        for program, seconds in both.groupby("program", sort=False)["value"]:
            ms = 1000 * seconds
            lines.append({
                "what": f"{what}, {TIMED[str(program)]}", "milliseconds, median": f"{ms.median():.1f}",
                "range": f"{ms.min():.1f} to {ms.max():.1f}", "rounds": f"{len(ms)}",
            })  # fmt: skip
    return pd.DataFrame(lines)
