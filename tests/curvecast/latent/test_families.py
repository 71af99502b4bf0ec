"""Guards curvecast/latent/families.py: what every code must keep to, whatever is inside."""

import math

import pytest
import torch

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from curvecast.latent.autoencoder import AutoencoderConfig
from curvecast.latent.contractive import Contractive
from curvecast.latent.families import FAMILIES
from curvecast.latent.fit import Steps, fit
from curvecast.latent.predictive_sparse import SparseConfig
from curvecast.latent.principal import principal
from curvecast.latent.variational import VariationalConfig

CURVES = prior.test_set(200).clean
EVERY = pytest.mark.parametrize("name", FAMILIES)


def code(name):
    torch.manual_seed(0)
    return FAMILIES[name](CURVES)


@EVERY
def test_a_code_is_a_row_of_numbers_and_decodes_to_a_curve(name):
    net = code(name)
    numbers = net.encode(CURVES[:7])
    assert numbers.ndim == 2 and len(numbers) == 7 and net.decode(numbers).shape == (7, 100)


@EVERY
def test_curves_of_a_batch_do_not_know_one_another(name):
    net = code(name).double()
    x = CURVES[:5].double()
    alone = torch.cat([net.encode(one[None]) for one in x])
    assert torch.allclose(net.encode(x), alone, atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight(name):
    """After a first step: a bent part starts as zero, and what feeds it has no gradient before."""
    net = fit(code(name), lambda step: (CURVES, CURVES), Steps(1))
    net.loss(CURVES, CURVES).backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all() and weight.grad.any(), where


@EVERY
def test_training_brings_curves_back(name):
    """Held-out ones: to a third of what the mean curve leaves."""
    net = fit(code(name), lambda step: (CURVES[:150], CURVES[:150]), Steps(300, 1e-2))
    x = CURVES[150:]
    left = (net.decode(net.encode(x)) - x).square().mean().sqrt()
    assert left < (x - CURVES[:150].mean(0)).square().mean().sqrt() / 3


@EVERY
def test_curves_that_do_not_fit_are_refused_in_one_sentence(name):
    net = code(name)
    with pytest.raises(UserError, match=r"give \(n, 100\)"):
        net.encode(CURVES[:, :99])
    with pytest.raises(UserError, match="NaN or infinity"):
        net.encode(torch.full((1, 100), torch.nan))


@pytest.mark.parametrize(
    "make",
    [lambda: AutoencoderConfig(9).network(principal(CURVES, 8)), lambda: VariationalConfig(0).network(principal(CURVES, 8)),
     lambda: VariationalConfig(beta=math.nan).network(principal(CURVES, 8)),
     lambda: Contractive(CURVES[0], 8, -1.0), lambda: SparseConfig(0).network(CURVES[0]), lambda: principal(CURVES[:4], 5)],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(UserError):
        make()
