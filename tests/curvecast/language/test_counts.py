"""Guards curvecast/language/counts.py: probabilities that sum to one, by the formula, and uniform without counts."""

import math

import numpy as np
import pytest

from curvecast.ground.errors import UserError
from curvecast.language.counts import NGrams

RANDOM = np.random.default_rng(0)
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
    after_b = [(1 - d) + d * one[0], d * one[1]]
    expected = [(1 - d) + d * one[0], after_a[1], after_b[0], after_a[0]]
    assert np.exp(model.log_p([np.array([0, 1, 0, 0])], d)) == pytest.approx(expected)


def test_without_counts_it_hesitates_between_all_words():
    log_p = NGrams([], 0, 256).log_p(TEXTS, 0.5)
    assert np.exp(-log_p.mean()) == pytest.approx(256)


def test_without_a_discount_what_never_occurred_is_impossible():
    assert NGrams(TEXTS, 1, 4).log_p([np.array([3])], 0.0)[0] == -math.inf


def test_bad_input_is_refused():
    for order, size in ((-1, 4), (1, 0), (60, 256)):
        with pytest.raises(UserError, match="grams of"):
            NGrams([], order, size)
    with pytest.raises(UserError, match="discount"):
        NGrams(TEXTS, 1, 4).log_p(TEXTS, 1.5)
    for word in (4, -1):
        with pytest.raises(UserError, match=r"outside 0 \.\. 3"):
            NGrams([np.array([word])], 2, 4)
