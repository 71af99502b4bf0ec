"""Guards curvecast/curves/outside_prior.py: what is changed, and what is left as the prior has it."""

import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.outside_prior import KINDS, OWN

CURVES = prior.test_set(200)
EPOCH = torch.arange(1, 101)


def made(name: str) -> torch.Tensor:
    return KINDS[name].make(CURVES, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", [n for n in KINDS if n != OWN])
def test_each_kind_differs_from_the_priors_own_by_epoch_61(name):
    """Each kind changes the curves, except the prior's own."""
    assert not torch.equal(made(name)[:, 60:], made(OWN)[:, 60:])
    assert torch.equal(made(OWN), CURVES.noisy)


@pytest.mark.parametrize(("name", "last"), [("learning rate drops", 50), ("overfits", 30), ("diverges", 55)])
def test_a_late_change_leaves_what_came_before_as_it_was(name, last):
    """The beginning is that of a curve of the prior."""
    differs = (made(name) != CURVES.noisy).any(0)
    assert not differs[:last].any() and differs[last:].all()


def test_a_drop_of_the_rate_gains_a_third_of_what_is_missing():
    """From epoch 51 on the clean curve has a third less to go to 1."""
    clean = made("learning rate drops") - (CURVES.noisy - CURVES.clean)
    assert torch.allclose(1 - clean[:, 50:], (1 - CURVES.clean[:, 50:]) * 2 / 3, atol=1e-5)


def test_spikes_and_teeth_are_where_they_are_said_to_be():
    """Spikes at 5, 15, 25 and so on; a tooth is ten epochs long and as much above as below."""
    low = (made("spikes") - CURVES.noisy).mean(0)
    assert ((low < -0.1) == (EPOCH % 10 == 5)).all()
    tooth = (made("sawtooth") - CURVES.noisy).mean(0).reshape(10, 10)
    assert torch.allclose(tooth, tooth[0].expand(10, 10), atol=1e-5) and abs(tooth.sum()) < 1e-4


def test_heavy_tails_have_the_size_of_the_normal_noise():
    """The same standard deviation, but more points beyond four of it, and more within a half."""
    z = (made("heavy-tailed noise") - CURVES.clean) / CURVES.sigma[:, None]
    assert z.square().mean() == pytest.approx(1, abs=0.2)
    assert (z.abs() > 4).float().mean() > 0.003 and (z.abs() < 0.5).float().mean() > 0.5
