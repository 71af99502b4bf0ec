"""Guards scaling_prior.py, log_axes.py and the targets of their training: laws are what they are said to be, in any unit."""

import math
from dataclasses import replace

import numpy as np
import torch

from curvecast.curves import scaling_prior
from curvecast.curves.laws.growth import Dice
from curvecast.curves.scaling_prior import ScalingPrior
from curvecast.ground.log_axes import LogScale
from curvecast.training.scaling_curves import asked

PLAIN = ScalingPrior(breaks=(), plateau=0, wiggles=0, spikes=0, records=0, log_noise=(-40, -39))


def test_the_scale_goes_there_and_back_with_its_slope():
    scale, z = LogScale.of(np.log(1.5 + 40 * np.geomspace(1e3, 1e6, 20) ** -0.4)), np.linspace(-3, 8, 50)
    assert np.allclose(scale.back(scale.to(z)), z)
    slope = (scale.to(z + 1e-6) - scale.to(z - 1e-6)) / 2e-6
    assert np.allclose(np.log(np.abs(slope)), scale.log_slope(z), atol=1e-5)
    numbers = np.array([-0.5, 0.0, 0.01, 0.9])
    assert np.allclose(scale.exponent(scale.of_exponent(numbers, 7.0), 7.0), numbers)
    assert np.allclose(scale.floor(scale.of_floor(z)), z)


def test_the_law_that_is_asked_for_is_that_of_the_curve_on_the_scale_of_what_was_seen():
    """Also where the scale is that of fewer points."""
    curves = scaling_prior.sample(ScalingPrior(), 100, 30, 4, torch.Generator().manual_seed(0))
    for until in (5, 30):
        *_, targets, _ = (part.numpy() for part in asked(curves, until))
        scale = LogScale.of(curves.z[:, :until].double().numpy())
        assert np.allclose(scale.floor(targets[:, -2:-1]), curves.floor.numpy(), atol=1e-3)
        exponent = scale.exponent(targets[:, -1:], curves.end.numpy())
        assert np.allclose(exponent, curves.exponent.numpy(), atol=1e-4)


def test_a_curve_without_a_break_is_a_power_law_above_its_floor():
    curves = scaling_prior.sample(PLAIN, 200, 30, 20, torch.Generator().manual_seed(0))
    above = (curves.z.double().exp() - curves.floor.double().exp()).log()
    slope = (above[:, 10] - above[:, 0]) / (curves.l[:, 10] - curves.l[:, 0])
    usual = curves.floor[:, 0] < curves.z[:, -1] + math.log(0.9)  # else too few digits are left
    assert usual.sum() > 100 and torch.allclose(
        -slope[usual], curves.exponent[usual, 0].double(), rtol=0.02, atol=1e-3
    )


def test_a_plateau_lowers_the_floor_as_it_lowers_all_values():
    """Long after a plateau, a curve without noise lies at the floor that it is said to have."""
    late = replace(PLAIN, plateau=1.0, decades=(25.0, 26.0), slopes=(0.5, 0.6), floor=(1e6, 1e7))
    curves = scaling_prior.sample(late, 100, 20, 20, torch.Generator().manual_seed(0))
    assert (curves.z_query - curves.floor).abs().median() < 1e-3


def test_the_last_slope_of_a_broken_line_is_its_exponent():
    """Far behind the last bend; the first slope is another one."""
    dice, end = Dice(300, torch.Generator().manual_seed(0)), torch.full((300, 1), 5.0)
    places = torch.tensor([[0.0, 60.0, 61.0]]).expand(300, 3)
    z, exponent = scaling_prior.bent(ScalingPrior(breaks=(1.0, 0.5, 0.5)), places, end, dice)
    assert torch.allclose(z[:, 1] - z[:, 2], exponent[:, 0], atol=1e-3)
    assert (exponent < 0).any()
    assert z[:, 0].abs().max() < 1e-6


def test_records_are_the_best_so_far_and_the_others_are_all_there():
    generator = torch.Generator().manual_seed(0)
    noisy = ScalingPrior(records=1.0, log_noise=(-3, -2))
    curves = scaling_prior.sample(noisy, 100, 40, 5, generator)
    falls = torch.where(curves.mask[:, 1:], curves.z.diff(dim=1), 0.0)
    assert (falls <= 0).all(1).float().mean() > 0.7 and (
        ~curves.mask
    ).any()  # the others have too few of them
    every = scaling_prior.sample(replace(noisy, records=0.0), 100, 40, 5, generator)
    assert every.mask.all() and (every.z.diff(dim=1) > 0).float().mean() > 0.2
    assert (every.l.diff(dim=1) >= 0).all()
    assert (every.l_query > every.l[:, -1:]).all()
    assert (every.l_query <= every.end).all()
