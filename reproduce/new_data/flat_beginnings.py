"""Do runs that have not moved yet start to learn, and do forecasts of them fail?

A beginning is called flat if the package warns that the run has hardly moved yet. Whether it learns later is seen at its end.
The thresholds of this warning were chosen on the tuning set, with the alarms on runs that go on to learn in view.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from curvecast.forecasting import shipped
from curvecast.forecasting.doubts import flat
from curvecast.forecasting.passes import Beginning, ask
from reproduce._press.claim import AtMost, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.real_curve import SHARES, Trial

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
TABLES = {"rows": ("row", "curve", "group", "seen", "flat", "learns", "in90")}
TOLERANCES = {"rows.in90": (0.02, "a point near the end of an interval may fall on either side of it")}
POINTS = 3  # of a beginning, at least: with fewer nothing is called flat


@dataclass(frozen=True)
class Config:
    side: str = TEST  # TUNING while something is chosen
    curves: int = 180  # of a benchmark, at most


SCALES = {"smoke": Config(curves=2), "laptop": Config(curves=120), "paper": Config()}


def measure(config: Config, part: str) -> pd.DataFrame:
    return pd.concat([_of_row(config, row) for row in ROWS], ignore_index=True)


def _of_row(config: Config, row: str) -> pd.DataFrame:
    """A line for each beginning: is it flat, does the run learn, and what does the released model's 90 % interval cover?"""
    some = chosen(row, config.side, config.curves, 0)
    asked = [
        (number, share, one.trial.cutoff(share))
        for share in SHARES
        for number, one in enumerate(some)
        if POINTS <= one.trial.cutoff(share) < len(one.trial.values)
    ]
    told = ask(shipped.load()[0], [_beginning(some[number].trial, cutoff) for number, _, cutoff in asked])
    lines = []
    for (number, share, cutoff), forecast in zip(asked, told, strict=True):
        later = some[number].trial.seen[cutoff:]
        covered = (later >= forecast.quantile(0.05)) & (later <= forecast.quantile(0.95))
        still = flat(some[number].trial.seen[:cutoff])
        about = (row, number, some[number].curve.group, share)
        lines.append((*about, int(still), int(some[number].trial.learns()), float(covered.mean())))
    return pd.DataFrame(lines, columns=list(TABLES["rows"]))


def _beginning(trial: Trial, cutoff: int) -> Beginning:
    ahead = np.arange(cutoff + 1.0, len(trial.values) + 1)
    return Beginning(np.arange(1.0, cutoff + 1), trial.seen[:cutoff], ahead)


def estimates(rows: pd.DataFrame) -> dict[str, Interval | None]:
    """Shares and coverages over all beginnings, with intervals over groups of curves."""
    own = {name: rows[(rows["learns"] == learns) & (rows["flat"] == still)]
           for name, learns, still in (("late", 1, 1), ("learning", 1, 0), ("never", 0, 1), ("neither", 0, 0))}  # fmt: skip
    learners, still = pd.concat([own["late"], own["learning"]]), pd.concat([own["late"], own["never"]])
    return {
        "alarms": _mean(learners, "flat"), "learn": _mean(still, "learns"),
        "late": _mean(own["late"], "in90"), "learning": _mean(own["learning"], "in90"), "never": _mean(own["never"], "in90"),
    }  # fmt: skip


def _mean(rows: pd.DataFrame, value: str) -> Interval | None:
    if not len(rows):
        return None
    found = Interval.over_clusters(rows[value].astype(float), rows["row"] + "/" + rows["group"])
    return found and found.of_share()


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    return {}


def tabulate(rows: pd.DataFrame) -> Rows:
    lines = []
    for row, about in ROWS.items():
        if not len(own := rows[rows["row"] == row]):
            continue
        learns, still = own["learns"] == 1, own["flat"] == 1
        lines.append({
            "benchmark": about.title, "beginnings": f"{len(own)}", "flat": f"{still.sum()}",
            "flat, of runs that learn": f"{(still & learns).sum()} of {learns.sum()}",
            "their coverage, %": f"{100 * own[still & learns]['in90'].mean():.0f}" if (still & learns).any() else "–",
            "coverage of other beginnings, %": f"{100 * own[~still]['in90'].mean():.0f}" if (~still).any() else "–",
        })  # fmt: skip
    return {"flat": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    found, honest = estimates(rows), Between(0.85, 0.95)
    return [
        Claim("rarely_of_runs_that_learn", "Does the package rarely say of a run that goes on to learn that it has hardly "
              "moved yet?", found["alarms"], AtMost(0.1), "%"),
        Claim("rarely_learn", "Do runs of which the package says that they have hardly moved yet rarely go on to learn?",
              found["learn"], AtMost(0.5), "%"),
        Claim("late_starts_are_covered", "Where a run has hardly moved yet, but goes on to learn: is the coverage of the "
              "90 % interval right?", found["late"], honest, "%"),
        Claim("others_are_covered", "Where a run has moved and goes on to learn: is the coverage of the 90 % interval right?",
              found["learning"], honest, "%"),
    ]  # fmt: skip
