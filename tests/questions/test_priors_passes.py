"""Guards what many passes and damaged curves rest on: maps that keep a density a density, and what is lost of a beginning."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import yeojohnson

from curvecast.curves.prior import second_test_set
from curvecast.training.forecaster import Forecaster
from reproduce.priors import damaged_curves
from reproduce.priors._passes import Asked, Maps, passes, together
from reproduce.trainings import TINIEST

STRONG = Maps(edge=0.4, power=0.9, bent=1.0)
MAPS = [STRONG.drawn(3, torch.Generator().manual_seed(seed)) for seed in range(3)]
Y = second_test_set(20).noisy


@pytest.fixture(scope="module")
def untrained() -> Forecaster:
    return Forecaster(TINIEST["1x8"], TINIEST["1x8"].network().eval(), [])


def asked(y_query: torch.Tensor) -> Asked:
    """The beginnings of three curves, asked for one later epoch at several values."""
    x, x_query = torch.arange(1.0, 11).expand(3, -1), torch.full((3, len(y_query)), 50.0)
    return x, Y[:3, :10], x_query, y_query.expand(3, -1)


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


def test_every_pass_is_a_density_and_so_is_their_average(untrained):
    """Without the slope of its map a pass would not integrate to one."""
    grid = torch.linspace(-3, 4, 14_001)
    found = passes(untrained, asked(grid), MAPS)  # (M, B, Q)
    for log_density in (*found, together(found)):
        mass = log_density.double().exp().sum(-1) * (grid[1] - grid[0])  # (B,)
        assert ((mass - 1).abs() < 5e-3).all()


def test_an_average_is_never_below_the_mean_of_its_passes(untrained):
    """Jensen's inequality, and equality where all passes are one."""
    found = passes(untrained, asked(torch.linspace(0, 1, 7)), MAPS)
    assert (together(found) > found.mean(0)).all()
    unmoved = Maps(edge=0, power=0).drawn(3, torch.Generator())
    same = passes(untrained, asked(torch.linspace(0, 1, 7)), [unmoved] * 3)
    assert torch.allclose(together(same), same[0], atol=1e-5)


@pytest.mark.parametrize("drop", [damaged_curves.at_random, damaged_curves.in_a_block])
def test_as_many_points_are_lost_as_was_said_and_filled_as_pandas_and_numpy_do(drop):
    for share in (0.1, 0.4, 0.9):
        y = Y[:, :10]
        there = drop(y, share, torch.Generator().manual_seed(0))
        assert ((~there).sum(1) == round(10 * share)).all()
        gone = pd.DataFrame(y.where(there, torch.nan).numpy())
        assert np.allclose(damaged_curves.last_value(y, there), gone.ffill(axis=1).bfill(axis=1))
        pairs = zip(y.numpy(), there.numpy(), strict=True)
        lines = [np.interp(range(10), np.flatnonzero(kept), one[kept]) for one, kept in pairs]
        assert np.allclose(damaged_curves.straight_line(y, there), lines, atol=1e-6)


def test_values_that_are_left_out_play_no_part(untrained):
    there = damaged_curves.at_random(Y[:, :10], 0.4, torch.Generator().manual_seed(0))
    shown = damaged_curves.Shown(damaged_curves.RANDOM, 0.4, damaged_curves.LEFT_OUT, Y[:, :10], there)
    same = damaged_curves.scores(untrained, shown._replace(y=Y[:, :10].where(there, torch.nan)), Y, 4)
    assert same.equals(damaged_curves.scores(untrained, shown, Y, 4))
