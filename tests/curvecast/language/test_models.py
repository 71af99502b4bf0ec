"""Guards curvecast/language: the chain rule and what models cannot see; curves as words, and words counted."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from curvecast.language.continuations import continuations
from curvecast.language.model import FAMILIES, LanguageModel, LanguageModelConfig, Vocabulary, own_perplexity
from curvecast.language.skip_gram import WindowConfig, first_component, neighbours
from curvecast.language.symbols import END, ESCAPE, Changes, NGrams, PairMerges, joined, learn, merge, parted
from curvecast.networks.backbones.recurrent import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.bars import Bars
from curvecast.networks.heads import parameters
from tests.curvecast.refusals import refuses

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


@torch.no_grad()
def test_the_product_of_next_words_is_the_likelihood_of_the_curve(net):
    y = torch.rand(2, 7)
    words = net.vocabulary.words(y)
    one_by_one = torch.stack([net(y[:, : t + 1])[:, -1].log_softmax(-1) for t in range(7)], 1)
    product = one_by_one.gather(-1, words[..., None])[..., 0] + net.vocabulary.within(y, words)
    assert torch.allclose(log_density(net, y), product, atol=1e-5)


def test_a_state_depends_on_the_words_of_its_window_alone():
    tokens = torch.randn(1, 10, 6, requires_grad=True)
    states = WindowConfig(words=3).make(6)(tokens, torch.arange(10.0)[None], None).states
    states[0, 7].sum().backward()
    assert tokens.grad[0].abs().sum(-1).gt(0).nonzero()[:, 0].tolist() == [5, 6, 7]


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


def test_a_model_that_is_too_sure_has_a_low_entropy_and_a_high_cross_entropy():
    right = torch.tensor([0.7, 0.2, 0.1])
    sure = (3 * right.log()).log_softmax(-1)
    laws = {"right": right.log(), "sure": sure}
    on_text = {name: (-(right * log_p).sum()).exp().item() for name, log_p in laws.items()}
    assert own_perplexity(torch.zeros(5, 32)) == pytest.approx(32)
    assert own_perplexity(right.log()) == pytest.approx(on_text["right"])
    assert own_perplexity(sure) < on_text["sure"]


@pytest.mark.parametrize("name", ["LSTM", "feed-forward"])
@torch.no_grad()
def test_the_first_later_epoch_is_exact_and_the_second_is_the_sum_over_all_words_of_the_first(name):
    torch.manual_seed(1)
    net = LanguageModelConfig(FAMILIES[name], 8).network(torch.linspace(0, 1, 5)).eval()
    net.embed.weight *= 3  # what was read matters
    beginnings = torch.tensor([[0.1, 0.1, 0.1], [0.9, 0.6, 0.9]])
    centres = net.vocabulary.values(torch.arange(4))
    grown = continuations(net, beginnings, 2, 4_000, torch.Generator().manual_seed(0))
    for i, y in enumerate(beginnings):
        first = net(torch.cat([y, y[:1]])[None])[0, 3].softmax(-1)
        assert torch.allclose(grown.marginals.log_p[i, 0].exp(), first, atol=1e-5)
        after = torch.cat([y.expand(4, -1), centres[:, None], centres[:, None]], 1)
        exact = first @ net(after)[:, 4].softmax(-1)
        assert torch.allclose(grown.marginals.log_p[i, 1].exp(), exact, atol=0.01)
        counted = torch.bincount(grown.words[i, :, 1], minlength=4) / 4_000
        assert torch.allclose(counted, exact, atol=0.04)


@torch.no_grad()
def test_a_curve_can_be_sampled_from_its_beginning_on_and_rare_words_left_out():
    net, nothing = small(words=4), torch.empty(2, 0)
    p = net(torch.zeros(1, 1))[0, 0].softmax(-1)
    random, rare = torch.Generator().manual_seed(0), float(p.min()) + 1e-4
    assert continuations(net, nothing, 5, 3, random).words.shape == (2, 3, 5)
    drawn = continuations(net, nothing, 1, 500, random, rare).words
    assert set(drawn.unique().tolist()) == set(range(4)) - {int(p.argmin())}


RANDOM = np.random.default_rng(0)

EDGES = torch.tensor([0.0, 0.1, 0.4, 0.8, 1.0])
VOCABULARY = Vocabulary(EDGES)


def test_the_density_of_a_value_is_that_of_the_bar_distribution():
    logits, y = torch.randn(50, 4), torch.randn(50)
    words = VOCABULARY.words(y)
    log_p = logits.log_softmax(-1).gather(-1, words[:, None])[:, 0] + VOCABULARY.within(y, words)
    assert torch.allclose(log_p, Bars(EDGES, logits).log_density(y), atol=1e-6)


def test_a_word_stands_for_a_value_that_has_this_word_and_infinite_values_have_the_outer_ones():
    words, shares = torch.arange(4).repeat(20), torch.rand(80).clamp(0.01, 0.99)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words)), words)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words, shares)), words)
    assert VOCABULARY.words(torch.tensor([-math.inf, math.inf])).tolist() == [0, 3]
    assert VOCABULARY.before(torch.tensor([[3, 1, 2]])).tolist() == [[4, 3, 1]]  # 4 begins a curve


LEVELS = Changes(np.linspace(0, 1, 11))
value = st.one_of(st.sampled_from([*LEVELS.levels.tolist(), -0.0, 1e-300]), st.floats(width=64))


@given(st.lists(value, max_size=20))
def test_every_list_of_floats_comes_back_bit_by_bit(values):
    values = np.array(values, np.float64)
    assert LEVELS.decode(LEVELS.encode(values)).tobytes() == values.tobytes()


def test_a_level_is_a_change_and_any_other_value_is_spelt():
    text = LEVELS.encode(LEVELS.levels[[5, 6, 6, 4]])
    assert (text - LEVELS.none).tolist() == [0, 1, 0, -2]
    rounded = LEVELS.rounded(np.array([0.12, 0.99, -5.0, np.inf, np.nan]))
    assert np.array_equal(rounded, [*LEVELS.levels[[1, 10, 0]], np.inf, np.nan], equal_nan=True)
    assert LEVELS.encode(np.array([0.55]))[0] == ESCAPE and len(LEVELS.encode(np.array([0.55]))) == 9


TEXT = joined([RANDOM.choice(4, 30, p=(0.6, 0.2, 0.1, 0.1)) for _ in range(20)])


def pairs_of(text):
    """Counted from the left of each run of one symbol, one by one."""
    counted, last = Counter(), -1
    for i, pair in enumerate(zip(text[:-1].tolist(), text[1:].tolist(), strict=True)):
        overlaps = pair[0] == pair[1] and last == i - 1 and text[i - 1] == text[i]
        if END not in pair and not overlaps:
            counted[pair] += 1
            last = i if pair[0] == pair[1] else last
    return counted


def test_each_merge_is_the_most_frequent_pair_and_shortens_the_text():
    merges, text = learn(TEXT, 4, 12), TEXT
    assert len(merges.pairs) == 12
    for i, pair in enumerate(merges.pairs):
        counted, before = pairs_of(text), len(text)
        assert counted[pair] == max(counted.values())
        text = merge(text, pair, 4 + i)
        assert len(text) == before - counted[pair]
    assert np.array_equal(text, merges.encode(TEXT))
    assert learn(np.array([0, 1, 2, END]), 3, 5).pairs == ()  # none that occurs once


def test_other_texts_come_back_as_well():
    merges = learn(TEXT, 4, 12)
    for n in (0, 1, 2, 50):
        other = joined([RANDOM.integers(0, 4, n)])
        assert np.array_equal(merges.decode(merges.encode(other)), other)
    assert [len(text) for text in parted(joined([[1, 2], [], [0]]))] == [2, 0, 1]


def test_in_a_run_pairs_are_merged_from_the_left_and_no_text_runs_into_the_next():
    merges = PairMerges(2, ((0, 0),))
    assert merges.encode(np.array([0, 0, 0, 1, 0, END, 0, END])).tolist() == [2, 0, 1, 0, END, 0, END]


TEXTS = [RANDOM.choice(3, n, p=(0.6, 0.3, 0.1)) for n in (1, 7, 20)]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("discount", [0.0, 0.6, 1.0])
def test_the_next_word_is_one_of_all_with_probability_one(order, discount):
    """Also after words that never occurred: word 3 does not, so its contexts are unknown."""
    model = NGrams(TEXTS, order, 4)
    for start in ([], [1], [0, 0], [3, 3], [2, 3]):
        texts = [np.array([*start, word]) for word in range(4)]
        last = model.log_p(texts, discount).reshape(4, -1)[:, -1]
        assert np.exp(last).sum() == pytest.approx(1)


def test_a_bigram_by_hand():
    """a b a a: after a came b and a, once each; a follows the beginning."""
    model, d = NGrams([np.array([0, 1, 0, 0])], 2, 2), 0.5
    one = [(3 - d) / 4 + d * 2 / 4 / 2, (1 - d) / 4 + d * 2 / 4 / 2]
    after_a = [(1 - d) / 2 + d * 2 / 2 * p for p in one]
    expected = [(1 - d) + d * one[0], after_a[1], (1 - d) + d * one[0], after_a[0]]
    assert np.exp(model.log_p([np.array([0, 1, 0, 0])], d)) == pytest.approx(expected)


def test_without_counts_all_words_are_alike_and_without_a_discount_what_never_occurred_is_impossible():
    assert np.exp(-NGrams([], 0, 256).log_p(TEXTS, 0.5).mean()) == pytest.approx(256)
    assert NGrams(TEXTS, 1, 4).log_p([np.array([3])], 0.0)[0] == -math.inf


def test_the_first_component_is_the_direction_in_which_vectors_differ_most():
    values = torch.linspace(-1, 2, 7)
    vectors = 3 + values[:, None] * torch.tensor([3.0, -4.0]) + 0.1 * torch.randn(7, 2)
    assert torch.corrcoef(torch.stack([first_component(vectors), values]))[0, 1].abs() > 0.99


@pytest.mark.parametrize("name", FAMILIES)
def test_all_have_the_same_size_and_tied_ends_save_one_of_two_tables(name):
    before = torch.get_rng_state()
    free, tied = (parameters(LanguageModelConfig(FAMILIES[name], 64, tied)) for tied in (False, True))
    assert torch.equal(torch.get_rng_state(), before), "to count is not to draw"
    between = tied - 64 * 2  # of two borders: one word, and the one that begins a curve
    assert 0.97 < between / (16 * 64**2) < 1.03 and free - tied == 64


def test_neighbours_are_counted_on_both_sides():
    counted = neighbours(torch.tensor([[0, 1, 2, 0]]), 3, 2)
    assert counted.tolist() == [[0, 2, 2], [2, 0, 1], [2, 1, 0]]


@pytest.mark.parametrize(("reads", "given", "says"), [
    (small(), torch.full((1, 3), math.nan), "NaN is no value"), (LanguageModelConfig, LSTMConfig(), "causal"),
    (LanguageModelConfig, LSTMConfig(both_ways=True, hands="all"), "causal"),
    (LanguageModelConfig, TransformerConfig(), "causal"), (lambda order: NGrams([], order, 256), 60, "grams of"),
])  # fmt: skip
def test_what_is_no_text_is_refused(reads, given, says):
    refuses(says, reads, given)
