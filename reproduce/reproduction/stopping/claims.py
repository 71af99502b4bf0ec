"""Who is sooner, and who ends lower, as sentences that can fail. Intervals are over tasks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import torch

from curvecast.scores import metrics
from curvecast.scores.regret import times
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import printed
from reproduce.protocols.times_sooner import budget, ends, gain
from reproduce.reproduction._regret_of_goals import GOALS


def claims(rows: dict[str, pd.DataFrame], resamples: int) -> list[Claim]:
    stated = [one for goal, title in GOALS.items() for one in _faster(rows["rows"], goal, title, resamples)]
    by_epoch = [
        Interval.with_error(*metrics.estimate(torch.tensor(m["missed"].to_numpy())))
        for _, m in rows["looks"].groupby("after")
    ]
    missed = max(by_epoch, key=lambda one: one.high)
    sentence = (
        "Asking about a few later epochs, and not all, lowers the reach of a run by at most {most} on average, "
        "after as many epochs as make it worst: by {value:.5f}."
    )
    stated.append(claim("few_looks_suffice", sentence, missed, "<= 0.001"))
    alone = rows["rows"]["task"].nunique() < 2  # one task has no interval
    return [replace(one, low=None, high=None) for one in stated] if alone else stated


def _faster(rows: pd.DataFrame, goal: str, title: str, resamples: int) -> list[Claim]:
    """How looking after every epoch does against no stopping and its rivals."""
    mine = where(rows, goal=goal)
    found, most = times(mine, resamples), budget(mine)
    found["best patience"] = np.minimum.reduce([found[m] for m in found if m.startswith("patience")])
    rivals = {
        "four_looks": ("looking four times", "coarse"),
        "patience": ("the best patience", "best patience"),
        "one_epoch": ("one epoch for each run", "one epoch"),
        "last_value": ("the same rule with the last value for a forecast", "last value"),
    }
    it = f"Regret {title}: looking after every epoch"
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    sentence = it + " gets to where no stopping ends at least {least:g} times sooner: {value:.1f} times."
    stated = [claim(f"{goal}_speed_up", sentence, gain(found, "fine"), f">= {least:g}", least)]
    for name, (called, rival) in rivals.items():
        # a rival that never gets there counts as if it did with the last epoch
        ratio = Interval.of_resamples(np.minimum(found[rival], most) / found["fine"])
        sentence = f"{it} is faster than {called}: {{value:.2f}} times as fast."
        stated.append(claim(f"{goal}_beats_{name}", sentence, ratio, "> 1"))
    left = {method: torch.tensor(regret.to_numpy()) for method, regret in ends(mine).items()}
    harm = Interval.with_error(*metrics.paired(left["fine"], left["no stopping"]))
    sentence = it + " ends with no more regret than no stopping: a difference of {value:+.3f}."
    return [*stated, claim(f"{goal}_no_harm", sentence, harm, "<= 0"), *_ends(left, goal, title)]


def _ends(left: dict[str, torch.Tensor], goal: str, title: str) -> list[Claim]:
    """When the whole budget is spent, or all runs are stopped: who has less regret, on the same tasks?"""
    called = {
        "fine": "looking after every epoch", "coarse": "looking four times", "one epoch": "one epoch for each run",
    }  # fmt: skip
    stated = []
    for name, one, other in (
        ("fine_ends_below_coarse", "fine", "coarse"), ("coarse_ends_below_one_epoch", "coarse", "one epoch"),
        ("fine_ends_below_one_epoch", "fine", "one epoch"),
    ):  # fmt: skip
        gap = Interval.with_error(*metrics.paired(left[one], left[other]))
        sentence = (
            f"Regret {title}: at the end {called[one]} has less regret than {called[other]}: a difference of "
            f"{{value:+.3f}}."
        )
        stated.append(claim(f"{goal}_{name}", sentence, gap, "< 0"))
    return stated
