"""Guards curvecast/networks/backbones/families.py: what every backbone must keep to, whatever is inside."""

import pytest
import torch
from torch import Tensor

from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.backbones.reader import Reader, ReaderConfig

BORDERS = torch.linspace(0, 1, 21)
EVERY = pytest.mark.parametrize("name", FAMILIES)


def reader(name: str) -> Reader:
    """The last layer is not the identity that it starts as, so the context affects the forecast."""
    torch.manual_seed(0)
    net = ReaderConfig(FAMILIES[name], width=24).network(BORDERS).eval()
    for module in net.modules():
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.xavier_uniform_(module.weight)
    return net


def curves(B: int = 3, T: int = 9) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.arange(1.0, T + 1).expand(B, T)
    return x, torch.rand(B, T, generator=generator), torch.tensor([12.0, 30, 99]).expand(B, 3)


@EVERY
@pytest.mark.parametrize("T", [1, 2, 7, 33])
def test_any_length_has_a_forecast_for_each_query(name, T):
    """Including one point, and a number that is no power of two."""
    x, y, x_query = curves(T=T)
    logits = reader(name)(x, y, x_query + T)
    assert logits.shape == (3, 3, 20) and torch.isfinite(logits).all()


@EVERY
def test_the_beginning_matters(name):
    """Both the first and the last observed value affect the forecast."""
    x, y, x_query = curves()
    y = y.clone().requires_grad_()
    reader(name)(x, y, x_query)[..., ::2].logsumexp(-1).sum().backward()
    assert (y.grad[:, [0, -1]].abs() > 0).all()


@EVERY
def test_curves_of_a_batch_do_not_know_one_another(name):
    x, y, x_query = curves()
    net, other = reader(name), y.clone()
    other[1] = 0.3
    assert torch.equal(net(x, y, x_query)[0], net(x, other, x_query)[0])


@EVERY
def test_queries_do_not_know_one_another(name):
    """A query alone or among others, in any order, also for an observed epoch."""
    x, y, x_query = curves()
    x_query = torch.cat([x_query, x[:, 4:5]], 1)
    net = reader(name)
    together = net(x, y, x_query)
    assert torch.allclose(net(x, y, x_query.flip(1)).flip(1), together, atol=1e-5)
    assert torch.allclose(net(x, y, x_query[:, 1:2])[:, 0], together[:, 1], atol=1e-5)


@EVERY
def test_what_is_masked_never_enters(name):
    """Masked points, even NaN, have no effect, also in a batch of unequal lengths."""
    x, y, x_query = (part.double() for part in curves())
    net = reader(name).double()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, [0, 4, 5]] = False
    mask[1, 1:] = False
    y = torch.where(mask, y, torch.nan)
    logits = net(x, y, x_query, mask)
    for i in range(3):
        few = mask[i]
        alone = net(x[i : i + 1, few], y[i : i + 1, few], x_query[i : i + 1])
        assert torch.allclose(logits[i], alone[0], atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight(name):
    x, y, x_query = curves()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, 3:] = False
    net = reader(name).train()
    net.log_density(
        x, torch.where(mask, y, torch.nan), x_query, torch.full((3, 3), 0.4), mask
    ).sum().backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None, f"{where} is never used"
        assert torch.isfinite(weight.grad).all(), where


@pytest.mark.parametrize("name", [n for n, config in FAMILIES.items() if config.hands == "all"])
def test_states_of_a_causal_backbone_know_nothing_of_what_comes_later(name):
    """By the gradient of the third of eight states, up to rounding of the FFT; other backbones depend on later points."""
    config = FAMILIES[name]
    torch.manual_seed(0)
    backbone = config.make(24)
    for module in backbone.modules():
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.xavier_uniform_(module.weight)
    u = torch.randn(1, 8, 24, requires_grad=True)
    backbone(u, torch.arange(1.0, 9)[None], None).states[0, 2, 0].backward()
    now, later = u.grad[0, 2].abs().sum(), u.grad[0, 3:].abs().sum()
    assert later < 1e-5 * now if config.causal else later > 1e-3 * now


def test_no_two_families_share_a_label():
    labels = [ReaderConfig(config, width=24).label for config in FAMILIES.values()]
    assert len(set(labels)) == len(labels)
