"""Why did the ports of the student blog score 1.9 to 3.5 where LC-PFN scored 0.0002?"""

from dataclasses import dataclass, field, replace

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Below, Between, Claim, Estimates, Interval, Rows, in_cell, where
from presswork.claim_text import tidy
from presswork.estimates import grouped
from presswork.style import colour, faint, line
from reproduce.porting.porting import checks, old_port, scores
from reproduce.porting.porting.old_port import TABLE, Length
from reproduce.porting.porting.scores import ALONE, CLEAN, LAST, STEPS, Scores, printed
from reproduce.trainings import SMALL, TINY

CUTOFF = 15  # of the student blog
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


@dataclass(frozen=True)
class Config:
    lcpfn: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    length: Length = Length()
    models: tuple[str, ...] = old_port.LAPTOP
    seeds: int = 3
    curves: int = 300  # of THE test set, the first ones
    group: int = 5  # curves that the old ports are tested on together
    compared: int = 20  # curves on which the port in stock layers and our network are compared
    by_heart: int = 200  # steps to learn one batch


SCALES = {
    "smoke": Config(TINY["1x16"], Length(64, 4, 1, 1, 1), old_port.ALL, 1, curves=20, compared=2, by_heart=2),
    "laptop": Config(seeds=2, curves=200),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(length=Length(2560, 8, 1200, 32, 60), models=old_port.ALL, curves=1000),
}
TABLES = {
    "equal": ("network", "norm", "cutoff", "difference", "largest", "parameters"),
    "seen": ("network", "view", "row", "column", "value"),
    "checks": ("program", "check", "value", "wanted", "passes"),
    "each": ("curve", "off", "noisy", "model", "seed"),
}


# what is quick first, then a training each, all models of one seed before the next seed
PARTS = ("equal", "seen", "checks", "simple", "{model}-{seed}")


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.lcpfn] if part in ("simple", "checks") else []


def measure(config: Config, part: str, model: str, seed: int) -> Rows:
    if part == "equal":
        return {"equal": checks.compare(config.compared)}
    if part == "seen":
        return {"seen": checks.seen(CUTOFF)}
    curves = prior.test_set(config.curves)
    if part == "checks":
        return {"checks": checks.run(trained(config.lcpfn).model, curves, CUTOFF, config.by_heart)}
    if part == "simple":
        return {"each": scores.simple(trained(config.lcpfn), curves, CUTOFF)}
    course = replace(old_port.course(model, config.length), seed=seed)
    told = old_port.forecast(old_port.train(course), curves.noisy[:, :CUTOFF], config.group)
    return {"each": scores.per_curve(model, told, curves).assign(seed=seed)}


def estimates(rows: Rows) -> Estimates:
    """{norm: largest difference of a logit; program: checks passed; (network, "own" or "others"): on how many points of its
    own curve, the third of a batch, and on how many of others a forecast depends}, and what `scores` finds."""
    seen = where(rows["seen"], view="whole batch")
    whose = seen["row"].map(lambda row: "own" if row == 2 else "others")
    lit = seen.assign(whose=whose, lit=seen["value"] > 0)
    return (
        grouped(rows["equal"], "norm", lambda own: Interval.exactly(float(own["difference"].max())))
        | grouped(rows["checks"], "program", lambda own: Interval.exactly(float(own["passes"].sum())))
        | grouped(lit, ["network", "whose"], lambda own: Interval.exactly(float(own["lit"].sum())))
        | scores.estimates(rows["each"])
    )


# ---------------------------------------------------------------------------------------------------- shown


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


def claims(rows: Rows) -> list[Claim]:
    """What was not measured, or trained with one seed only, has no answer. The unit is that of the blog; of ports a few each,
    since the others stand in the table. Connections are those of the forecast after fifteen points."""
    every = rows["checks"]["check"].nunique()
    places = {"post": "after the layers, as in the paper", "pre": "before the layers"}
    alone = "Does {} alone raise the squared error of a port without other faults?"
    return [
        *(Claim(f"same_logits_{norm}", f"With the norm {place}, does our port in stock layers give the logits of our "
                "network, up to rounding?", norm, Below(0.00001)) for norm, place in places.items()),
        Claim("old_sees_own", "Does a forecast of the rebuilt port depend on more than one point of its own curve?",
              ("old port", "own"), Above(1)),
        Claim("old_sees_others", "Is a forecast of the rebuilt port independent of the other curves in its batch?",
              ("old port", "others"), AtMost(0)),
        Claim("mended_sees_own", "Does a forecast of the repaired port depend on all observed points of its own curve?",
              ("mended", "own"), AtLeast(15)),
        Claim("ours_passes", "Does our network pass all of our checks for a broken forecaster?",
              "ours", AtLeast(every)),
        Claim("old_fails", "Does the rebuilt port pass more than a few of our checks for a broken forecaster?",
              "old port", Above(2)),
        Claim("mended_passes", "Does the repaired port pass most of our checks for a broken forecaster?",
              "mended port", AtLeast(every - 2)),
        *(Claim(f"{named(model)}_again", f"Rebuilt with its faults, does {port(model)} score in the order of magnitude that "
                "is printed?", (model, "off"), Between(1, 7), "", printed(model, "mean"))
          for model in ("small-free", "small-free-euclidean")),
        *(Claim(f"{named(model)}_loses", f"Is the squared error of {port(model)}, rebuilt with its faults, no larger than "
                "that of repeating the last value?", ((model, "noisy"), LAST), AtMost(0))
          for model in ("large", "small-free")),
        Claim("large_mended_beats_last", f"Repaired, does {port('large')} have a smaller squared error than repeating the "
              "last value?", (LAST, ("large-mended", "noisy")), Above(0)),
        Claim("each_mended_beats_last", "Repaired, does each of the student blog’s four ports have a smaller squared error "
              "than repeating the last value?", "each_mended_beats_last", Above(0)),
        Claim("small_free_knows_nothing", f"Is the squared error of {port('small-free')}, rebuilt with its faults, clearly "
              "smaller than that of the mean of all curves?",
              (("small-free", "noisy"), ("prior-mean", "noisy")), AtMost(-0.5)),
        Claim("lcpfn_in_their_unit", "Is the squared error of LC-PFN, counted as the student blog counts its ports, far "
              "larger than printed?", ("lcpfn", "noisy"), Above(0.1)),
        Claim("memoryless_scores", "Run on its own forecasts, does the best linear rule that reads the last value alone "
              "score in the range of the student blog’s ports?", ("rule-1", "noisy"), Between(1.9, 3.5)),
        Claim("alone_noise_for_lc_pfn", "Do noisy points raise the squared error of LC-PFN?",
              ALONE["noisy points"], Above(0)),
        Claim("alone_dropout", alone.format("dropout"), ALONE["dropout"], Above(0)),
        Claim("alone_attention_over_curves", alone.format("attention over the curves of a batch"),
              ALONE["attention over curves"], Above(0)),
    ]  # fmt: skip


def port(model: str) -> str:
    return f"the student blog’s port “{LABELS[model]}”"


def named(model: str) -> str:
    return model.replace("-", "_")
