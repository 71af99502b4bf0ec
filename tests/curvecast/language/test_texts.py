"""Guards vocabulary.py, changes.py, pair_merges.py, counts.py and skip_gram.py: curves as words, and words counted."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from curvecast.language.changes import ESCAPE, Changes
from curvecast.language.counts import NGrams
from curvecast.language.pair_merges import END, PairMerges, joined, learn, merge, parted
from curvecast.language.skip_gram import first_component, nearest, neighbours, word_vectors
from curvecast.language.vocabulary import Vocabulary
from curvecast.networks.bars import Bars

RANDOM = np.random.default_rng(0)

# ------------------------------------------------------------------------------------------------------- vocabulary

BORDERS = torch.tensor([0.0, 0.1, 0.4, 0.8, 1.0])
VOCABULARY = Vocabulary(BORDERS)


def test_the_density_of_a_value_is_that_of_the_bar_distribution():
    logits, y = torch.randn(50, 4), torch.randn(50)
    words = VOCABULARY.words(y)
    log_p = logits.log_softmax(-1).gather(-1, words[:, None])[:, 0] + VOCABULARY.within(y, words)
    assert torch.allclose(log_p, Bars(BORDERS, logits).log_density(y), atol=1e-6)


def test_a_word_stands_for_a_value_that_has_this_word_and_infinite_values_have_the_outer_ones():
    words, shares = torch.arange(4).repeat(20), torch.rand(80).clamp(0.01, 0.99)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words)), words)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words, shares)), words)
    assert VOCABULARY.words(torch.tensor([-math.inf, math.inf])).tolist() == [0, 3]
    assert VOCABULARY.before(torch.tensor([[3, 1, 2]])).tolist() == [[4, 3, 1]]  # 4 begins a curve


# ---------------------------------------------------------------------------------------------------------- changes

LEVELS = Changes(np.linspace(0, 1, 11))
value = st.one_of(st.sampled_from([*LEVELS.levels.tolist(), -0.0, 1e-300]), st.floats(width=64))


@given(st.lists(value, max_size=20))
def test_every_list_of_floats_comes_back_bit_by_bit(values):
    """NaN, infinities and -0.0 included."""
    values = np.array(values, np.float64)
    assert LEVELS.decode(LEVELS.encode(values)).tobytes() == values.tobytes()


def test_a_level_is_a_change_and_any_other_value_is_spelt():
    text = LEVELS.encode(LEVELS.levels[[5, 6, 6, 4]])
    assert (text - LEVELS.none).tolist() == [0, 1, 0, -2]
    assert LEVELS.encode(np.array([0.55]))[0] == ESCAPE and len(LEVELS.encode(np.array([0.55]))) == 9


def test_rounding_gives_the_nearest_level_and_leaves_what_is_not_finite():
    rounded = LEVELS.rounded(np.array([0.12, 0.99, -5.0, np.inf, np.nan]))
    assert np.array_equal(rounded, [*LEVELS.levels[[1, 10, 0]], np.inf, np.nan], equal_nan=True)


# ------------------------------------------------------------------------------------------------------ pair merges

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


# ----------------------------------------------------------------------------------------------------------- counts

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


# --------------------------------------------------------------------------------------------------- vectors of words


def test_neighbours_are_counted_on_both_sides():
    counted = neighbours(torch.tensor([[0, 1, 2, 0]]), 3, 2)
    assert counted.tolist() == [[0, 2, 2], [2, 0, 1], [2, 1, 0]]


def test_words_on_a_chain_are_nearest_to_their_neighbours():
    random = torch.Generator().manual_seed(0)
    start = torch.randint(12, (2_000, 1), generator=random)
    walks = (start + torch.randint(-1, 2, (2_000, 30), generator=random)).clamp(0, 11)
    vectors = word_vectors(neighbours(walks, 12, 2), 4, 400, 0.05, random)
    assert ((nearest(vectors) - torch.arange(12)).abs() == 1).float().mean() > 0.8


def test_the_first_component_is_the_direction_in_which_vectors_differ_most():
    values = torch.linspace(-1, 2, 7)
    vectors = 3 + values[:, None] * torch.tensor([3.0, -4.0]) + 0.1 * torch.randn(7, 2)
    assert torch.corrcoef(torch.stack([first_component(vectors), values]))[0, 1].abs() > 0.99


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(("reads", "given", "says"), [
    (Vocabulary, torch.tensor([0.0, 1.0]), "at least 3 words"),
    (Vocabulary, torch.tensor([0.0, 1.0, 1.0, 2.0]), "must rise"),
    (Vocabulary, torch.tensor([0.0, math.nan, 1.0, 2.0]), "must rise"),
    (VOCABULARY.words, torch.tensor([0.5, math.nan]), "NaN is no value"),
    (VOCABULARY.values, torch.tensor([4]), r"outside 0 \.\. 3"), (Changes, [], "levels must"),
    (Changes, [0.0, 0.0], "levels must"), (Changes, [0.0, np.nan], "levels must"), (LEVELS.decode, [7], "eight bytes"),
    (LEVELS.decode, [ESCAPE, 1, 2], "eight bytes"), (LEVELS.decode, [ESCAPE, 1, 2, 3, 4, 5, 6, 7, 8, 9], "eight bytes"),
    (LEVELS.decode, [-3], "eight bytes"), (LEVELS.decode, [LEVELS.none + 6], "levels"),
    (LEVELS.decode, [LEVELS.none - 6], "levels"), (LEVELS.decode, [LEVELS.symbols], "levels"),
    (PairMerges(5).encode, np.array([5]), r"outside 0 \.\. 4"),
    (PairMerges(5).decode, np.array([-2, 0]), r"outside 0 \.\. 4"),
    (lambda order: NGrams([], order, 256), -1, "grams of"), (lambda order: NGrams([], order, 256), 60, "grams of"),
    (lambda size: NGrams([], 1, size), 0, "grams of"),
    (lambda discount: NGrams(TEXTS, 1, 4).log_p(TEXTS, discount), 1.5, "discount"),
    (lambda word: NGrams([np.array([word])], 2, 4), 4, r"outside 0 \.\. 3"),
    (lambda word: NGrams([np.array([word])], 2, 4), -1, r"outside 0 \.\. 3"),
    (lambda reach: neighbours(torch.zeros(1, 4, dtype=torch.long), 3, reach), 0, "reach"),
    (lambda reach: neighbours(torch.zeros(1, 4, dtype=torch.long), 3, reach), 4, "reach"),
])  # fmt: skip
def test_what_is_no_text_is_refused(reads, given, says):
    with pytest.raises(UserError, match=says):
        reads(given)
