"""Guards what many passes and damaged curves rest on: maps that keep a density a density, and what is lost of a beginning."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import yeojohnson
from torch.nn.utils.rnn import pad_sequence

from curvecast.curves.prior import second_test_set
from curvecast.training.forecaster import Forecaster
from reproduce.priors.damaged_curves import damage, question
from reproduce.priors.many_passes.asked import Curves, portions
from reproduce.priors.many_passes.passes import Asked, MapsConfig, drawn, passes, together
from reproduce.protocols.real_curve import trial
from reproduce.trainings import TINIEST

STRONG = MapsConfig(edge=0.4, power=0.9, bent=1.0)
MAPS = [drawn(STRONG, 3, torch.Generator().manual_seed(seed)) for seed in range(3)]
Y = second_test_set(20).noisy


@pytest.fixture(scope="module")
def untrained() -> Forecaster:
    return Forecaster(TINIEST["1x8"], TINIEST["1x8"].network().eval(), [])


def asked(y_query: torch.Tensor) -> Asked:
    """The beginnings of three curves, asked for one later epoch at several values."""
    x, x_query = torch.arange(1.0, 11).expand(3, -1), torch.full((3, len(y_query)), 50.0)
    return Asked(x, Y[:3, :10], x_query, y_query.expand(3, -1))


def test_the_bend_is_yeo_and_johnsons_with_0_and_1_in_place():
    """Values below 0 and above 1, which noise makes, included."""
    by, y = MAPS[0], np.linspace(-0.5, 1.5, 41)
    exponents, unit = by.exponent.flatten().tolist(), STRONG.unit
    theirs = [yeojohnson(y / unit, power) / yeojohnson(1 / unit, power) for power in exponents]
    ours = (by(torch.tensor(y)) - by.low) / (by.high - by.low)
    assert np.allclose(ours, theirs, atol=1e-6)


def test_the_slope_of_a_map_is_its_derivative():
    y = torch.linspace(-0.5, 1.5, 41).double().repeat(3, 1).requires_grad_()
    by = MAPS[0]
    (slope,) = torch.autograd.grad(by(y).sum(), y)
    assert torch.allclose(slope.log(), by.log_slope(y), atol=1e-5)


def test_every_pass_is_a_density_and_their_average_has_its_mass(untrained):
    """Without the slope of its map a pass would not integrate to one."""
    grid = torch.linspace(-3, 4, 14_001)
    found = passes(untrained, asked(grid), MAPS)
    width = float(grid[1] - grid[0])
    mass = found.log_density.double().exp().cumsum(-1) * width  # (M, B, Q)
    assert ((mass[..., -1] - 1).abs() < 5e-3).all()
    average = together(found.log_density).double().exp().cumsum(-1) * width
    assert torch.allclose(average, found.below.mean(0).double(), atol=5e-3)


def test_an_average_is_never_below_the_mean_of_its_passes(untrained):
    """Jensen's inequality, and equality where all passes are one."""
    y_query = torch.linspace(0, 1, 7)
    found = passes(untrained, asked(y_query), MAPS).log_density
    assert (together(found) > found.mean(0)).all()
    same = passes(
        untrained, asked(y_query), [drawn(MapsConfig(edge=0, power=0), 3, torch.Generator())] * 3
    ).log_density
    assert torch.allclose(together(same), same[0], atol=1e-5)


def test_real_curves_are_cut_where_other_questions_cut_them():
    """Later points end with the last one, and none is shown."""
    values = [np.linspace(0.1, 0.9, n) for n in (2, 7, 30, 100)]
    y = [torch.tensor(one) for one in values]
    curves = Curves(pad_sequence(y, batch_first=True), torch.tensor([2, 7, 30, 100]), np.zeros(4))
    for seen in (10, 20, 40):
        cutoffs = [trial(one, 0, 1, False).cutoff(seen) for one in values]
        assert curves.cutoff(seen).tolist() == cutoffs
        for which, some in portions(curves, seen, 5):
            assert (some.x_query > some.x.max()).all()
            assert some.y.shape[1] == cutoffs[which[0]]
            assert torch.allclose(some.y_query[:, -1], torch.tensor(0.9).double())


@pytest.mark.parametrize("drop", [damage.at_random, damage.in_a_block])
def test_as_many_points_are_lost_as_was_said_and_filled_as_pandas_and_numpy_do(drop):
    for share in (0.1, 0.4, 0.9):
        y = Y[:, :10]
        there = drop(y, share, torch.Generator().manual_seed(0))
        assert ((~there).sum(1) == round(10 * share)).all()
        gone = pd.DataFrame(y.where(there, torch.nan).numpy())
        assert np.allclose(damage.last_value(y, there), gone.ffill(axis=1).bfill(axis=1))
        pairs = zip(y.numpy(), there.numpy(), strict=True)
        lines = [np.interp(range(10), np.flatnonzero(kept), one[kept]) for one, kept in pairs]
        assert np.allclose(damage.straight_line(y, there), lines, atol=1e-6)


def test_values_that_are_left_out_play_no_part(untrained):
    there = damage.at_random(Y[:, :10], 0.4, torch.Generator().manual_seed(0))
    shown = damage.Shown(damage.RANDOM, 0.4, damage.LEFT_OUT, Y[:, :10], there)
    same = question.scores(untrained, shown._replace(y=Y[:, :10].where(there, torch.nan)), Y, 4)
    assert same.equals(question.scores(untrained, shown, Y, 4))
