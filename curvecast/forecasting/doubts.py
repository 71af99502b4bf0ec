"""Why a forecast should not be trusted, in sentences."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting import normal_law

RARE = 0.05  # of the prior’s own curves: below it a run is called unlike them; 4 % false alarms on the tuning set
STILL = 0.01  # of the way between the bounds, as the model sees it: what has moved less has not begun
WIDER = 10  # times: from the narrowest gap between two steps to the last
WITHIN = 2  # sizes of the noise; with both, 6 % of the beginnings of tuning curves that go on to learn are called flat


def of(run: Any, used: int) -> list[str]:
    """Of a Forecast that is made from so many of its points; empty if nothing speaks against it."""
    doubts = []
    given = len(run.observed)
    if given >= 4 and used < min(5, given / 2):
        first, last = run.observed_steps[0], run.observed_steps[-1]
        gaps = np.diff(run.observed_steps)
        way = f"steps start at {first:g}: subtract the start, or give another horizon"
        if gaps[-1] == gaps.max() > WIDER * gaps.min():
            way = "its steps lie ever further apart: scale='log' (--log-steps on the command line) forecasts such curves"
        elif first < last - first:
            way = f"the horizon is far beyond the last step, {last:g}: give a nearer one"
        doubts.append(
            f"only {used} of {given} points could be used, for the others fall into the same epochs; {way}"
        )
    doubts += of_direction(run)
    if unlike(run):
        rare = f"fewer than 1 in {1 / RARE:.0f} of the curves that the model was trained on are so unusual"
        doubts.append(f"{rare} (in_prior {run.in_prior:.3g}): do not trust the intervals")
    elif given >= 3 and run.bounds == (0, 100) and run.observed.max() <= 1:
        metric = "error" if run.minimise else "accuracy"
        doubts.append(f"no value is above 1, of 100: if these are fractions, set the metric to {metric}")
    elif flat(run._beginning.y):
        doubts.append(
            "it has hardly moved yet, and the model has seen few runs that start late: if this one begins to learn "
            "later, the intervals may miss it"
        )
    return doubts


def unlike(run: Any) -> bool:
    return run.in_prior is not None and run.in_prior < RARE


def of_direction(run: Any) -> list[str]:
    if not other_way(run):
        return []
    return [f"it {'rises' if run.minimise else 'falls'}, {_taken(run.minimise)}"]


def of_finished(runs: dict[int, Any], run: Any, minimise: bool) -> list[str]:
    """Of the finished runs that a forecast rests on, by number: do they go the other way, or is one the run itself?"""
    doubts = []
    if sum(gets_worse(one.steps, one.values, minimise) for one in runs.values()) > len(runs) / 2:
        doubts.append(f"most of its finished runs {'rise' if minimise else 'fall'}, {_taken(minimise)}")
    n = len(run.values)
    same = n >= 3 and np.ptp(run.values) > 0
    for number, one in runs.items() if same else ():
        if np.array_equal(one.values[:n], run.values) and np.array_equal(one.steps[:n], run.steps):
            begins = f"finished run {number} begins with the values of this run"
            return [*doubts, f"{begins}: if it is the same run, leave it out"]
    return doubts


def _taken(minimise: bool) -> str:
    better, other = ("lower", "higher") if minimise else ("higher", "lower")
    way = f"minimise={not minimise} (--{'no-' * minimise}minimise on the command line)"
    return f"but {better} is taken to be better; if {other} is better, set {way}"


def flat(y: np.ndarray) -> bool:
    """Has it not moved yet, or only as noise moves? y: values as the model sees them, 0 to 1.  (T,)"""
    if len(y) < 3:
        return False
    if np.ptp(y) < STILL:
        return True
    noise = np.sqrt((np.diff(y) ** 2).mean() / 2)
    gain = y[-max(1, len(y) // 5) :].mean() - y[0]
    t = np.log(np.arange(1.0, len(y) + 1))  # a run that learns moves most at its beginning
    t -= t.mean()
    slope = t @ y / (t @ t)
    error = np.sqrt(((y - y.mean() - slope * t) ** 2).sum() / (len(y) - 2) / (t @ t))
    return bool(len(y) >= 5 and abs(gain) < WITHIN * noise and abs(slope) < 2 * error)


def other_way(run: Any) -> bool:
    """Does it get worse all the time, as a loss does that is taken for an accuracy?"""
    return gets_worse(run.observed_steps, run.observed, run.minimise)


def gets_worse(steps: np.ndarray, values: np.ndarray, minimise: bool) -> bool:
    if len(values) < 3 or np.ptp(values) == 0:
        return False
    worse = values if minimise else -values
    return bool(worse[-1] > worse[0] and np.corrcoef(steps, worse)[0, 1] > 0.5)


# -----------------------------------------------------------------------------------------------------------
# How odd is a run for the prior? The share of the prior's own curves that look at least as odd.
#
# Were the run a draw of the prior and the network the exact posterior, the normal scores z of its values (track_record.py)
# would be independent and standard normal. Four ways in which they are not: too far out on the whole, all to one side, one
# like the one before, a single one out of line. The smallest of the four chances is then compared with what the prior's own
# curves get, for the network is not exact and the z are not independent.


class Table(NamedTuple):
    """What curves of the prior get, from practice/_ship.py."""

    seen: list[int]  # points of a run
    levels: list[float]
    scores: list[list[float]]  # for each of `seen`, those below which such shares of the curves lie


def oddness(scores: Sequence[np.ndarray]) -> np.ndarray:
    """The smallest of the four chances, times four, by the scores (T - 1,) of each run, at least one.  -> (n,)"""
    chances = np.zeros(len(scores))
    for n in {len(z) for z in scores}:  # those of one length together
        like = [i for i, z in enumerate(scores) if len(z) == n]
        chances[like] = chance(np.stack([scores[i] for i in like]))
    return chances


def chance(z: np.ndarray) -> np.ndarray:
    """How probable is it that independent normal z (R, n) look so odd? Four questions, and Bonferroni's rule.  -> (R,)"""
    n = z.shape[1]
    far_out = normal_law.squares_exceed(n, (z**2).sum(1))
    aside = _two_sided(z.sum(1) / math.sqrt(n))
    alike = _two_sided((z[:, 1:] * z[:, :-1]).sum(1) / math.sqrt(max(n - 1, 1)))
    alone = -np.expm1(n * np.log1p(-_two_sided(np.abs(z).max(1))))
    return np.minimum(4 * np.min([far_out, aside, alike, alone], 0), 1)


