"""What longer training buys: nats lost to the exact posterior by curves of the training."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduce._press.estimates import there
from reproduce._press.intervals import Interval, means_again
from reproduce._press.where import Rows, where
from reproduce.reproduction._crossing import enough
from reproduce.reproduction._slope import slope
from reproduce.reproduction.two_cores.networks import AHEAD, LADDER, LONGEST


def saved(rows: pd.DataFrame, before: list[str], now: list[str], cutoff: int) -> Interval | None:
    """How many times fewer curves the recipe of `now` takes to lose what the longest training of `before` loses.

    Straight lines between the rungs, of nats against the logarithm of curves; test curves are drawn anew, the same for all.
    Where `now` never gets there, it is 0.
    """
    mine = where(rows, cutoff=cutoff)
    table = mine.pivot_table(index="curve", columns="network", values="lost").dropna(axis=1)
    curves = mine.groupby("network")["curves"].first()
    before, now = ([n for n in names if n in table] for names in (before, now))
    if not before or len(now) < 2:
        return None
    longest = max(before, key=curves.__getitem__)
    now = sorted(now, key=curves.__getitem__)
    values = table[[longest, *now]].to_numpy()  # (test curves, 1 + rungs)
    means = means_again(values)
    logs = np.log([curves[n] for n in now])
    return Interval.of_resamples(np.array([curves[longest] / enough(logs, m[0] - m[1:]) for m in means]))


class Law(NamedTuple):
    ten_times: Interval  # by what ten times the curves divide the loss; the interval counts seeds as well
    foretold: Interval  # what the longest training should lose, by the law of the shorter ones
    off: Interval  # by which factor the prediction was off, either way
    predicted: Interval  # predicted loss after `ahead` curves


LEAST = 1e-3  # nats: a mean loss drawn anew may fall below 0, which has no logarithm
LAWFUL = (5, 10, 20, 40)  # observed epochs; later the losses are too near to that


def law(rows: pd.DataFrame, names: list[str], cutoff: int, ahead: int) -> Law | None:
    """A straight line through the logarithms of nats lost and of curves; test curves are drawn anew, the same for all."""
    mine = where(rows, cutoff=cutoff)
    table = mine.pivot_table(index="curve", columns="network", values="lost").dropna(axis=1)
    curves = mine.groupby("network")["curves"].first()
    names = sorted((n for n in names if n in table), key=curves.__getitem__)
    if len(names) < 4:
        return None
    values = table[names].to_numpy()  # (test curves, rungs)
    means = means_again(values)  # (1 + resamples, rungs)
    x = np.array([curves[n] for n in names])
    heights, slopes = _lines(x, means)
    all_but_longest = _lines(x[:-1], means[:, :-1])
    foretold = _at(x[-1], *all_but_longest)
    off = 10 ** abs(np.log10(means[:, -1].clip(min=LEAST) / foretold))
    of_curves = (Interval.of_resamples(one) for one in (foretold, off, _at(ahead, heights, slopes)))
    ten_times = slope(np.log10(x), np.log10(means.clip(min=LEAST))).negated()
    return Law(Interval(*(10**end for end in ten_times)), *of_curves)


def _lines(curves: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Heights and slopes of straight lines through logarithms; means (n, rungs) -> (n), (n)."""
    slopes, heights = np.polyfit(np.log10(curves), np.log10(means.clip(min=LEAST).T), 1)
    return heights, slopes


def _at(curves: float, heights: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    return np.asarray(10 ** (heights + slopes * np.log10(curves)))


def laws(rows: Rows) -> dict[int, Law]:
    return there({c: law(rows["lost"], [*LADDER], c, AHEAD) for c in LAWFUL})


def table(found: dict[int, Law]) -> pd.DataFrame:
    title = "observed epochs"
    made = [
        {title: str(c), "ten times the curves divide the distance by": one.ten_times.in_brackets(".1f"),
         f"distance after {LONGEST:,} curves, predicted": one.foretold.in_brackets(".3f"),
         "prediction off by a factor of": one.off.in_brackets(".2f"),
         f"distance after {AHEAD:,} curves, predicted": one.predicted.in_brackets(".3f")}
        for c, one in found.items()
    ]  # fmt: skip
    return pd.DataFrame(made, columns=None if made else [title])
