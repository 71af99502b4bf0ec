"""What is claimed: against what the paper prints, against exact Bayes, and against the recipe before."""

import math

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, measured, where
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds
from reproduce.reproduction._grid_rows import from_printed
from reproduce.reproduction.two_cores import at_twice_the_effort, rungs
from reproduce.reproduction.two_cores.at_twice_the_effort import LOSES_MOST
from reproduce.reproduction.two_cores.networks import AHEAD, BEFORE, LADDER, LONGEST, NETWORKS, Trained


def against_print(rows: Rows, networks: dict[str, Trained], cutoffs: tuple[int, ...]) -> list[Claim]:
    stated = []
    for name in (n for n, one in NETWORKS.items() if one.printed):
        one = NETWORKS[name]
        who = f"Our {one.size} network of {one.train.curves:,} curves"
        for c in cutoffs:
            how = "reaches" if not one.near else f"is at most {one.near} nats a point below"
            sentence = f"{who} {how} {one.printed} as printed with {c} % of the epochs seen: it is {{value:+.3f}} above it."
            found = _above(rows, name, one.printed, c) if name in networks else None
            stated.append(
                claim(f"{name}_{one.printed.lower()}_at_{c}", sentence, found, f">= {-one.near or 0.0:g}")
            )
        seconds = (
            where(rows["training"], network=name)["seconds"] if name in networks else pd.Series(dtype=float)
        )
        sentence = f"{who} is trained in at most {{most:.0f}} seconds on two cores: in {{value:.0f}}."
        took = Interval.of_mean(seconds) or Interval.exactly(seconds.iloc[0] if len(seconds) else None)
        stated.append(claim(f"{name}_is_enough", sentence, took, f"<= {one.seconds}"))
    return stated


def _above(rows: Rows, name: str, printed: str, cutoff: int) -> Interval | None:
    """The mean of its trainings above what is printed: with the luck of the print, of the test set and of the seeds."""
    mine = where(rows["rows"], network=name, cutoff=cutoff)
    if mine.empty or rows["luck"].empty:
        return None
    gap = from_printed(mine.mean(numeric_only=True), float(log_likelihood(printed, cutoff) or math.nan))
    own = Interval.of_mean(mine["ll_even"])  # of several seeds; of one, others tell how far seeds scatter
    luck = own.half if own else _luck_of_seeds.half_width(rows["luck"], cutoff)
    return Interval.around(gap.value, math.hypot(1.96 * gap.se, luck))


def against_bayes(rows: Rows, networks: dict[str, Trained]) -> list[Claim]:
    one = NETWORKS["hour"]
    stated = []
    for c, most in LOSES_MOST.items():
        sentence = (
            f"After {c} epochs our {one.size} network of {one.train.curves:,} curves loses at most {{most}} nats a point to "
            "exact Bayes: {value:.3f}."
        )
        found = Interval.of_mean(where(rows["lost"], network="hour", cutoff=c)["lost"])
        stated.append(claim(f"hour_loses_at_{c}", sentence, found, f"<= {most}"))
        sentence = (
            f"By a judge with twice the effort our {one.size} network of {one.train.curves:,} curves loses after {c} epochs "
            "at most {most} nats a point, on curves that no judge had seen: {value:.3f}."
        )
        again = measured(rows, "again", {"again": at_twice_the_effort.COLUMNS})
        found = Interval.of_mean(where(again, cutoff=c)["lost"])
        stated.append(claim(f"hour_loses_by_more_effort_at_{c}", sentence, found, f"<= {most}"))
    return stated


def longer_pays(rows: Rows) -> list[Claim]:
    stated = []
    for c in rungs.LAWFUL:
        sentence = (
            f"Ten times the curves divide what a 3 × 128 network with lent endings loses to exact Bayes after {c} epochs by "
            "more than {least}: by {value:.1f}."
        )
        found = rungs.law(rows["lost"], [*LADDER], c, AHEAD)
        stated.append(claim(f"ten_times_the_curves_at_{c}", sentence, found and found.ten_times, "> 1.5"))
    return stated


def foretold(rows: Rows) -> list[Claim]:
    """The longest training beside the law of the shorter ones."""
    stated = []
    for c in rungs.LAWFUL:
        sentence = (
            f"With {LONGEST:,} curves a 3 × 128 network loses after {c} epochs what the three shorter trainings let expect, "
            "up to a factor of {most}: it is off by {value:.2f}."
        )
        found = rungs.law(rows["lost"], [*LADDER], c, AHEAD)
        stated.append(claim(f"law_foretells_at_{c}", sentence, found and found.off, "<= 1.5"))
    return stated


def curves_saved(rows: Rows) -> list[Claim]:
    """What the recipe before lost after its longest training of exact_bayes."""
    stated, longest = [], max(BEFORE.values())
    for c in (10, 20, 40):
        sentence = (
            f"To lose as little to exact Bayes after {c} epochs as the recipe before did with {longest:,} curves, "
            "a 3 × 128 network with lent endings and short beginnings needs fewer by a factor of more than 2: by {value:.1f}."
        )
        found = rungs.saved(rows["lost"], [*BEFORE], [*LADDER], c)
        stated.append(claim(f"fewer_curves_at_{c}", sentence, found, "> 2"))
    return stated
