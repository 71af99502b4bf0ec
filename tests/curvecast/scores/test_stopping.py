"""Guards stopping, halving, pools_of_runs and regret: which runs go on, what a forecast decides, and what it was good for."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.scores import baselines, pools_of_runs, stopping
from curvecast.scores.baselines import Gaussian
from curvecast.scores.pools_of_runs import Pool
from curvecast.scores.regret import sooner, times
from curvecast.scores.stopping import asha, hyperband, rungs, successive_halving

M = 100
DELTA = 0.05


def runs(n: int = 30, seed: int = 1) -> torch.Tensor:
    return prior.sample(prior.PriorConfig(), n, torch.Generator().manual_seed(seed)).noisy


def last_value(x, y, later):
    return baselines.forecast("last value", x, y, later)


def orders(n: int, k: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.stack([torch.randperm(n, generator=generator) for _ in range(k)])


def test_the_reach_is_the_papers_rule():
    mean = torch.tensor([[0.5, 0.6, 0.4], [0.1, 0.1, 0.9]]).double()
    density = Gaussian(mean, torch.tensor([[0.1, 0.1, 0.3], [0.2, 0.1, 0.1]]).double())
    reach = stopping.reach(density, DELTA)
    chance = density.exceeds(reach[:, None]).max(1).values
    torch.testing.assert_close(chance, torch.full_like(chance, DELTA))
    assert (density.exceeds(reach[:, None] + 1e-3) < DELTA).all()


def test_a_run_is_forecast_from_what_it_has_shown_alone():
    y = runs()
    other = y.clone()
    other[:, 20:] += 1
    a, b = (stopping.reaches(last_value, some, [5, 20], DELTA) for some in (y, other))
    assert torch.equal(a[:, :20], b[:, :20])
    looked = a[:, :-1].isfinite().any(0).nonzero().flatten().tolist()
    assert looked == [4, 19] and (a[:, -1] == -math.inf).all()


def test_sparing_forecasts_changes_no_decision():
    y, order = runs(), orders(30)
    whole = stopping.always(y)
    for T in stopping.fine(M):
        density = last_value(torch.arange(1.0, T + 1), y[:, :T], torch.tensor([M]))
        whole[:, T - 1] = density.quantile(1 - DELTA)[:, 0]
    floor = stopping.certain(y, order, least=2)
    spared = stopping.reaches(last_value, y, stopping.fine(M), DELTA, floor)
    assert spared.isfinite().sum() < whole.isfinite().sum() / 5
    assert torch.equal(stopping.play(y, spared, order), stopping.play(y, whole, order))


def test_what_is_certain_is_the_best_that_came_before_in_the_worst_order():
    """Runs 0 and 1 may come first in one order; run 2 has always seen the first epochs of another."""
    y = torch.tensor([[0.1, 0.9], [0.2, 0.9], [0.3, 0.9]])
    order = torch.tensor([[0, 1, 2], [1, 2, 0]])
    assert stopping.certain(y, order, 1).tolist() == pytest.approx([-math.inf, -math.inf, 0.2])


def test_a_few_later_epochs_stand_for_all():
    for T in (1, 10, 50, 97, 99):
        later = stopping.ahead(T, M, 6)
        assert later[-1] == M and later[0] == T + 1 and len(later) == len(later.unique()) == min(6, M - T)
    bend = 0.6 - 0.1 * (torch.arange(1.0, M + 1) / 30).log().abs()  # highest at epoch 30
    assert bend.max() - bend[stopping.ahead(10, M, 6).long() - 1].max() < 0.03


def test_when_the_rule_looks():
    assert stopping.fine(5) == [2, 3, 4]
    assert stopping.coarse(100) == [10, 20, 40, 80] and stopping.coarse(52) == [6, 11, 21, 42]


def test_patience_counts_epochs_without_a_new_best():
    y = torch.tensor([[0.1, 0.2, 0.2, 0.1, 0.3, 0.2, 0.2, 0.2]])
    epochs = {k: stopping.play(y, stopping.patience(y, k), orders(1, 1)).item() for k in (0, 1, 2, 3, 9)}
    assert epochs == {0: 1, 1: 3, 2: 4, 3: 8, 9: 8}


def test_the_oracle_wastes_no_epoch():
    y = torch.tensor([[0.1, 0.8, 0.2], [0.3, 0.7, 0.6], [0.5, 0.6, 0.9]])
    epochs = stopping.play(y, stopping.hindsight(y), torch.tensor([[0, 1, 2], [2, 1, 0]]))
    assert epochs.tolist() == [[2, 1, 3], [3, 1, 1]]


def test_runs_compete_with_all_that_came_before_and_with_themselves():
    y = torch.tensor([[0.6, 0.6, 0.6], [0.1, 0.2, 0.5]])
    table = torch.tensor([[math.inf, math.inf, -math.inf], [0.5, 0.5, -math.inf]])
    assert stopping.play(y, table, torch.tensor([[0, 1], [1, 0]])).tolist() == [[3, 1], [3, 3]]
    assert (stopping.play(runs(5), stopping.always(runs(5)), orders(5)) == M).all()
    leader, table = torch.tensor([[0.2, 0.6, 0.6, 0.6]]), torch.tensor([[0.7, 0.6, math.inf, -math.inf]])
    assert stopping.play(leader, table, orders(1, 1)).item() == 2


LENGTH = 18


def flat(*levels: float) -> torch.Tensor:
    """Runs that stand at their levels from the first epoch on."""
    return torch.tensor(levels)[:, None].expand(-1, LENGTH).clone()


def epochs(trained: torch.Tensor) -> list[int]:
    """Of each run; no epoch is trained twice."""
    assert len(trained.unique()) == len(trained)
    return torch.bincount(trained // LENGTH).tolist()


def test_rungs_are_thirds_of_a_run_and_never_below_two_epochs():
    expected = {50: [2, 6, 17, 50], 18: [2, 6, 18], 100: [4, 11, 33, 100], 2: [2]}
    assert {m: rungs(m) for m in expected} == expected


def test_halving_spends_what_it_says():
    spent = successive_halving(flat(0.3, 0.9, 0.1, 0.8, 0.2, 0.7, 0.4, 0.5, 0.6), torch.arange(9))
    assert epochs(spent) == [2, 18, 2, 6, 2, 6, 2, 2, 2] and spent[:4].tolist() == [0, 1, LENGTH, LENGTH + 1]


def test_who_is_best_is_told_at_the_rung_and_not_by_what_comes_later():
    y = flat(0.3, 0.4, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
    y[3, 5:] = 1.0
    assert epochs(successive_halving(y, torch.arange(9)))[3] == 2
    assert epochs(asha(y, torch.tensor([2, 1, 3, 0, 4, 5, 6, 7, 8])))[3] == 2


def test_hyperband_gives_later_brackets_fewer_runs_and_more_epochs():
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
    clean, noisy = torch.tensor([[0.2, 0.3], [0.5, 0.7]]), torch.tensor([[0.9, 0.3], [0.5, 1.0]])
    pool = Pool(clean, noisy, torch.tensor([[0, 1]]))
    found = pools_of_runs.regret(pool, [torch.arange(3 if last else 4)], 4)
    assert found["observed"].tolist() == pytest.approx([0.1, 0.1, 0.1, last])
    assert found["true"].tolist() == pytest.approx([0.5, 0.5, 0.5, 5 * last])


def rows(end: float) -> pd.DataFrame:
    """Regret falls from 1 evenly in log epochs, to 0.5 at 400 or at `end`; four tasks."""
    grid = np.unique(np.geomspace(1, 400, 60).round().astype(int))
    made = []
    for method, half in {"no stopping": 400.0, "fine": end}.items():
        left = np.maximum(1 - 0.5 * np.log(grid) / math.log(half), 0.2)
        falls = dict(zip(map(str, grid), left, strict=True))
        made += [{"task": t, "method": method} | falls for t in range(4)]
    return pd.DataFrame(made)


def test_half_the_regret_after_a_quarter_of_the_epochs_is_four_times_sooner():
    found = times(rows(100), 50)
    assert sooner(found, "fine") == pytest.approx(4, rel=0.01) and len(found["fine"]) == 51
    assert sooner(times(rows(40_000), 5), "fine")[0] == 0