def in_prior(table: Table, seen: int, score: float) -> float:
    """The share of the prior's own curves with such a score or a lower one; between two rows by a line in log(seen)."""
    i = max(i for i, known in enumerate(table.seen) if known <= seen)
    share = _percentile_in_row(table, i, score)
    if i + 1 == len(table.seen):
        return share
    between = math.log(seen / table.seen[i]) / math.log(table.seen[i + 1] / table.seen[i])
    return share + (_percentile_in_row(table, i + 1, score) - share) * between


def _percentile_in_row(table: Table, i: int, score: float) -> float:
    """By one row of the table, between its levels by a line in log(score)."""
    row = table.scores[i]
    logs = [math.log(max(s, 1e-300)) for s in row]
    at = math.log(max(score, 1e-300))
    if at >= logs[-1]:  # the largest score is that of many
        return 1.0
    if at <= logs[0]:
        return table.levels[0]
    for left, right, low, high in zip(logs, logs[1:], table.levels, table.levels[1:], strict=False):
        if at <= right:
            return high if right == left else low + (high - low) * (at - left) / (right - left)
    raise AssertionError("the levels rise to the largest score")


def _two_sided(z: np.ndarray) -> np.ndarray:
    return normal_law.erfc(np.abs(z) / normal_law.ROOT2)
