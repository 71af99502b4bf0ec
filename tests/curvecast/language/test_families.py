"""Guards curvecast/language/families.py, and holds all models of the registry to the same rules."""

import math

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.continuations import continuations
from curvecast.language.families import FAMILIES
from curvecast.language.model import LanguageModel, LanguageModelConfig
from curvecast.networks.query_network import parameters

BORDERS = torch.linspace(0, 1, 13)


@pytest.fixture(params=[(name, tied) for name in FAMILIES for tied in (False, True)], ids=str)
def net(request) -> LanguageModel:
    torch.manual_seed(0)
    name, tied = request.param
    return LanguageModelConfig(FAMILIES[name], 8, tied).network(BORDERS).eval()


def log_density(net, y):
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    return net.log_density(x, y, x, y)


def test_gradients_are_finite_and_reach_all_parameters(net):
    log_density(net, torch.rand(3, 12)).mean().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() and p.grad.any() for p in net.parameters())


def test_no_point_is_foreseen_from_itself_or_later_ones(net):
    y = torch.rand(2, 9)
    other = y.clone()
    other[:, 5:] = torch.rand(2, 4)
    assert torch.allclose(net(y)[:, :6], net(other)[:, :6], atol=1e-6)
    assert not torch.allclose(net(y)[:, 6:], net(other)[:, 6:], atol=1e-6)


@torch.no_grad()
def test_the_product_of_next_words_is_the_likelihood_of_the_curve(net):
    """The chain rule: one pass over the curve, and one pass for each beginning of it."""
    y = torch.rand(2, 7)
    one_by_one = [net(y[:, : t + 1])[:, -1].log_softmax(-1) for t in range(7)]
    words = net.vocabulary.words(y)
    product = sum(
        p.gather(-1, words[:, t : t + 1])[:, 0] + net.vocabulary.within(y[:, t], words[:, t])
        for t, p in enumerate(one_by_one)
    )
    assert torch.allclose(log_density(net, y).double().sum(1), product.double(), atol=1e-6, rtol=1e-6)


@torch.no_grad()
def test_the_first_later_epoch_of_a_continuation_is_exact(net):
    y = torch.rand(2, 6)
    grown = continuations(net, y[:, :5], 3, 4, torch.Generator().manual_seed(0))
    assert grown.words.shape == (2, 4, 3) and grown.marginals.log_p.shape == (2, 3, 12)
    assert torch.allclose(
        grown.marginals[:, :1].log_density(y[:, 5:])[:, 0], log_density(net, y)[:, 5], atol=1e-5
    )
    assert torch.allclose(grown.marginals.log_p.exp().sum(-1), torch.ones(2, 3))


def test_bad_input_gets_a_sentence(net):
    for y in (torch.empty(2, 0), torch.rand(5)):
        with pytest.raises(UserError, match="at least one point"):
            net(y)
    with pytest.raises(UserError, match="NaN is no value"):
        net(torch.full((1, 3), math.nan))
    assert net(torch.rand(1, 1)).shape == (1, 1, 12)  # a prefix of one point is enough


@pytest.mark.parametrize("name", FAMILIES)
def test_all_have_the_same_size_and_tied_ends_save_one_of_two_tables(name):
    free, tied = (parameters(LanguageModelConfig(FAMILIES[name], 64, tied)) for tied in (False, True))
    between = tied - 64 * 2  # of two borders: one word, and the one that begins a curve
    assert 0.97 < between / (16 * 64**2) < 1.03 and free - tied == 64
