"""Do warnings come before a forecast fails? How unusual the observed points were, and the coverage afterwards.

A forecast fails badly if its 90 % interval covers less than half of the future points. A beginning is called flat if the
package warns that the run has hardly moved yet. Whether it learns later is seen at its end. The thresholds of this warning
were chosen on the tuning set, with the alarms on runs that go on to learn in view.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from curvecast.forecasting import doubts, shipped, track_record
from curvecast.forecasting.doubts import RARE, flat
from curvecast.forecasting.passes import Beginning, ask
from presswork import AtLeast, AtMost, Between, Claim, Estimates, Interval, Rows, there, where
from reproduce.new_data import _scores
from reproduce.new_data._scores import OURS
from reproduce.protocols.benchmarks import Chosen
from reproduce.protocols.real_curve import SHARES, Trial

CHANCES = ("row", "curve", "seen", "chance")  # share of the network's training curves that are as unusual
FLAT = ("row", "curve", "group", "seen", "flat", "learns", "in90")
BADLY = 0.5  # coverage of the 90 % interval
POINTS = 3  # of a beginning, at least: with fewer nothing is called flat


def chances(trials: Sequence[Trial], row: str) -> pd.DataFrame:
    """Of each beginning of two points or more, of curves of a benchmark."""
    network, table = shipped.load()[:2]
    every = [(curve, share, one.cutoff(share)) for share in SHARES for curve, one in enumerate(trials)]
    asked = [one for one in every if one[2] >= 2]
    runs = [(np.arange(1.0, cutoff + 1), trials[curve].seen[:cutoff]) for curve, _, cutoff in asked]
    odd = doubts.oddness(track_record.scores(network, runs)).tolist()
    told = [
        (row, curve, share, float(f"{doubts.in_prior(table, cutoff, score):.3g}"))
        for (curve, share, cutoff), score in zip(asked, odd, strict=True)
    ]
    return pd.DataFrame(told, columns=list(CHANCES))


def flat_beginnings(some: Sequence[Chosen], row: str) -> pd.DataFrame:
    """A line for each beginning: is it flat, does the run learn, and what does the released model's 90 % interval cover?"""
    every = [(i, share, one.trial.cutoff(share)) for share in SHARES for i, one in enumerate(some)]
    asked = [(i, share, cut) for i, share, cut in every if POINTS <= cut < len(some[i].trial.values)]
    told = ask(shipped.load()[0], [_beginning(some[number].trial, cutoff) for number, _, cutoff in asked])
    lines = []
    for (number, share, cutoff), forecast in zip(asked, told, strict=True):
        later = some[number].trial.seen[cutoff:]
        covered = (later >= forecast.quantile(0.05)) & (later <= forecast.quantile(0.95))
        still = flat(some[number].trial.seen[:cutoff])
        about = (row, number, some[number].curve.group, share)
        lines.append((*about, int(still), int(some[number].trial.learns()), float(covered.mean())))
    return pd.DataFrame(lines, columns=list(FLAT))


def _beginning(trial: Trial, cutoff: int) -> Beginning:
    ahead = np.arange(cutoff + 1.0, len(trial.values) + 1)
    return Beginning(np.arange(1.0, cutoff + 1), trial.seen[:cutoff], ahead)


def judged(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of the released model: did its interval fail badly, and was there a warning?"""
    own = where(_scores.each(rows), method=OURS)
    both = own.merge(rows["warned"][list(CHANCES)], on=["row", "curve", "seen"])
    return both.assign(failed=both["in90"] < BADLY, warned=both["chance"] < RARE)


def estimates(rows: Rows) -> Estimates:
    """By the names of the claims."""
    begun = rows["flat"]
    return there({
        "warns_of_failures": share_over_sources(judged(rows), "warned", failed=1),
        "rarely_of_runs_that_learn": share_over_sources(begun, "flat", learns=1),
        "late_starts_are_covered": share_over_sources(begun, "in90", learns=1, flat=1),
    })  # fmt: skip


def share_over_sources(rows: pd.DataFrame, value: str, **which: int) -> Interval | None:
    """The mean over forecasts or beginnings of a benchmark, then over sources, which are what varies most."""
    by_row = where(rows, **which).groupby("row")[value].mean().astype(float)
    found = _scores.over_sources(by_row)
    return found and found.of_share()


def table(rows: Rows, titles: dict[str, str]) -> pd.DataFrame:
    """Both warnings by benchmark: of what is unlike the prior, and of runs that have hardly moved."""
    return pd.DataFrame([
        {"benchmark": titles[row], "forecasts": f"{len(own)}", "that failed": f"{own['failed'].sum()}",
         "warned, of these": f"{own[own['failed']]['warned'].sum()}",
         "warned, of the others": f"{own[~own['failed']]['warned'].sum()}"}
        | _of_flat(where(rows["flat"], row=row))
        for row, own in judged(rows).groupby("row", sort=False)
    ])  # fmt: skip


def _of_flat(own: pd.DataFrame) -> dict[str, str]:
    learns, still = own["learns"] == 1, own["flat"] == 1
    late = own[still & learns]
    return {
        "called flat, of runs that learn": f"{len(late)} of {learns.sum()}",
        "their coverage": f"{100 * late['in90'].mean():.0f} %" if len(late) else "–",
    }


def claims() -> list[Claim]:
    return [
        Claim("warns_of_failures", "Does the warning catch most of the forecasts whose 90 % interval goes on to cover less "
              "than half of the future points?", "warns_of_failures", AtLeast(0.5), "%"),
        Claim("rarely_of_runs_that_learn", "Does the package rarely say of a run that goes on to learn that it has hardly "
              "moved yet?", "rarely_of_runs_that_learn", AtMost(0.1), "%"),
        Claim("late_starts_are_covered", "Where a run has hardly moved yet, but goes on to learn: is the coverage of the "
              "90 % interval right?", "late_starts_are_covered", Between(0.85, 0.95), "%"),
    ]  # fmt: skip
