"""Which rule is faster, and which ends with less regret. Intervals are over tasks."""

from dataclasses import replace

import numpy as np
import pandas as pd

from curvecast.scores.regret import times
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import printed
from reproduce.protocols.times_sooner import budget, ends, gain
from reproduce.reproduction._regret_of_goals import GOALS

CALLED = {
    "fine": "our stopping rule, checked after every epoch,",
    "coarse": "the rule checked four times",
    "best patience": "the best patience",
    "one epoch": "one-epoch screening",
    "last value": "the same rule with the last value as its forecast",
}


def claims(rows: dict[str, pd.DataFrame], resamples: int) -> list[Claim]:
    stated = [one for goal, title in GOALS.items() for one in _faster(rows["rows"], goal, title, resamples)]
    by_epoch = [Interval.of_many(mine["missed"]) for _, mine in rows["looks"].groupby("after")]
    missed = max(filter(None, by_epoch), key=lambda one: one.high)
    asks = (
        "Does our stopping rule find nearly the same reachable value, the highest that some later epoch likely enough "
        "exceeds, if it asks about a few later epochs instead of all?"
    )
    stated.append(Claim("few_looks_suffice", asks, missed, AtMost(0.001)))
    alone = rows["rows"]["task"].nunique() < 2  # one task has no interval
    return [replace(one, found=None) for one in stated] if alone else stated


def _faster(rows: pd.DataFrame, goal: str, title: str, resamples: int) -> list[Claim]:
    """The rule that is checked after every epoch, against no stopping and the other rules."""
    mine, ours, by = where(rows, goal=goal), CALLED["fine"], f"(regret {title})?"
    found, most = times(mine, resamples), budget(mine)
    found["best patience"] = np.minimum.reduce([found[m] for m in found if m.startswith("patience")])
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    asks = f"Does {ours} reach the smallest speed-up over never stopping that the paper prints {by}"
    stated = [Claim(f"{goal}_speed_up", asks, gain(found, "fine"), AtLeast(least), "×", least)]
    for rival in ("coarse", "best patience", "one epoch", "last value"):
        # a rival that never gets there counts as if it did with the last epoch
        ratio = Interval.of_resamples(np.minimum(found[rival], most) / found["fine"])
        name = {"coarse": "four_looks"}.get(rival, rival.removeprefix("best ").replace(" ", "_"))
        asks = f"Is {ours} faster than {CALLED[rival]} {by}"
        stated.append(Claim(f"{goal}_beats_{name}", asks, ratio, Above(1), "×"))
    left = ends(mine)
    harm = Interval.of_many(left["fine"] - left["no stopping"])
    asks = f"Does {ours} end with no more regret than never stopping {by}"
    return [*stated, Claim(f"{goal}_no_harm", asks, harm, AtMost(0)), *_ends(left, goal, title)]


def _ends(left: dict[str, pd.Series], goal: str, title: str) -> list[Claim]:
    """When the whole budget is spent, or all runs are stopped: which rule has less regret on the same tasks?"""
    stated = []
    for name, one, other in (
        ("fine_ends_below_coarse", "fine", "coarse"), ("coarse_ends_below_one_epoch", "coarse", "one epoch"),
        ("fine_ends_below_one_epoch", "fine", "one epoch"),
    ):  # fmt: skip
        gap = Interval.of_many(left[one] - left[other])
        asks = f"Does {CALLED[one]} end with less regret than {CALLED[other]} (regret {title})?"
        stated.append(Claim(f"{goal}_{name}", asks, gap, Below(0)))
    return stated
