"""From rows to numbers: means with intervals, and differences on the same curves.

An interval counts two kinds of variation: sampling variation of the curves, and seed-to-seed variation by Student's t, since
seeds are few. What was trained once has no interval; for what is not trained at all, only the curves vary.
"""

import math
from functools import cache

import numpy as np
import pandas as pd

from reproduce._press.contract import ROOT
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval, student
from reproduce.porting.porting.old_scores import STEPS

LABELS = {
    "lcpfn": "LC-PFN", "large": "large, teacher forcing", "small": "small, teacher forcing",
    "small-free": "small, free-running", "small-free-euclidean": "small, free-running, Euclidean",
    "small-mended": "decoder, teacher forcing", "small-free-mended": "decoder, free-running",
    "only-detached": "decoder, free-running, no gradient",
    "one-shot": "encoder, one-shot", "encoder-decoder": "encoder and decoder, teacher forcing",
    "last-value": "last value", "mean-of-five": "mean of the last five", "prior-mean": "mean of all curves",
    "rule-1": "linear, 1 value", "rule-3": "linear, 3 values", "rule-5": "linear, 5 values", "rule-15": "linear, 15 values",
    "rule-direct": "linear, 15 values, direct", "rule-1-direct": "linear, 1 value, direct",
    "pow3": "pow3, least squares", "pow4": "pow4, least squares",
}  # fmt: skip
RULES = ("rule-1", "rule-1-direct", "rule-3", "rule-5", "rule-15", "rule-direct")
ELSEWHERE = ("lcpfn", "lcpfn-clean")  # trained once, by another question
UNTRAINED = ("last-value", "mean-of-five", "prior-mean", "pow3", "pow4", *RULES, *ELSEWHERE)
COLUMNS = ("off", "noisy", "clean", "near", "far")
GROUP = 5  # curves that the ports forecast together

Which = tuple[str, str]  # model and column
MENDED = ("small-mended", "noisy")
ASKS = "Does {} alone raise the squared error of a port without other faults?"
ALONE = {  # end of the claim's name: (the cause, what is asked, a model with it alone, the same without it)
    "noise_for_lc_pfn": ("noisy points", "Do noisy points raise the squared error of LC-PFN?",
                         ("lcpfn", "noisy"), ("lcpfn-clean", "clean")),
    "small_instead_of_large": ("a small network", ASKS.format("a small network"), MENDED, ("large-mended", "noisy")),
    "the_same_few_curves": ("the same few curves", ASKS.format("training on the same few curves"),
                            ("only-data", "noisy"), MENDED),
    "dropout": ("dropout", ASKS.format("dropout"), ("only-dropout", "noisy"), MENDED),
    "attention_over_curves": ("attention over curves", ASKS.format("attention over the curves of a batch"),
                              ("only-axis", "noisy"), MENDED),
    "code_numbers_curves": ("encoding numbers the curves", ASKS.format("an encoding that numbers the curves of a batch"),
                            ("only-place", "noisy"), MENDED),
    "euclidean_code": ("Euclidean encoding", ASKS.format("a Euclidean encoding"), ("only-euclidean", "noisy"), MENDED),
    "no_gradient_through_own_forecasts": ("no gradient through its forecasts",
                                          ASKS.format("training without a gradient through its own forecasts"),
                                          ("only-detached", "noisy"), ("small-free-mended", "noisy")),
    "scored_one_epoch_off": ("scored one epoch off", ASKS.format("scoring one epoch off"), ("small-mended", "off"), MENDED),
}  # fmt: skip
WAY = {  # from LC-PFN to the last column of the blog's table, cause by cause
    "noisy points": ("lcpfn", "noisy"),
    "a short training, step by step": ("large-mended", "noisy"),
    "a small network": ("small-mended", "noisy"),
    "the same few curves": ("only-data", "noisy"),
    "dropout": ("down-dropout", "noisy"),
    "attention over curves": ("down-axis", "noisy"),
    "encoding numbers the curves": ("small", "noisy"),
    "trained on its own forecasts": ("small-free", "noisy"),
    "Euclidean encoding": ("small-free-euclidean", "noisy"),
    "scored one epoch off": ("small-free-euclidean", "off"),
}


@cache
def printed(model: str, column: str) -> float:
    """What the student blog prints: "mean" or "sd"."""
    table = pd.read_csv(ROOT / "reproduce" / "printed" / "printed_ports.csv").set_index("model")
    return float(table.loc["LC-PFN" if model == "lcpfn" else model, column])


Scores = dict[Which, pd.DataFrame]  # one row a curve, one column a seed


def scores(each: pd.DataFrame) -> Scores:
    """Squared errors per point."""
    return {
        (str(model), column): own.pivot(index="curve", columns="seed", values=column)
        for model, own in each.groupby("model", sort=False)
        for column in COLUMNS
    }


def means(scored: Scores) -> Estimates:
    return {which: interval(values, which[0] in UNTRAINED) for which, values in scored.items()}


def summed(found: Estimates) -> Estimates:
    """In the unit of the blog: a sum over its steps."""
    return {which: one.times(STEPS) for which, one in found.items()}


def difference(scored: Scores, one: Which, other: Which, factor: float = STEPS) -> Interval | None:
    """One minus other, on the same curves, seed by seed where both have seeds; in the blog's unit, summed over steps."""
    if one not in scored or other not in scored:
        return None
    mine, yours, still = scored[one], scored[other], [model in UNTRAINED for model, _ in (one, other)]
    if still[1]:
        apart = mine.sub(yours[0], axis=0)
    elif still[0]:
        apart = yours.rsub(mine[0], axis=0)
    else:
        apart = (mine - yours).dropna(axis=1, how="all")  # seeds that both have
    return interval(apart, all(still)).times(factor) if apart.size else None


def interval(values: pd.DataFrame, still: bool) -> Interval:
    """Mean over curves and seeds; its half width is NaN where seed-to-seed variation is unknown."""
    by_curve, by_seed = values.mean(axis=1), values.mean(axis=0)
    # a port with its faults mixes the curves of a group
    by_group = by_curve.groupby(np.arange(len(by_curve)) // GROUP).mean()
    curves, seeds = 1.96 * by_group.sem(), student(len(by_seed)) * by_seed.sem()
    return Interval.around(float(by_seed.mean()), curves if still else math.hypot(curves, seeds))


def in_order(scored: Scores, found: Estimates) -> list[tuple[str, float, Interval | None]]:
    """Each step of the waterfall: cause, score in the blog's unit after it, and what it added; none without LC-PFN."""
    before = ("lcpfn-clean", "clean")
    if before not in found:
        return []
    per_point = found[before].value
    steps: list[tuple[str, float, Interval | None]] = [
        ("LC-PFN, mean per point, no noise", per_point, None),
        (f"summed over {STEPS} steps", STEPS * per_point, None),
    ]
    for cause, which in WAY.items():
        if which in found:
            steps.append((cause, STEPS * found[which].value, difference(scored, which, before)))
            before = which
    return steps
