"""From rows to numbers: means with intervals, and differences on the same curves.

An interval counts two kinds of variation: sampling variation of the curves, and seed-to-seed variation by Student's t, since
seeds are few. What was trained once has no interval; for what is not trained at all, only the curves vary.
"""

import math

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval, student
from reproduce.porting.porting.old_scores import STEPS

RULES = ("rule-1", "rule-1-direct", "rule-3", "rule-5", "rule-15", "rule-direct")
ELSEWHERE = ("lcpfn", "lcpfn-clean")  # trained once, by another question
GROUP = 5  # curves that the ports forecast together
UNTRAINED = ("last-value", "mean-of-five", "prior-mean", "pow3", "pow4", *RULES, *ELSEWHERE)


def table(each: pd.DataFrame | None, model: str, column: str) -> pd.DataFrame | None:
    """One row a curve, one column a seed; None where nothing was measured."""
    if each is None or "model" not in each:
        return None
    mine = each[each["model"] == model]
    return mine.pivot(index="curve", columns="seed", values=column) if len(mine) else None


def mean(each: pd.DataFrame | None, model: str, column: str, factor: float = 1.0) -> Interval | None:
    found = table(each, model, column)
    return None if found is None else _interval(factor * found, model in UNTRAINED)


def difference(
    each: pd.DataFrame | None, one: tuple[str, str], other: tuple[str, str], factor: float = 1.0
) -> Interval | None:
    """Of two (model, column): one minus other, on the same curves, seed by seed where both have seeds."""
    a, b = table(each, *one), table(each, *other)
    if a is None or b is None:
        return None
    still = [model in UNTRAINED for model, _ in (one, other)]
    if still[0]:
        a = pd.DataFrame(dict.fromkeys(b.columns if not still[1] else [0], a[0]))
    elif still[1]:
        b = pd.DataFrame(dict.fromkeys(a.columns, b[0]))
    common = a.columns.intersection(b.columns)
    return _interval(factor * (a[common] - b[common]), all(still)) if len(common) else None


def _interval(values: pd.DataFrame, still: bool) -> Interval:
    """Mean over curves and seeds; its half width is NaN where seed-to-seed variation is unknown."""
    by_curve, by_seed = values.mean(axis=1), values.mean(axis=0)
    # a port with its faults mixes the curves of a group
    by_group = by_curve.groupby(np.arange(len(by_curve)) // GROUP).mean()
    half = 1.96 * by_group.sem()
    if not still:
        n = len(by_seed)
        luck = student(n) * by_seed.sem() if n > 1 else np.nan
        half = math.hypot(half, luck)
    return Interval.around(float(by_seed.mean()), half)


def steps(models: set[str]) -> list[tuple[str, str, str]]:
    """From LC-PFN to the last column of the blog's table: (cause, model, column), those that were measured."""
    way = [
        ("a short training, step by step", "large-mended", "noisy"),
        ("a small network", "small-mended", "noisy"),
        ("the same few curves", "only-data", "noisy"),
        ("dropout", "down-dropout", "noisy"),
        ("attention over curves", "down-axis", "noisy"),
        ("encoding numbers the curves", "small", "noisy"),
        ("trained on its own forecasts", "small-free", "noisy"),
        ("Euclidean encoding", "small-free-euclidean", "noisy"),
        ("scored one epoch off", "small-free-euclidean", "off"),
    ]
    return [step for step in way if step[1] in models]


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


def in_order(each: pd.DataFrame | None) -> list[tuple[str, float, Interval | None]]:
    """Each step of the waterfall: cause, score in the blog's unit after it, and what it added."""
    if each is None or "model" not in each or "lcpfn-clean" not in set(each["model"]):
        return []
    per_point, noisy = mean(each, "lcpfn-clean", "clean"), mean(each, "lcpfn", "noisy", STEPS)
    assert per_point is not None and noisy is not None
    value = per_point.value
    found: list[tuple[str, float, Interval | None]] = [
        ("LC-PFN, mean per point, no noise", value, None),
        (f"summed over {STEPS} steps", STEPS * value, None),
        ("noisy points", noisy.value, difference(each, ("lcpfn", "noisy"), ("lcpfn-clean", "clean"), STEPS)),
    ]
    before = ("lcpfn", "noisy")
    for cause, model, column in steps(set(each["model"])):
        now = mean(each, model, column, STEPS)
        assert now is not None
        found.append((cause, now.value, difference(each, (model, column), before, STEPS)))
        before = (model, column)
    return found
