"""Guards curvecast/latent/prefix_code.py: the code is all that a forecast knows, and its price is what training pays."""

from dataclasses import replace

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.latent.prefix_code import PrefixCodeConfig
from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.bars import Bars

BORDERS = torch.linspace(0, 1, 21)
SMALL = PrefixCodeConfig(3, backbone=CausalCNNConfig(2, "pooled"), width=16, samples=8)


def network(config=SMALL):
    torch.manual_seed(0)
    return config.network(BORDERS)


def curves(T=9):
    generator = torch.Generator().manual_seed(1)
    x = torch.arange(1.0, T + 1).expand(4, T)
    return x, torch.rand(4, T, generator=generator), torch.tensor([12.0, 30, 99]).expand(4, 3)


def test_forward_and_log_density_are_one_forecast():
    x, y, x_query = curves()
    net, y_query = network().eval(), torch.rand(4, 3)
    whole = Bars(BORDERS, net(x, y, x_query)).log_density(y_query)
    assert torch.allclose(net.log_density(x, y, x_query, y_query), whole, atol=1e-3)


def test_the_code_is_all_that_a_forecast_knows():
    """Another code, the same forecast of a curve; and the beginning matters through it."""
    x, y, x_query = curves()
    net = network().eval()
    posterior = network().eval().posterior(x[:1], y[:1])
    same = posterior._replace(mean=posterior.mean.expand(4, -1), sd=posterior.sd.expand(4, -1))
    net.posterior = lambda *_: same
    logits = net(x, y, x_query)
    assert torch.allclose(logits[0], logits[1], atol=1e-5)
    y = y.requires_grad_()
    network().posterior(x, y).mean.sum().backward()
    assert (y.grad[:, [0, -1]].abs() > 0).all()


@pytest.mark.parametrize("aim", ["bottleneck", "elbo"])
def test_training_pays_for_the_rate_alone(aim):
    """The loss with a price minus the loss without one is beta times the KL, shared among the queries."""
    x, y, x_query = curves()
    y_query = torch.rand(4, 3)
    losses = []
    for beta in (0.0, 0.6):
        net = network(replace(SMALL, aim=aim, beta=beta)).train()
        torch.manual_seed(5)
        losses.append(net.log_density(x, y, x_query, y_query))
    prior = net.posterior(x, y)
    both = net.posterior(torch.cat([x, x_query], 1), torch.cat([y, y_query], 1))
    rate = prior.rate() if aim == "bottleneck" else both.rate(prior)
    assert torch.allclose(losses[0] - losses[1], 0.2 * rate[:, None].expand(4, 3), atol=1e-5)


def test_masked_points_never_enter():
    x, y, _ = (part.double() for part in curves())
    net, mask = network().double().eval(), torch.ones(4, 9, dtype=torch.bool)
    mask[0, 3:] = False
    few = net.posterior(x[:1, :3], y[:1, :3]).mean
    assert torch.allclose(net.posterior(x, torch.where(mask, y, torch.nan), mask).mean[:1], few, atol=1e-9)


@pytest.mark.parametrize("change", [{"aim": "none"}, {"beta": -1.0}, {"beta": float("nan")}, {"code": 0}])
def test_settings_that_make_no_sense_are_refused(change):
    with pytest.raises(UserError, match="bottleneck or elbo"):
        replace(SMALL, **change).network(BORDERS)
