"""Guards reproduce/new_data/told_schedule: plans, the curves that follow them, the network that is told, the answer."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast.curves.factory.schedules import Schedule, factors
from curvecast.curves.laws.dice import Dice
from curvecast.ground.errors import UserError
from reproduce.new_data.told_schedule import question, told_network
from reproduce.new_data.told_schedule.planned_runs import LEAST, SHAPES, gained_by, planned_runs, time_by_rate
from reproduce.trainings import TINY


def dice(n: int) -> Dice:
    return Dice(n, torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def made():
    return planned_runs(400, 100, torch.Generator().manual_seed(0))


def test_planned_runs_have_no_numbers():
    """A training on them that asks for curves by number is refused."""
    with pytest.raises(UserError, match="planned runs"):
        told_network.training(replace(TINY["1x16"], draws="number"), told=True)


def test_planned_rates_are_those_of_their_shape(made):
    """They rise in a warm-up and never after it; a constant one stays, a cosine and a line come to nothing."""
    for number, name in enumerate(SHAPES):
        rate = made.rate[made.shape == number].numpy()
        assert len(rate) > 40 and rate.min() > 0 and rate.max() <= 1
        rises = np.diff(rate, axis=1) > 1e-6
        assert not rises[:, 25:].any(), "longest warm-up is a fifth"
        if name == "constant":
            assert (rate[:, 25:] == 1).all()
        else:
            assert (rate[:, -1] < 0.6).all() and (name == "drops" or (rate[:, -1] < 0.15).all())


def test_a_plan_is_that_of_the_factory():
    """What a real run is told is what its optimiser used."""
    settings = {"shape": "drops", "warm_up": 3, "drops": [10, 30], "fall": 0.1}
    plan = question.plan(settings, 40)
    rate = factors(Schedule("drops", 3, (10, 30), 0.1), 40)
    assert plan[:, 0].tolist() == list(range(1, 41))
    assert plan[:, 1] == pytest.approx(rate) and plan[:, 2] == pytest.approx(rate.cumsum())
    assert (
        question.shape(settings) == "drops" and question.shape(settings | {"shape": "constant"}) == "warm-up"
    )


def test_curves_are_finite_and_within_bounds_and_come_from_the_generator_alone(made):
    again = planned_runs(400, 100, torch.Generator().manual_seed(0))
    assert torch.isfinite(made.y).all() and made.y.min() >= 0 and made.y.max() <= 1
    assert (made.y == again.y).all() and (made.rate == again.rate).all()


def test_a_rate_that_has_not_fallen_gains_nothing():
    """And one that has gains at most a share, after a while."""
    fallen = torch.zeros(200, 50)
    assert (gained_by(fallen, dice(200)) == 0).all()
    fallen[:, 20:] = 0.9
    gained = gained_by(fallen, dice(200))
    assert (gained[:, :20] == 0).all() and (gained.diff(dim=1) >= -1e-6).all() and gained.max() < 0.9
    assert gained[:, -1].mean() > 0.1


def test_time_stands_still_without_a_rate():
    """Where it counts by rates, and nowhere does it run back."""
    rate = torch.ones(100, 30)
    rate[:, 15:] = LEAST
    clock = time_by_rate(rate, dice(100))
    assert (clock[:, 0] == 1).all() and (clock.diff(dim=1) >= 0).all()
    assert ((clock[:, -1] - clock[:, 14]) < 0.01).any() and (clock[:, 14] - 15).abs().max() < 1e-4


@pytest.mark.parametrize("told", [True, False])
def test_the_network_that_is_told_reads_the_plan_and_the_other_does_not(told):
    """Another rate at an epoch ahead is another forecast of it, and of no other epoch."""
    net = told_network.training(TINY["1x16"], told).network().eval()
    made = planned_runs(3, 30, torch.Generator().manual_seed(1))
    x = told_network.epochs(made.rate)
    changed = x.clone()
    changed[:, 20, 1] = 0.5 * x[:, 20, 1]
    first, other = (
        net.density(x[:, :10], made.y[:, :10], each[:, 10:]).quantile(0.3) for each in (x, changed)
    )
    differs = (first != other).any(0)
    assert differs[10].item() == told and not differs[torch.arange(20) != 10].any()


def test_both_networks_see_the_same_batches_and_no_curve_twice():
    """Epochs 1 to a cutoff, queries behind it, values that follow their own plan."""
    told, untold = (told_network.training(TINY["1x16"], which) for which in (True, False))
    for one, other in zip(told.batches(3, "cpu"), untold.batches(3, "cpu"), strict=True):
        assert all((a == b).all() for a, b in zip(one[:4], other[:4], strict=True))
        T = one.x.shape[1]
        assert (one.x[..., 0] == torch.arange(1, T + 1)).all() and one.x_query[..., 0].min() > T
        assert one.y.shape == one.x.shape[:2] and one.y_query.shape == one.x_query.shape[:2]
    first, later = (next(told.batches(step, "cpu")) for step in (0, 1))
    assert not torch.isclose(first.y[:, :1], later.y[:, :1].T).all(1).any()


def test_fewer_real_curves_are_the_first_of_more(smoke_rows):
    own = smoke_rows("own_curves")
    few, more = (question.real(own, most, 0) for most in (3, 6))
    assert [one.trial.values.tolist() for one in few] == [one.trial.values.tolist() for one in more[:3]]
    assert all(len(one.plan) == len(one.trial.values) for one in more)
