"""Guards stopping.py: which runs go on for how long, and what a forecast decides."""

import math

import pytest
import torch

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from curvecast.scores import baselines, stopping
from curvecast.scores.baselines import Gaussian

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
    """A best so far at or above the reach is beaten at no later epoch with a chance above delta; below it, at one."""
    mean = torch.tensor([[0.5, 0.6, 0.4], [0.1, 0.1, 0.9]]).double()
    density = Gaussian(mean, torch.tensor([[0.1, 0.1, 0.3], [0.2, 0.1, 0.1]]).double())
    reach = stopping.reach(density, DELTA)
    chance = density.exceeds(reach[:, None]).max(1).values
    torch.testing.assert_close(chance, torch.full_like(chance, DELTA))
    assert (density.exceeds(reach[:, None] + 1e-3) < DELTA).all()


def test_a_run_is_forecast_from_what_it_has_shown_alone():
    """Another future changes no reach, and only the epochs that were asked for are looked at."""
    y = runs()
    other = y.clone()
    other[:, 20:] += 1
    a, b = (stopping.reaches(last_value, some, [5, 20], DELTA) for some in (y, other))
    assert torch.equal(a[:, :20], b[:, :20])
    looked = a[:, :-1].isfinite().any(0).nonzero().flatten().tolist()
    assert looked == [4, 19] and (a[:, -1] == -math.inf).all()


def test_sparing_forecasts_changes_no_decision():
    """With a floor and without forecasts after a certain end, each run gets as many epochs as with all of them."""
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
    """The next and the last are among them, none is asked twice, and a forecast that bends is caught."""
    for T in (1, 10, 50, 97, 99):
        later = stopping.ahead(T, M, 6)
        assert later[-1] == M and later[0] == T + 1 and len(later) == len(later.unique()) == min(6, M - T)
    bend = 0.6 - 0.1 * (torch.arange(1.0, M + 1) / 30).log().abs()  # highest at epoch 30
    assert bend.max() - bend[stopping.ahead(10, M, 6).long() - 1].max() < 0.03


def test_when_the_rule_looks():
    """After every epoch from the second on; or four times, shares of a run rounded up."""
    assert stopping.fine(5) == [2, 3, 4]
    assert stopping.coarse(100) == [10, 20, 40, 80] and stopping.coarse(52) == [6, 11, 21, 42]


def test_patience_counts_epochs_without_a_new_best():
    """k of them end a run; none at all ends it after its first epoch, and a record begins the count anew."""
    y = torch.tensor([[0.1, 0.2, 0.2, 0.1, 0.3, 0.2, 0.2, 0.2]])
    epochs = {k: stopping.play(y, stopping.patience(y, k), orders(1, 1)).item() for k in (0, 1, 2, 3, 9)}
    assert epochs == {0: 1, 1: 3, 2: 4, 3: 8, 9: 8}


def test_the_oracle_wastes_no_epoch():
    """A run that will not win gets one epoch, a winner goes on just to its best one."""
    y = torch.tensor([[0.1, 0.8, 0.2], [0.3, 0.7, 0.6], [0.5, 0.6, 0.9]])
    epochs = stopping.play(y, stopping.hindsight(y), torch.tensor([[0, 1, 2], [2, 1, 0]]))
    assert epochs.tolist() == [[2, 1, 3], [3, 1, 1]]


def test_runs_compete_with_all_that_came_before():
    """A run that could reach 0.5 is stopped behind one that has reached 0.6, not before it; orders do not mix."""
    y = torch.tensor([[0.6, 0.6, 0.6], [0.1, 0.2, 0.5]])
    table = torch.tensor([[math.inf, math.inf, -math.inf], [0.5, 0.5, -math.inf]])
    assert stopping.play(y, table, torch.tensor([[0, 1], [1, 0]])).tolist() == [[3, 1], [3, 3]]
    assert (stopping.play(runs(5), stopping.always(runs(5)), orders(5)) == M).all()


def test_a_leader_that_cannot_improve_is_stopped():
    """The best so far counts the run's own values."""
    y, table = torch.tensor([[0.2, 0.6, 0.6, 0.6]]), torch.tensor([[0.7, 0.6, math.inf, -math.inf]])
    assert stopping.play(y, table, orders(1, 1)).item() == 2


GOOD = torch.rand(2, 5, generator=torch.Generator().manual_seed(0))
WITH_NAN = GOOD.clone().index_fill_(0, torch.tensor([1]), math.nan)
BAD = {
    "delta is 0: it is a chance": (GOOD, [2], 0), "delta is 1.5: it is a chance": (GOOD, [2], 1.5),
    "delta is nan: it is a chance": (GOOD, [2], math.nan), "cannot look after epoch 5: runs of 5": (GOOD, [5], DELTA),
    "cannot look after epoch 0": (GOOD, [0], DELTA), "at least one run": (GOOD[:0], [2], DELTA),
    r"shape \[5\]": (GOOD[0], [2], DELTA), "runs have 1 epochs: give at least two": (GOOD[:, :1], [1], DELTA),
    r"1 runs have NaN or infinity .* first run 1": (WITH_NAN, [2], DELTA),
}  # fmt: skip


@pytest.mark.parametrize("complaint", BAD)
def test_bad_input_gets_one_sentence(complaint):
    with pytest.raises(UserError, match=complaint):
        stopping.reaches(last_value, *BAD[complaint])


def test_bad_rules_and_runs_are_not_played():
    with pytest.raises(UserError, match="patience -1 is negative"):
        stopping.patience(GOOD, -1)
    with pytest.raises(UserError, match="NaN"):
        stopping.play(WITH_NAN, stopping.always(GOOD), orders(2))
