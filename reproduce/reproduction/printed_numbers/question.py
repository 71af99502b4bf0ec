"""Do the paper’s printed numbers agree with exact Bayes, with its code and with its own words?

For exact Bayes nothing is measured: committed rows are put together. On curves of the paper's prior it scores

    what a network scores on 10,000 test curves, sampling variation of these removed       (rows of two_cores)
    + how far it is below the posterior, curve by curve, on those that both have           (rows of two_cores)

and any other method of exact_bayes stands as far from the network. The network is the one that was trained for an hour: the
nearer it is to the posterior, the less the sum hangs on the curves that both have. A printed mean has the sampling
variation of its own 10,000 curves, which nobody can remove: `luck`, as large as ours was. Errors of the sum are added as if
independent; a network that does well on a curve is less far below on it, so they are too large rather than too small.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.scores import metrics
from curvecast.scores.metrics import Estimate
from curvecast.training.train import TrainConfig, trained
from presswork import AtMost, Between, Claim, Estimates, Interval, Rows, style, where
from presswork.estimates import table, those_of, with_errors
from presswork.intervals import named
from reproduce.pictures.panels import dots, panels
from reproduce.printed.numbers import HALF, log_likelihood
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.reproduction.printed_numbers import own_words, standard_errors
from reproduce.trainings import SMALL, TINY

PRINTED = ("P1", "P2", "P3", "M1", "M2", "M3")
OURS = {
    "hour": ("Hour, 3 × 128, 2.0M curves", "ours"),
    "3x128": ("Minutes, 3 × 128, 197k curves", "large"),
    "2x96": ("ours, 2 × 96, 60k curves", "medium"),
    "1x64": ("ours, 1 × 64, 60k curves", "small"),
    "paper": ("the paper’s recipe, 3 × 128, 100k curves", "paper"),
    "chains": ("M3, rebuilt by us", "mcmc"),
    "shipped": ("Release", "shipped"),
}
NEAR = AtMost(0.15)  # nats per point below the exact posterior, as in exact_bayes
LOST, LEVEL = "lost", "level"
DRAWN = 0.3  # nats per point: methods further below are in the table alone, or the others would overlap


@dataclass(frozen=True)
class Config:
    judged: str = "exact_bayes/paper"
    whole: str = "two_cores/paper"
    network: str = "hour"  # of the latter, and how far it is below the posterior
    shipped: str = "shipped/paper"  # where the released model forecast the first of the same curves
    model: TrainConfig = field(default_factory=lambda: SMALL["3x128"])  # whose standard errors are compared
    curves: int = 1000  # of THE test set, the first ones
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)
    printed_sd: float = 0.5**0.5  # of ln sigma, if ln sigma^2 ~ N(-8, variance 2)


SCALES = {
    "smoke": Config(model=TINY["1x16"], curves=40, cutoffs=(10, 80)),
    "laptop": Config(),
    "paper": Config(curves=10_000),
}
TABLES = {
    "bayes": ("method", "cutoff", "curves", "lost", "lost_se", "level", "level_se", "luck"),
    "errors": ("ln_sigma", ...),  # a mean and a square for each cutoff
    "normaliser": ("low", "high", "printed", "consistent"),
}
LABEL_FREE = dict.fromkeys(own_words.estimates(), "of numbers that the paper prints; nothing is measured")


def reads(config: Config) -> list[str]:
    return [config.judged, config.whole, config.shipped]


def measure(config: Config, read: dict[str, Rows]) -> Rows:
    """Of `bayes` a row for each method and cutoff: how far it is below the posterior, and its score on the paper's prior."""
    errors = standard_errors.measure(trained(config.model), config.curves, config.cutoffs)
    ships = where(read[config.shipped]["rows"], case="whole", method="shipped")
    below = where(read[config.whole]["lost"], network=config.network).assign(method=config.network)
    exact = where(read[config.judged]["rows"], method="exact").set_index(["cutoff", "curve"])["ll"]
    same = pd.MultiIndex.from_frame(below[["cutoff", "curve"]])
    below["ll"] = exact.reindex(same).to_numpy() - below["lost"]
    judged, rows = pd.concat([read[config.judged]["rows"], ships, below]), []
    # what another seed loses is kept under another name
    scored = where(read[config.whole]["rows"], network=config.network, seed=0)
    for _, whole in scored[scored["cutoff"].isin(CUTOFFS)].iterrows():
        each = judged[judged["cutoff"] == whole["cutoff"]].pivot(index="curve", columns="method", values="ll")
        if not {"exact", config.network} <= set(each):
            continue
        for method in [m for m in ("exact", *OURS) if m in each]:
            lost, above = _paired(each, "exact", method), _paired(each, method, config.network)
            rows.append({
                "method": method, "cutoff": int(whole["cutoff"]), "curves": int(each[method].count()),
                "lost": lost.value, "lost_se": lost.se, "level": whole["ll_even"] + above.value,
                "level_se": math.hypot(whole["ll_even_se"], above.se), "luck": whole["ll_se"],
            })  # fmt: skip
    return errors | {"bayes": pd.DataFrame(rows)}


