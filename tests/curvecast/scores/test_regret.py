"""Guards halving.py, pools_of_runs.py and regret.py: what is trained in turn, and what it was good for."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.scores import pools_of_runs, stopping
from curvecast.scores.halving import asha, hyperband, rungs, successive_halving
from curvecast.scores.pools_of_runs import Pool
from curvecast.scores.regret import sooner, times

M = 18


def flat(*levels: float) -> torch.Tensor:
    """Runs that stand at their levels from the first epoch on."""
    return torch.tensor(levels)[:, None].expand(-1, M).clone()


def epochs(trained: torch.Tensor) -> list[int]:
    """Of each run; no epoch is trained twice."""
    assert len(trained.unique()) == len(trained)
    return torch.bincount(trained // M).tolist()


def test_rungs_are_thirds_of_a_run_and_never_below_two_epochs():
    expected = {50: [2, 6, 17, 50], 18: [2, 6, 18], 100: [4, 11, 33, 100], 2: [2]}
    assert {m: rungs(m) for m in expected} == expected


def test_halving_spends_what_it_says():
    """Of nine runs each gets two epochs, three get six, and the best one all."""
    spent = successive_halving(flat(0.3, 0.9, 0.1, 0.8, 0.2, 0.7, 0.4, 0.5, 0.6), torch.arange(9))
    assert epochs(spent) == [2, 18, 2, 6, 2, 6, 2, 2, 2] and spent[:4].tolist() == [0, 1, M, M + 1]


def test_who_is_best_is_told_at_the_rung_and_not_by_what_comes_later():
    """A run that is low at its second epoch never shows how high it would have come."""
    y = flat(0.3, 0.4, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
    y[3, 5:] = 1.0
    assert epochs(successive_halving(y, torch.arange(9)))[3] == 2
    assert epochs(asha(y, torch.tensor([2, 1, 3, 0, 4, 5, 6, 7, 8])))[3] == 2


def test_hyperband_gives_later_brackets_fewer_runs_and_more_epochs():
    """With three rungs: nine runs from two epochs on, five from six, three to their ends."""
    levels = torch.rand(17, generator=torch.Generator().manual_seed(0)).tolist()
    each = epochs(hyperband(flat(*levels), torch.arange(17)))
    assert sorted(each[:9]) == [2] * 6 + [6, 6, 18]
    assert sorted(each[9:14]) == [6, 6, 6, 6, 18] and each[14:] == [18] * 3


def test_asha_compares_with_those_before():
    """The first comes to its end, a worse one stops at the first rung, a better one never; the third best of nine goes on."""
    assert epochs(asha(flat(0.5, 0.4, 0.6), torch.arange(3))) == [18, 2, 18]
    y = flat(0.9, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7)
    assert epochs(asha(y, torch.arange(9)))[-1] == 6  # and is the last of two at the next rung


def test_epochs_are_trained_in_turn_and_within_the_budget():
    """Run 1 for two epochs, then run 0; and no epoch beyond what there is to spend."""
    assert pools_of_runs.places(torch.tensor([1, 0]), torch.tensor([2, 1]), 3).tolist() == [3, 4, 0]
    y = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    tables = {"no stopping": stopping.always(y), "patience 0": stopping.patience(y, 0)}
    spent = pools_of_runs.trainings(Pool(y, y, torch.tensor([[1, 0]])), tables, 5)
    assert spent["no stopping"][0].tolist() == [3, 4, 5, 0, 1]
    # after one epoch each: the better first epoch anew and to its end, then the other
    assert spent["one epoch"][0].tolist() == [3, 0, 3, 4, 5]
    assert pools_of_runs.begun(spent["one epoch"], 3) == 2


@pytest.mark.parametrize("last", [0.1, 0.0])
def test_regret_with_and_without_luck(last):
    """A lucky point takes the lead as observed, and what it is worth is the curve below it; some never see the last epoch."""
    pool = Pool(
        torch.tensor([[0.2, 0.3], [0.5, 0.7]]), torch.tensor([[0.9, 0.3], [0.5, 1.0]]), torch.tensor([[0, 1]])
    )
    found = pools_of_runs.regret(pool, [torch.arange(3 if last else 4)], 4)
    assert found["observed"].tolist() == pytest.approx([0.1, 0.1, 0.1, last])
    assert found["true"].tolist() == pytest.approx([0.5, 0.5, 0.5, 5 * last])


def rows(end: float) -> pd.DataFrame:
    """Regret falls from 1 evenly in log epochs, to 0.5 at 400 or at `end`; four tasks, two of each kind."""
    grid = np.unique(np.geomspace(1, 400, 60).round().astype(int))
    made = []
    for method, half in {"no stopping": 400.0, "fine": end}.items():
        falls = dict(zip(map(str, grid), np.maximum(1 - 0.5 * np.log(grid) / math.log(half), 0.2), strict=True))  # fmt: skip
        made += [{"task": t, "kind": t // 2, "method": method} | falls for t in range(4)]
    return pd.DataFrame(made)


def test_half_the_regret_after_a_quarter_of_the_epochs_is_four_times_sooner():
    """And what is never reached is zero times sooner."""
    found = times(rows(100), 50)
    assert sooner(found, "fine") == pytest.approx(4, rel=0.01) and len(found["fine"]) == 51
    assert sooner(times(rows(40_000), 5), "fine")[0] == 0


def test_tasks_that_hang_together_are_drawn_as_one():
    """Two tasks of a kind that have no regret come or stay away together: the mean has three values, not five."""
    found = rows(100)
    grid = [c for c in found if c.isdigit()]
    found.loc[(found["method"] == "fine") & (found["kind"] == 0), grid] -= 0.4
    together, apart = (len(set(times(found, 200, unit)["fine"].round(6))) for unit in ("kind", "task"))
    assert (together, apart) == (3, 5)
