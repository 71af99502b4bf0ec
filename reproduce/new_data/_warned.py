"""Does the warning come before a forecast fails? How unusual the observed points were, and the coverage afterwards.

A forecast fails badly if its 90 % interval covers less than half of the future points.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from curvecast.forecasting import belief, shipped
from curvecast.forecasting.doubts import RARE
from reproduce._press.claim import AtLeast, AtMost, Claim
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _scores_by_benchmark
from reproduce.new_data._scores_by_benchmark import OURS
from reproduce.protocols.real_curve import SHARES, Trial

CHANCES = ("row", "curve", "seen", "chance")  # share of the network's training curves that are as unusual
BADLY = 0.5  # coverage of the 90 % interval


def chances(trials: Sequence[Trial], row: str) -> pd.DataFrame:
    """Of each beginning of two points or more, of curves of a benchmark."""
    network, table = shipped.load()[:2]
    asked = [
        (curve, share, one.cutoff(share))
        for share in SHARES
        for curve, one in enumerate(trials)
        if one.cutoff(share) >= 2
    ]
    runs = [(np.arange(1.0, cutoff + 1), trials[curve].seen[:cutoff]) for curve, _, cutoff in asked]
    odd = belief.oddness(network, runs).tolist() if runs else []
    told = [
        (row, curve, share, float(f"{belief.in_prior(table, cutoff, score):.3g}"))
        for (curve, share, cutoff), score in zip(asked, odd, strict=True)
    ]
    return pd.DataFrame(told, columns=list(CHANCES))


def judged(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of the released model: did its interval fail badly, and was there a warning?"""
    own = where(_scores_by_benchmark.each(rows), method=OURS)
    both = own.merge(rows["warned"][list(CHANCES)], on=["row", "curve", "seen"])
    return both.assign(failed=both["in90"] < BADLY, warned=both["chance"] < RARE)


def estimates(rows: Rows) -> Estimates:
    """The share of forecasts that were warned of, among those that failed (True) and among the others."""
    return grouped(
        judged(rows),
        ["failed"],
        lambda own: Interval.over_clusters(own["warned"].astype(float), own["group"]),
    )


def tables(rows: Rows, titles: dict[str, str]) -> Rows:
    return {"warned": pd.DataFrame([
        {"benchmark": titles[row], "forecasts": f"{len(own)}", "that failed": f"{own['failed'].sum()}",
         "warned, of these": f"{own[own['failed']]['warned'].sum()}",
         "warned, of the others": f"{own[~own['failed']]['warned'].sum()}"}
        for row, own in judged(rows).groupby("row", sort=False)
    ])}  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    found = estimates(rows)
    return [
        Claim("warns_of_failures", "Does the warning catch most of the forecasts whose 90 % interval goes on to cover less "
              "than half of the future points?", found.get(True), AtLeast(0.5), "%"),
        Claim("false_alarms", "Is a warning rarely given for forecasts whose 90 % interval covers at least half of the "
              "future points?", found.get(False), AtMost(0.05), "%"),
    ]  # fmt: skip