def _paired(each: pd.DataFrame, one: str, other: str) -> Estimate:
    return metrics.estimate(torch.tensor((each[one] - each[other]).dropna().to_numpy()))


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(LOST, method, cutoff): nats per point below the exact posterior; (LEVEL, cutoff): its own score;
    (method, printed one, cutoff): how far a method of ours is above it}, and what `standard_errors` and `own_words` find."""
    bayes = rows["bayes"]
    levels = with_errors(where(bayes, method="exact"), "cutoff", "level")
    lost = with_errors(bayes.rename(columns={"curves": "n"}), ["method", "cutoff"], "lost")
    found = {(LEVEL, cutoff): one for cutoff, one in levels.items()}
    found |= {(LOST, *key): one for key, one in lost.items()} | above_printed(bayes)
    errors = standard_errors.estimates(rows["errors"], config.cutoffs, config.printed_sd)
    return found | errors | own_words.estimates()


def above_printed(rows: pd.DataFrame) -> Estimates:
    found = {}
    for _, own in rows[rows["method"].isin(["exact", "chains"])].iterrows():
        half, over = 1.96 * math.hypot(own["level_se"], own["luck"]) + HALF, named("curve", own["curves"])
        for printed in PRINTED:
            if (score := log_likelihood(printed, own["cutoff"])) is not None:
                key = own["method"], printed, own["cutoff"]
                found[key] = Interval.around(own["level"] - score, half, over)
    return found


# ---------------------------------------------------------------------------------------------------- shown


def lines(found: Estimates) -> list[tuple[str, str, bool, Estimates]]:
    """(name, colour, printed?, loss by cutoff), the smallest loss at the first cutoff first."""
    printed, ours = those_of(found, "exact"), those_of(found, LOST)
    colours = {m: "paper" if m[0] == "P" else "mcmc" for m in PRINTED}
    every = [(f"{m}, printed", colour, True, those_of(printed, m)) for m, colour in colours.items()]
    every += [(name, colour, False, those_of(ours, m)) for m, (name, colour) in OURS.items()]
    return sorted((one for one in every if one[3]), key=lambda one: next(iter(one[3].values())).value)


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    lost = {"lost": draw_lost(rows["bayes"], found)} if len(rows["bayes"]) else {}
    return lost | ({"errors": standard_errors.draw(found, config.cutoffs)} if len(rows["errors"]) else {})


def draw_lost(rows: pd.DataFrame, found: Estimates) -> Figure:
    """A line for each method, a panel for each cutoff; what is printed has open marks."""
    methods = [one for one in lines(found) if next(iter(one[3].values())).value < DRAWN]
    cutoffs = sorted(set(rows["cutoff"]))
    size = 9.4, 0.3 * len(methods) + 1.1
    figure, axes = panels([f"{cutoff} epochs observed" for cutoff in cutoffs], size, sharey=True, sharex=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        axis.axvline(0, color=style.colour("exact"), linewidth=1.5)
        for line, (_, colour, is_printed, losses) in enumerate(methods):
            marker, filled = ("D", "none") if is_printed else ("o", "full")
            line_style = {"marker": marker, "fillstyle": filled, "color": style.colour(colour)}
            if cutoff in losses:
                dots(axis, [(line, losses[cutoff])], markersize=5, linewidth=1.2, **line_style)
        axis.set_yticks(range(len(methods)))
        axis.grid(axis="y", visible=False)
    first = axes[0]
    first.set_yticklabels([name for name, *_ in methods])
    first.invert_yaxis()
    first.annotate(style.name("exact"), (0, 0.02), xycoords=("data", "axes fraction"), xytext=(5, 0),
                   textcoords="offset points", color=style.colour("exact"), fontsize=9)  # fmt: skip
    axes[len(cutoffs) // 2].set_xlabel("nats per point below the exact posterior (lower is better)")
    return figure


def tabulate(rows: Rows, found: Estimates, config: Config) -> Rows:
    columns, title = {c: f"{c} %" for c in sorted(set(rows["bayes"]["cutoff"]))}, "nats per point"
    below = {(name, cutoff): one for name, *_, losses in lines(found) for cutoff, one in losses.items()}
    names = {LEVEL: "exact posterior, log-likelihood"} | {name: f"{name}, below it" for name, _ in below}
    lost = {"lost": table(found | below, title, names, columns, ".3f", "…")}
    if not len(rows["errors"]):
        return lost
    slips = own_words.slips(found, rows["normaliser"], config.cutoffs[-1], config.printed_sd)
    return lost | {"errors": standard_errors.table(found, config.cutoffs), "slips": slips}


def claims(rows: Rows, found: Estimates, config: Config) -> list[Claim]:
    # what is nearer than the smallest step between neighbours of P1, P2, P3 as printed counts as the same here
    cutoffs, three = sorted(set(rows["bayes"]["cutoff"])), ("P1", "P2", "P3")
    scores = [[log_likelihood(p, c) or math.nan for p in three] for c in cutoffs]
    near = round(min(abs(a - b) for some in scores for a, b in pairwise(some)), 3)
    same, close = Between(-near, near), "score close to the exact posterior after 10 epochs?"
    bayes = "does P3, as printed, score about the same as the exact posterior?"
    rebuilt = "do our chains of the length of M3 score about the printed value of M3?"
    against_bayes = (
        ("p1_is_near_at_10", f"Does P1, as printed, {close}", ("exact", "P1", 10), NEAR),
        ("m3_is_near_at_10", f"Do the Markov chains M3, as printed, {close}", ("exact", "M3", 10), NEAR),
        ("shipped_is_near_at_10", f"Does the released model {close}", (LOST, "shipped", 10), NEAR),
        *((f"p3_is_bayes_at_{c}", f"After {c} epochs, {bayes}", ("exact", "P3", c), same) for c in (10, 80)),
        *((f"rebuilt_chains_are_m3_at_{c}", f"After {c} epochs, {rebuilt}", ("chains", "M3", c), same) for c in (10, 20)),
    )  # fmt: skip
    return [
        *(Claim(name, asks, key, needs, "nats per point") for name, asks, key, needs in against_bayes),
        *standard_errors.claims(config.cutoffs), *own_words.claims(found),
    ]  # fmt: skip
