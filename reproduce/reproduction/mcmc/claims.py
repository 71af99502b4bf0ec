"""What chains reach and what they cost, as sentences that can fail.

Likelihoods are paired on the curves that both have, times in the rounds in which both ran.
"""

import math

import numpy as np
import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce.printed import numbers
from reproduce.reproduction.mcmc.figures_and_table import at
from reproduce.reproduction.mcmc.papers_chains import Setting
from reproduce.reproduction.mcmc.race import THINNED


def claims(
    rows: pd.DataFrame, race: pd.DataFrame, settings: tuple[Setting, ...], best: str, cutoff: int
) -> list[Claim]:
    """About the rows, and the race, of one cutoff."""
    after = f"After {cutoff} epochs"
    longest, sparse = settings[-1].name, settings[-2].name
    calls, calls_sparse = at(rows, "emcee", longest), at(rows, "emcee", sparse)
    at_once, one = at(rows, "vectorised", sparse), at(rows, best)
    slow, moved, fast, all_ = (
        at(race, method) for method in ("emcee", "vectorised", best, f"{best}, all at once")
    )
    name = f"the {best.replace('x', ' × ')} network"
    ten = numbers.value("LC-PFN", "times faster than MCMC")
    fifteen = numbers.value("P2", "times faster than M3")
    return [
        _gap("thinning_costs_nothing", f"{after}, keeping every twentieth state of the longest chains instead of every one "
             "changes their likelihood by at most {most} nats a point: by {value:.4f}.", calls_sparse, calls,
             "between -0.001 and 0.001"),
        _gap("programs_agree", f"{after}, on the same curves, the longest chains of both programs differ by at most "
             "{most} nats a point: by {value:.3f}.",
             at_once, calls, "between -0.03 and 0.03"),
        _ratio("vectorised_is_faster", f"{after}, moving all walkers of all curves at once, and keeping every twentieth "
               "state, is at least {least} times as fast as calling a function for each: {value:.0f} times.",
               slow, moved, ">= 20"),
        thinned_alike(race, cutoff),
        _gap("network_beats_chains", f"{after}, on the same curves, {name} is above the longest chains of function calls, by "
             "{value:+.3f} nats a point.", one, calls, "> 0"),
        _ratio("ten_thousand_times", f"{after}, one forecast by {name} is at least {{least}} times as fast as the longest "
               "chains of function calls, as the paper’s abstract says: {value:,.0f} times.", slow, fast, ">= 10000", ten),
        _ratio("fifteen_thousand_times", f"{after}, one forecast by a network of the size of the paper’s P2 is at least "
               "{least} times as fast as the longest chains of function calls, as the paper’s Section 4.1 says: "
               "{value:,.0f} times.",
               slow, at(race, "P2"), ">= 15000", fifteen),
        _ratio("hundreds_of_times", f"{after}, with all curves in one call, {name} is {{least}} to {{most}} times as fast as "
               "chains that move all curves at once: {value:,.0f} times.", moved, all_, "between 100 and 1000"),
        _seconds("chains_take_seconds", f"{after}, the longest chains of function calls take less than {{most}} seconds a "
                 "curve, which the paper prints for M3: {value:.2f}.", slow,
                 f"< {numbers.value('M3', 'seconds per curve')}", numbers.value("M3", "seconds per curve")),
        _seconds("a_tenth_of_a_second", "The largest network of the paper, P3, takes at most {most} seconds a forecast, as "
                 "its Section 4.1 says: {value:.3f} on one core.", at(race, "P3"), "<= 0.1",
                 numbers.value("PFN", "seconds per curve, at most")),
    ]  # fmt: skip


def thinned_alike(race: pd.DataFrame, cutoff: int, name: str = "") -> Claim:
    """Function calls, and all walkers at once: two programs for the same chains, neither of which keeps more states."""
    sentence = (
        f"After {cutoff} epochs, where function calls too keep every twentieth state alone, moving all at once is at least "
        "{least} times as fast: {value:.1f} times."
    )
    slow, moved = at(race, THINNED), at(race, "vectorised")
    return _ratio("vectorised_is_faster_thinned_alike" + name, sentence, slow, moved, ">= 20")


def _gap(name: str, sentence: str, ours: pd.DataFrame, theirs: pd.DataFrame, condition: str) -> Claim:
    """Nats by which one is above the other, on the curves that both have."""
    both = ours.merge(theirs, on="curve")
    return claim(name, sentence, Interval.of_mean(both["ll_x"] - both["ll_y"]), condition)


def _ratio(
    name: str, sentence: str, slow: pd.DataFrame, fast: pd.DataFrame, condition: str, printed: float | None = None
) -> Claim:  # fmt: skip
    """How often the seconds of one go into those of the other: the geometric mean over the rounds."""
    both = slow.merge(fast, on="round")
    found = Interval.of_mean(np.log(both["seconds_x"] / both["seconds_y"]))
    return claim(name, sentence, found and Interval(*map(math.exp, found)), condition, printed)


def _seconds(name: str, sentence: str, mine: pd.DataFrame, condition: str, printed: float | None) -> Claim:
    return claim(name, sentence, Interval.of_mean(mine["seconds"]), condition, printed)
