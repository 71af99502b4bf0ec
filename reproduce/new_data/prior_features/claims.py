"""What is asked about the new prior: what it improves, what it costs, and which of its properties matter."""

import math

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows, where
from reproduce.new_data._chosen import ROWS
from reproduce.new_data.prior_features import beside
from reproduce.new_data.prior_features.beside import over_rows, over_seeds
from reproduce.new_data.prior_features.pictures import MOST, SHOWN, price
from reproduce.new_data.prior_features.variants import SEEDS, WITHOUT

EXCLUDED = "pythia"  # shown, not counted


def claims(rows: Rows) -> list[Claim]:
    found = beside.each(rows)
    return [
        *(Claim(f"price_{cutoff}", f"On the paper’s curves with {cutoff} epochs observed, is the cost of the new prior "
                "within the limit that we set, at an equal training budget?",
                _mean_over_seeds(rows, cutoff), AtMost(MOST), "nats per point") for cutoff in SHOWN),
        Claim("buys", "On real curves, is the CRPS of the network of the paper’s prior larger than that of the new "
              "prior’s network, with equal weight for each benchmark?", over_seeds(found, "old"), Above(1), "×"),
        Claim("buys_everywhere", "Is the CRPS of the new prior’s network lower than that of the paper’s prior on every "
              "benchmark?", _rows_won(found, "old"), AtLeast(9)),
        Claim("holds_new", "Is the mean coverage of the new prior’s 90 % interval close to nominal, with a small "
              "network, 10 to 40 % observed and excluding Pythia?", _mean_held(rows, "new"), Between(0.88, 0.94), "%"),
        Claim("holds_old", "Is the mean coverage of the 90 % interval under the paper’s prior close to nominal, with a "
              "small network, 10 to 40 % observed and excluding Pythia?", _mean_held(rows, "old"), AtLeast(0.88), "%"),
        Claim("mixture", "On real curves, is the CRPS with the simulator alone at least about as large as that of the "
              "mixture with the paper’s prior?", over_seeds(found, "laws-alone"), AtLeast(0.97), "×"),
        Claim("mixture_saves", "On the paper’s curves with 20 epochs observed, does the mixture score higher than the "
              "simulator alone?", price(rows, "laws-alone", 20, "new"), Above(0), "nats per point"),
        Claim("units_real", "On real curves, is the CRPS without per-curve scaling larger than with it?",
              over_seeds(found, "new-epochs"), Above(1), "×"),
        Claim("units_own", "On the paper’s curves with 20 epochs observed, does per-curve scaling raise the "
              "log-likelihood, or lower it only slightly?", _units(rows), AtLeast(-0.02), "nats per point"),
        Claim("laws_that_pay", "Does leaving out a property of the simulator raise the CRPS by more than seed-to-seed "
              "variation for most of the thirteen properties?", _paying(found), AtLeast(7)),
        Claim("other_sources", "On real curves, is the CRPS of a network trained on real curves of the other sources "
              "larger than that of the new prior’s network?", over_seeds(found, "measured"), Above(1), "×"),
    ]  # fmt: skip


def _mean_over_seeds(rows: Rows, cutoff: int) -> Interval | None:
    """Over curves and seeds: all seeds are scored on the same curves, so their mean keeps the sampling error."""
    found = [price(rows, name, cutoff) for name in (beside.BASE, *SEEDS)]
    there = [one for one in found if one is not None]
    if len(there) < len(found):
        return None
    values, of_curves = pd.Series([one.value for one in there]), max(one.half for one in there)
    of_seeds = student(len(there)) * float(values.sem())
    return Interval.around(float(values.mean()), math.hypot(of_curves, of_seeds))


def _units(rows: Rows) -> Interval | None:
    """One training each: how much another seed moves is known of the new prior's network."""
    told, seeds = price(rows, "old-epochs", 20), [price(rows, name, 20) for name in (beside.BASE, *SEEDS)]
    values = pd.Series([one.value for one in seeds if one])
    if told is None or len(values) < len(seeds):
        return None
    return Interval.around(
        told.value, math.hypot(told.half, math.sqrt(2) * student(len(values)) * float(values.std()))
    )


def held(rows: Rows, method: str) -> pd.Series:
    """Coverage of the 90 % interval, by benchmark and share observed."""
    return where(rows["rows"], method=method).groupby(["row", "seen"])["in90"].mean()


def _mean_held(rows: Rows, method: str) -> Interval | None:
    """None unless all cells were measured."""
    if "rows" not in rows:
        return None
    own = held(rows, method).drop(EXCLUDED, level="row", errors="ignore")
    return Interval.exactly(float(own.mean())) if len(own) == 3 * (len(ROWS) - 1) else None


def _rows_won(found: pd.DataFrame, method: str) -> Interval | None:
    by = where(found, method=method).groupby("row")["log"].mean()
    return Interval.exactly(float((by > 0).sum())) if len(by) == len(ROWS) else None


def _paying(found: pd.DataFrame) -> Interval | None:
    """None unless each property was left out once, and other seeds were trained."""
    moved, costs = beside.luck(found), [over_rows(found, name) for name in WITHOUT]
    known = [cost.value for cost in costs if cost]
    if moved is None or len(known) < len(WITHOUT):
        return None
    return Interval.exactly(float(sum(value > moved for value in known)))
