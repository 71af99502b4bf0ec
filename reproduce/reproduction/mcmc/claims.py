"""What is asked of the chains: their likelihood and their seconds.

Likelihoods are paired on the curves that both have, times in the rounds in which both ran.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce.printed import numbers
from reproduce.reproduction.mcmc.figures_and_table import at
from reproduce.reproduction.mcmc.papers_chains import Setting
from reproduce.reproduction.mcmc.race import THINNED


def claims(
    rows: pd.DataFrame, race: pd.DataFrame, settings: tuple[Setting, ...], best: str, cutoff: int
) -> list[Claim]:
    """About the rows, and the race, of one cutoff."""
    after, size = f"After {cutoff} epochs", best.replace("x", " × ")
    longest, sparse = settings[-1].name, settings[-2].name
    calls, calls_sparse = at(rows, "emcee", longest), at(rows, "emcee", sparse)
    at_once, one = at(rows, "vectorised", sparse), at(rows, best)
    slow, moved, fast, all_ = (
        at(race, method) for method in ("emcee", "vectorised", best, f"{best}, all at once")
    )
    section, chains = "as the paper’s Section 4.1 says?", "the longest chains run with emcee"
    return [
        _gap("thinning_costs_nothing", f"{after}, does keeping only every twentieth state of the longest chains leave their "
             "log-likelihood nearly unchanged?", calls_sparse, calls, Between(-0.001, 0.001)),
        _gap("programs_agree", f"{after}, do the longest chains of both programs score the same on the same curves?",
             at_once, calls, Between(-0.03, 0.03)),
        _ratio("vectorised_is_faster", f"{after}, is moving all walkers of all curves at once much faster than emcee?",
               slow, moved, AtLeast(20)),
        thinned_alike(race, cutoff),
        _gap("network_beats_chains", f"{after}, on the same curves, does this {size} network score higher than {chains}?",
             one, calls, Above(0)),
        _ratio("ten_thousand_times", f"{after}, is a forecast by a {size} network as many times faster than {chains} as the "
               "paper’s abstract says?", slow, fast, AtLeast(10000), numbers.value("LC-PFN", "times faster than MCMC")),
        _ratio("fifteen_thousand_times", f"{after}, is a forecast by a network of the size of P2 as many times faster than "
               f"{chains} {section}", slow, at(race, "P2"), AtLeast(15000), numbers.value("P2", "times faster than M3")),
        _ratio("hundreds_of_times", f"{after}, with many curves in one call for both, is a {size} network far faster than "
               "MCMC, though by less than printed?", moved, all_, Between(100, 1000)),
        _seconds("chains_take_seconds", f"{after}, are {chains} faster here than the paper prints for M3?", slow, Below,
                 numbers.value("M3", "seconds per curve")),
        _seconds("a_tenth_of_a_second", f"Is a forecast by a network of the size of P3, on one core, as quick {section}",
                 at(race, "P3"), AtMost, numbers.value("PFN", "seconds per curve, at most")),
    ]  # fmt: skip


def thinned_alike(race: pd.DataFrame, cutoff: int, name: str = "") -> Claim:
    """Two programs for the same chains, neither of which keeps more states than the other."""
    asks = (
        f"After {cutoff} epochs, is moving all walkers of all curves at once much faster than emcee, if both keep every "
        "twentieth state?"
    )
    slow, moved = at(race, THINNED), at(race, "vectorised")
    return _ratio("vectorised_is_faster_thinned_alike" + name, asks, slow, moved, AtLeast(20))


def _gap(name: str, asks: str, ours: pd.DataFrame, theirs: pd.DataFrame, needs: Needs) -> Claim:
    """Nats by which one is above the other, on the curves that both have."""
    both = ours.merge(theirs, on="curve")
    return Claim(name, asks, Interval.of_mean(both["ll_x"] - both["ll_y"]), needs, "nats per point")


def _ratio(
    name: str, asks: str, slow: pd.DataFrame, fast: pd.DataFrame, needs: Needs, printed: float | None = None
) -> Claim:  # fmt: skip
    """How often the seconds of one go into those of the other: the geometric mean over the rounds."""
    both = slow.merge(fast, on="round")
    found = Interval.of_mean(np.log(both["seconds_x"] / both["seconds_y"]))
    return Claim(name, asks, found and found.exp(), needs, "×", printed)


def _seconds(
    name: str, asks: str, mine: pd.DataFrame, bound: Callable[[float], Needs], printed: float | None
) -> Claim:
    assert printed is not None
    return Claim(name, asks, Interval.of_mean(mine["seconds"]), bound(printed), "s", printed)
