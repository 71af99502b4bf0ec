"""Guards model.py, window.py, continuations.py and all models of the registry: the chain rule, and what they cannot see."""

import math

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.continuations import continuations
from curvecast.language.model import LanguageConfig, LanguageModel, LanguageModelConfig, own_perplexity
from curvecast.language.skip_gram import WindowConfig
from curvecast.language.vocabulary import FAMILIES
from curvecast.networks.backbones.recurrent import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.bars import BarsConfig
from curvecast.networks.query_network import parameters
from curvecast.training.steps import Training

BORDERS = torch.linspace(0, 1, 13)


@pytest.fixture(params=[(name, tied) for name in FAMILIES for tied in (False, True)], ids=str)
def net(request) -> LanguageModel:
    torch.manual_seed(0)
    name, tied = request.param
    return LanguageModelConfig(FAMILIES[name], 8, tied).network(BORDERS).eval()


def small(tied=False, words=5) -> LanguageModel:
    return LanguageModelConfig(FAMILIES["feed-forward"], 8, tied).network(torch.linspace(0, 1, words + 1))


def log_density(net, y):
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    return net.log_density(x, y, x, y)


def test_gradients_are_finite_and_reach_all_parameters(net):
    log_density(net, torch.rand(3, 12)).mean().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() and p.grad.any() for p in net.parameters())


def test_no_point_is_foreseen_from_itself_or_later_ones(net):
    y = torch.rand(2, 9)
    other = torch.cat([y[:, :5], torch.rand(2, 4)], 1)
    assert torch.allclose(net(y)[:, :6], net(other)[:, :6], atol=1e-6)
    assert not torch.allclose(net(y)[:, 6:], net(other)[:, 6:], atol=1e-6)


@torch.no_grad()
def test_the_product_of_next_words_is_the_likelihood_of_the_curve(net):
    """The chain rule: one pass over the curve, and one pass for each beginning of it."""
    y = torch.rand(2, 7)
    words = net.vocabulary.words(y)
    one_by_one = torch.stack([net(y[:, : t + 1])[:, -1].log_softmax(-1) for t in range(7)], 1)
    product = one_by_one.gather(-1, words[..., None])[..., 0] + net.vocabulary.within(y, words)
    assert torch.allclose(log_density(net, y), product, atol=1e-5)


@torch.no_grad()
def test_the_first_later_epoch_of_a_continuation_is_exact(net):
    """For each of several curves, also of the others' samples."""
    y = torch.rand(2, 6)
    grown = continuations(net, y[:, :5], 3, 4, torch.Generator().manual_seed(0))
    assert grown.words.shape == (2, 4, 3) and grown.marginals.log_p.shape == (2, 3, 12)
    first = grown.marginals[:, :1].log_density(y[:, 5:])[:, 0]
    assert torch.allclose(first, log_density(net, y)[:, 5], atol=1e-5)
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


@pytest.mark.parametrize(
    "backbone", [LSTMConfig(), LSTMConfig(both_ways=True, hands="all"), TransformerConfig()]
)
def test_a_backbone_that_sees_later_words_or_gives_one_state_is_refused(backbone):
    with pytest.raises(UserError, match="causal"):
        LanguageModelConfig(backbone)


def test_a_state_depends_on_the_words_of_its_window_alone():
    tokens = torch.randn(1, 10, 6, requires_grad=True)
    states = WindowConfig(words=3).make(6)(tokens, torch.arange(10.0)[None], None).states
    states[0, 7].sum().backward()
    assert tokens.grad[0].abs().sum(-1).gt(0).nonzero()[:, 0].tolist() == [5, 6, 7]
    with pytest.raises(UserError, match="reads nothing"):
        WindowConfig(words=0).make(6)


def test_a_word_is_looked_up_as_the_one_hot_vector_times_the_table():
    net, words, x = small(), torch.tensor([[5, 0, 3]]), torch.ones(1, 3)
    one_hot = torch.nn.functional.one_hot(words, 6).float()  # (1, T, K + 1)
    assert torch.allclose(net.tokens(words, x) - net.epoch.embed(x), one_hot @ net.embed.weight, atol=1e-5)


