"""Guards run_prior.py, laws/planned_runs.py and laws/rates.py: plans are what they are called, and have their effects."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast.curves import run_prior
from curvecast.curves.laws import rates
from curvecast.curves.laws.growth import Dice
from curvecast.curves.laws.planned_runs import SHORTEST, Shares, planned_runs
from curvecast.curves.run_prior import UNKNOWN, RunPrior
from curvecast.ground.errors import UserError

N, T = 4000, 100
X = torch.arange(1.0, T + 1)[None]


def planned(seed=0, n=N, **shares):
    return planned_runs(replace(Shares(), **shares), n, T, torch.Generator().manual_seed(seed))


def test_a_rate_begins_low_or_at_its_height_and_never_rises_after_it():
    """Between LEAST and 1; constant ones stay, annealed ones fall to zero by the end, dropping ones in one to three steps."""
    made = planned()
    assert made.rate.min() >= rates.LEAST - 1e-9 and made.rate.amax(1).allclose(torch.ones(N))
    height = made.rate.argmax(1, keepdim=True)
    assert (made.rate.diff(dim=1)[torch.arange(T - 1) >= height] <= 1e-6).all()
    whole = made.end == T  # of a run of eight epochs the last may come before the rate falls
    assert made.rate[whole & (made.shape == 0), -1].eq(1).all()
    assert made.rate[whole & (made.shape >= 2), -1].max() < 0.15
    falls = (made.rate.diff(dim=1) < -1e-6).sum(1)[whole & (made.shape == 1)]
    assert falls.min() == 1 and falls.max() == 3


@pytest.mark.parametrize("milestones", [0.0, 1.0])
def test_drops_fall_on_round_shares_of_the_run_where_that_is_asked(milestones):
    dice = Dice(N, torch.Generator().manual_seed(0))
    rate = rates.dropped(X, torch.full((N, 1), float(T)), torch.zeros(N, 1), milestones, dice)
    when = (rate.diff(dim=1) < 0).nonzero()[:, 1] + 1  # the last epoch before the drop
    round_ones = torch.tensor([int(share * T) for share in rates.ROUND])
    share = torch.isin(when, round_ones).double().mean().item()
    assert share == 1.0 if milestones else share < 0.3


def test_time_by_the_rate_stands_still_where_the_rate_is_nothing():
    half = torch.cat([torch.ones(1, 50), torch.full((1, 50), 1e-3)], 1)
    clock = rates.time_by_rate(half, 1.0, Dice(1, torch.Generator()))
    assert torch.allclose(clock[0, :50], X[0, :50]) and clock[0, -1] < 50.1
    assert rates.followed(torch.ones(1, 5), torch.full((1, 1), 1e-3))[0, 1:].allclose(torch.ones(4))


def test_a_drop_lifts_runs_that_gain_by_it_and_quietens_them():
    """Against the same runs (same dice) that gain nothing, whose noise does not follow the rate."""
    flat = {
        "constant": 0.0, "drops": 1.0, "short": 0.0, "late": 0.0, "drift": 0.0, "settles": 0.0, "by_clock": 0.0,
    }  # fmt: skip
    gaining, indifferent = planned(leaps=1.0, calmer=1.5, **flat), planned(leaps=0.0, calmer=0.0, **flat)
    dropped = gaining.rate[:, -1] < 0.2
    lift = (gaining.clean - indifferent.clean)[dropped]
    before = gaining.rate[dropped] > 0.99
    assert lift[:, -1].mean() > 0.02 and lift[before].abs().median() < 1e-3
    noise = [(made.noisy - made.clean)[dropped][:, -5:].abs().median() for made in (gaining, indifferent)]
    assert noise[0] < 0.7 * noise[1]


def test_runs_at_chance_level_begin_at_one_in_so_many_and_half_of_them_stay():
    made = planned(chance=1.0, short=0.0, drift=0.0)
    levels = made.clean[:, 0]
    near = torch.stack([(levels - 1 / ways).abs() < 1e-3 for ways in (2, 4, 10)]).any(0)
    assert 0.2 < near.double().mean() < 0.7  # scores; the others are losses, or of other levels
    stays = (made.clean[near, -1] - levels[near]).abs() < 0.02
    assert 0.4 < stays.double().mean() < 0.9


def test_some_runs_end_early_and_all_numbers_are_finite():
    made = planned(short=0.5)
    assert made.end.min() >= SHORTEST and made.end.max() == T and 0.45 < (made.end < T).double().mean() < 0.55
    assert all(part.isfinite().all() for part in made[:4]) and made.noisy.abs().max() < 50


def test_the_three_kinds_have_their_shares_and_plans_are_told_of_some():
    runs = run_prior.runs(RunPrior(paper=0.5, real=0.2), N, torch.Generator().manual_seed(0))
    assert runs.of_paper.sum() == N / 2
    assert (runs.end[runs.of_paper] == T).all()
    told = (runs.rate > UNKNOWN).all(1)
    assert ((runs.rate == UNKNOWN).all(1) | told).all()
    assert told[runs.of_paper].double().mean() == pytest.approx(0.75, abs=0.05)
    assert told[~runs.of_paper].double().mean() == pytest.approx(0.45, abs=0.05)  # of the laws of 0.2 none
    assert runs.rate[runs.of_paper & told, -1].eq(1).all()  # at a constant rate, perhaps after a warm-up
    first = runs.noisy[: N // 4][runs.of_paper[: N // 4]]
    assert 0.2 < len(first) / (N // 4) < 0.8  # mixed, not one kind after the other


@pytest.mark.parametrize("generator", [torch.Generator, np.random.default_rng])
def test_any_generator_gives_curves(generator):
    curves = RunPrior(length=20).sample(50, generator())
    assert curves.noisy.shape == (50, 20) and curves.sigma.shape == (50,)


def test_shares_that_make_more_than_all_curves_are_refused():
    with pytest.raises(UserError, match="sum to at most 1"):
        RunPrior(paper=0.8, real=0.3)
