"""What is asked: against the printed networks, against the exact posterior, and against the recipe before."""

import math

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Claim
from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows, where
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds
from reproduce.reproduction._printed_scores import from_printed
from reproduce.reproduction.two_cores import rungs
from reproduce.reproduction.two_cores.at_twice_the_effort import LOSES_MOST
from reproduce.reproduction.two_cores.networks import AHEAD, BEFORE, LADDER, LONGEST, NETWORKS, Trained


def against_print(rows: Rows, networks: dict[str, Trained], cutoffs: tuple[int, ...]) -> list[Claim]:
    stated = []
    for name in (n for n, one in NETWORKS.items() if one.printed):
        one = NETWORKS[name]
        who = f"our {one.size} network, trained on {one.train.curves:,} curves,"
        for c in cutoffs:
            verb = "come close to" if one.near else "reach"
            asks = f"Does {who} {verb} the printed {one.printed} with {c} % of the epochs observed?"
            found = _above(rows, name, one.printed, c) if name in networks else None
            needs = AtLeast(-one.near or 0.0)
            stated.append(Claim(f"{name}_{one.printed.lower()}_at_{c}", asks, found, needs, "nats per point"))
        seconds = (
            where(rows["training"], network=name)["seconds"] if name in networks else pd.Series(dtype=float)
        )
        asks = f"Does {who} stay within its time limit on two cores?"
        took = Interval.of_mean(seconds) or Interval.exactly(seconds.iloc[0] if len(seconds) else None)
        stated.append(Claim(f"{name}_is_enough", asks, took, AtMost(one.seconds), "s"))
    return stated


def _above(rows: Rows, name: str, printed: str, cutoff: int) -> Interval | None:
    """Its trainings' mean above what is printed; the interval counts both test sets and the variation between seeds."""
    mine = where(rows["rows"], network=name, cutoff=cutoff)
    if mine.empty or rows["luck"].empty:
        return None
    own = Interval.of_mean(mine["ll_even"])  # of several seeds; for one it comes from other trainings
    luck = own.half if own else _luck_of_seeds.half_width(rows["luck"], cutoff)
    theirs = float(log_likelihood(printed, cutoff) or math.nan)
    return from_printed(mine.mean(numeric_only=True), theirs, luck=luck)


def against_bayes(rows: Rows, networks: dict[str, Trained]) -> list[Claim]:
    one, stated = NETWORKS["hour"], []
    near = f"does this {one.size} network, trained on {one.train.curves:,} curves, score very close to the exact posterior"
    for c, most in LOSES_MOST.items():
        lost = where(rows["lost"], cutoff=c)
        lost = lost[lost["network"].str.fullmatch("hour(-[0-9]+)?")].pivot_table(
            index="network", columns="curve", values="lost"
        )
        usual = Interval.of_seeds_and_curves(lost) or Interval.of_mean(lost.mean())
        for name, asks, found in (
            ("hour_loses", f"{near}?", usual),
            ("hour_loses_by_more_effort", f"{near} when that is computed with twice the prior curves and steps?",
             _of_one_seed(where(rows["again"], cutoff=c)["lost"], lost.mean(axis=1))),
        ):  # fmt: skip
            stated.append(
                Claim(f"{name}_at_{c}", f"After {c} epochs, {asks}", found, AtMost(most), "nats per point")
            )
    return stated


def _of_one_seed(lost: pd.Series, of_seeds: pd.Series) -> Interval | None:
    """What one network lost on curves; the interval counts how others scatter, where there are others."""
    found = Interval.of_mean(lost)
    if found is None or len(of_seeds) < 2:
        return found
    return Interval.around(found.value, math.hypot(found.half, student(len(of_seeds)) * of_seeds.std()))


def longer_pays(rows: Rows) -> list[Claim]:
    stated = []
    for c in rungs.LAWFUL:
        asks = (
            "Do ten times the curves bring a 3 × 128 network, trained with lent endings (drawn from the posterior), much "
            f"closer to the exact posterior after {c} epochs?"
        )
        found = rungs.law(rows["lost"], [*LADDER], c, AHEAD)
        stated.append(Claim(f"ten_times_the_curves_at_{c}", asks, found and found.ten_times, Above(1.5), "×"))
    return stated


def predicted(rows: Rows) -> list[Claim]:
    """The longest training beside the power law of the shorter ones."""
    stated = []
    for c in rungs.LAWFUL:
        asks = (
            f"After {c} epochs, does a power law through three shorter trainings predict, up to a moderate factor, how far "
            f"a 3 × 128 network trained on {LONGEST:,} curves is below the exact posterior?"
        )
        found = rungs.law(rows["lost"], [*LADDER], c, AHEAD)
        stated.append(Claim(f"law_foretells_at_{c}", asks, found and found.off, AtMost(1.5), "×"))
    return stated


def curves_saved(rows: Rows) -> list[Claim]:
    """Compared with the longest training of the recipe before, in exact_bayes."""
    stated, longest = [], max(BEFORE.values())
    for c in (10, 20, 40):
        asks = (
            f"After {c} epochs, do these single trainings with lent endings (drawn from the posterior) need far fewer curves "
            f"to match this network, trained on {longest:,} curves by the recipe before?"
        )
        found = rungs.saved(rows["lost"], [*BEFORE], [*LADDER], c)
        stated.append(Claim(f"fewer_curves_at_{c}", asks, found, Above(2), "×"))
    return stated
