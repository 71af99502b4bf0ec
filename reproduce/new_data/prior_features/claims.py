"""What is claimed of the new prior: what it buys, what it costs, and which of its parts pay."""

import math

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows, where
from reproduce.new_data._chosen import ROWS
from reproduce.new_data.prior_features import beside
from reproduce.new_data.prior_features.beside import over_rows
from reproduce.new_data.prior_features.pictures import MOST, SHOWN, price
from reproduce.new_data.prior_features.variants import SEEDS, WITHOUT

APART = "pythia"  # shown, not counted


def claims(rows: Rows) -> list[Claim]:
    found = beside.each(rows)
    return [
        *_prices(rows),
        claim("buys", "On real curves the network of the paper’s prior has a larger CRPS than the new prior’s, each source "
              "with one vote: {value:.2f} times.", over_rows(found, "old"), "> 1"),
        claim("buys_everywhere", "The new prior’s CRPS is better in all nine rows: in {value:.0f}.",
              _rows_won(found, "old"), ">= 9"),
        claim("holds_new", "Over cells (a source and metric at 10, 20 or 40 % seen, Pythia apart) the new prior’s 90 % band "
              "holds {least:.0%} to {most:.0%} of what came: {value:.1%}.", _mean_held(rows, "new"), "between 0.88 and 0.94"),
        claim("holds_old", "That of the paper’s prior holds less than {most:.0%} there, too few: {value:.1%}.",
              _mean_held(rows, "old"), "< 0.88", limit=True),
        claim("mixture", "The paper’s half costs nothing on real curves: with the laws alone the CRPS is at least "
                         "{least} times "
              "that of the mixture: {value:.3f} times.", over_rows(found, "laws-alone"), ">= 0.97"),
        claim("mixture_saves", "On the paper’s curves that half gains: {value:.2f} nats after 20 epochs.",
              price(rows, "laws-alone", 20, "new"), "> 0"),
        claim("units_real", "Without a curve’s own units the CRPS on real curves is larger: {value:.3f} times.",
              over_rows(found, "new-epochs"), "> 1"),
        claim("units_own", "On the paper’s curves they cost at most 0.02 nats after 20 epochs: they gain {value:+.3f}.",
              price(rows, "old-epochs", 20), ">= -0.02"),
        claim("laws_that_pay", "Of the thirteen laws at least seven pay, since without them the CRPS over all sources is "
              "larger by more than another seed moves it: {value:.0f} of them.", _paying(found), ">= 7"),
        claim("other_sources", "A network trained on real curves of the other sources has a larger CRPS than the new "
              "prior’s: {value:.2f} times.", over_rows(found, "measured"), "> 1"),
    ]  # fmt: skip


def _prices(rows: Rows) -> list[Claim]:
    return [
        claim(f"price_{cutoff}", f"After {cutoff} epochs the new prior costs at most {{most:.2f}} nats a point on the "
              "paper’s own curves, at equal budget, in the mean of three seeds: {value:.3f}.", _mean_over_seeds(rows, cutoff),
              f"<= {MOST}")
        for cutoff in SHOWN
    ]  # fmt: skip


def _mean_over_seeds(rows: Rows, cutoff: int) -> Interval | None:
    """Other curves and other seeds: all are asked about the same curves, whose luck a mean of seeds keeps."""
    found = [price(rows, name, cutoff) for name in (beside.BASE, *SEEDS)]
    there = [one for one in found if one is not None]
    if len(there) < len(found):
        return None
    values, of_curves = pd.Series([one.value for one in there]), max(one.half for one in there)
    of_seeds = student(len(there)) * float(values.sem())
    return Interval.around(float(values.mean()), math.hypot(of_curves, of_seeds))


def held(rows: Rows, method: str) -> pd.Series:
    """Share of the later points inside the 90 % band, by row of the report and share seen."""
    return where(rows["rows"], method=method).groupby(["row", "seen"])["in90"].mean()


def _mean_held(rows: Rows, method: str) -> Interval | None:
    """None unless all cells are there."""
    if "rows" not in rows:
        return None
    own = held(rows, method).drop(APART, level="row", errors="ignore")
    return Interval.exactly(float(own.mean())) if len(own) == 3 * (len(ROWS) - 1) else None


def _rows_won(found: pd.DataFrame, method: str) -> Interval | None:
    by = where(found, method=method).groupby("row")["log"].mean()
    return Interval.exactly(float((by > 0).sum())) if len(by) == len(ROWS) else None


def _paying(found: pd.DataFrame) -> Interval | None:
    """None unless each was left out once, and something is known of seeds."""
    moved, costs = beside.luck(found), [over_rows(found, name) for name in WITHOUT]
    told = [cost.value for cost in costs if cost]
    if moved is None or len(told) < len(WITHOUT):
        return None
    return Interval.exactly(float(sum(value > moved for value in told)))
