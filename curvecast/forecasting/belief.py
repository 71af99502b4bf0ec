"""How odd is a run for the prior? The share of the prior's own curves that look at least as odd.

Were the run a draw of the prior and the network the exact posterior, the normal scores z of its values (track_record.py)
would be independent and standard normal. Four ways in which they are not: too far out on the whole, all to one side, one
like the one before, a single one out of line. The smallest of the four chances is then compared with what the prior's own
curves get, for the network is not exact and the z are not independent.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curvecast.forecasting import normal_law


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