def test_tied_ends_ask_for_a_word_with_the_vector_with_which_it_is_read():
    net, y = small(tied=True), torch.full((1, 3), 0.9)  # another word than the one whose vector grows
    before = net(y).detach()
    with torch.no_grad():
        net.embed.weight[2] *= 3
    changed = (net(y) - before).abs().amax((0, 1)) > 1e-6
    assert changed.tolist() == [False, False, True, False, False]


def test_training_lowers_the_loss_and_reads_each_curve_whole():
    config = LanguageConfig(
        LanguageModelConfig(FAMILIES["feed-forward"], 8), bars=BarsConfig(buckets=8, curves=500), curves=1_280,
        draws="number", lr=2e-3, matrix_lr=0.02,
    )  # fmt: skip
    (batch,) = config.batches(0, "cpu")
    assert batch.y.shape == (64, 100) and torch.equal(batch.y, batch.y_query)
    with Training(config, config.network()) as steps:
        losses = [float(steps.step(i)) for i in range(20)]
    assert losses[-1] < losses[0] - 0.3


def test_a_model_that_is_too_sure_has_a_low_entropy_and_a_high_cross_entropy():
    """Of a uniform model both are the number of words, and where it is right they are equal."""
    right = torch.tensor([0.7, 0.2, 0.1])
    sure = (3 * right.log()).log_softmax(-1)
    on_text = {
        name: (-(right * log_p).sum()).exp().item()
        for name, log_p in (("right", right.log()), ("sure", sure))
    }
    assert own_perplexity(torch.zeros(5, 32)) == pytest.approx(32)
    assert own_perplexity(right.log()) == pytest.approx(on_text["right"])
    assert own_perplexity(sure) < on_text["sure"]


# ---------------------------------------------------------------------------------------------------- continuations


@pytest.mark.parametrize("name", ["LSTM", "feed-forward"])
@torch.no_grad()
def test_the_second_later_epoch_is_the_sum_over_all_words_of_the_first(name):
    """Of two curves, each its own: sampled densities and words tend to the marginal, which four words can sum."""
    torch.manual_seed(1)
    net = LanguageModelConfig(FAMILIES[name], 8).network(torch.linspace(0, 1, 5)).eval()
    net.embed.weight *= 3  # what was read matters
    beginnings, centres = (
        torch.tensor([[0.1, 0.1, 0.1], [0.9, 0.6, 0.9]]),
        net.vocabulary.values(torch.arange(4)),
    )
    grown = continuations(net, beginnings, 2, 4_000, torch.Generator().manual_seed(0))
    for i, y in enumerate(beginnings):
        first = net(torch.cat([y, y[:1]])[None])[0, 3].softmax(-1)
        after = torch.cat([y.expand(4, -1), centres[:, None], centres[:, None]], 1)
        exact = first @ net(after)[:, 4].softmax(-1)
        assert torch.allclose(grown.marginals.log_p[i, 1].exp(), exact, atol=0.01)
        counted = torch.bincount(grown.words[i, :, 1], minlength=4) / 4_000
        assert torch.allclose(counted, exact, atol=0.04)


@torch.no_grad()
def test_a_curve_can_be_sampled_from_its_beginning_on_and_rare_words_left_out():
    """Of four words the one that is rarest next is never drawn."""
    net, nothing = small(words=4), torch.empty(2, 0)
    p = net(torch.zeros(1, 1))[0, 0].softmax(-1)
    random, rare = torch.Generator().manual_seed(0), float(p.min()) + 1e-4
    assert continuations(net, nothing, 5, 3, random).words.shape == (2, 3, 5)
    drawn = continuations(net, nothing, 1, 500, random, rare).words
    assert set(drawn.unique().tolist()) == set(range(4)) - {int(p.argmin())}
    with pytest.raises(UserError, match="none may be left"):
        continuations(net, nothing, 1, 5, random, 0.3)


@pytest.mark.parametrize(
    ("y", "ahead", "samples"), [((0, 3), 1, 1), ((1, 3), 0, 1), ((1, 3), 1, 0), ((3,), 1, 1)]
)
def test_nothing_to_sample_is_refused(y, ahead, samples):
    with pytest.raises(UserError, match="at least one of each"):
        continuations(small(), torch.rand(y), ahead, samples, torch.Generator())
