"""Guards curvecast/language/vocabulary.py: a word is a bucket, and its probability over its width is a density."""

import math

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.vocabulary import Vocabulary
from curvecast.networks.bars import Bars

BORDERS = torch.tensor([0.0, 0.1, 0.4, 0.8, 1.0])
VOCABULARY = Vocabulary(BORDERS)


def test_the_density_of_a_value_is_that_of_the_bar_distribution():
    logits, y = torch.randn(50, 4), torch.randn(50)
    words = VOCABULARY.words(y)
    log_p = logits.log_softmax(-1).gather(-1, words[:, None])[:, 0]
    assert torch.allclose(
        log_p + VOCABULARY.within(y, words), Bars(BORDERS, logits).log_density(y), atol=1e-6
    )


def test_a_word_stands_for_a_value_that_has_this_word():
    words, shares = torch.arange(4).repeat(20), torch.rand(80).clamp(0.01, 0.99)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words)), words)
    assert torch.equal(VOCABULARY.words(VOCABULARY.values(words, shares)), words)


def test_before_a_curve_stands_the_word_that_begins_it():
    assert VOCABULARY.before(torch.tensor([[3, 1, 2]])).tolist() == [[4, 3, 1]]


def test_infinite_values_have_the_outer_words():
    assert VOCABULARY.words(torch.tensor([-math.inf, math.inf])).tolist() == [0, 3]


@pytest.mark.parametrize("borders", [[], [0.0, 1.0], [0.0, 1.0, 1.0, 2.0], [0.0, math.nan, 1.0, 2.0]])
def test_what_is_no_vocabulary_is_refused(borders):
    with pytest.raises(UserError, match="vocabulary"):
        Vocabulary(torch.tensor(borders))


def test_a_nan_and_an_unknown_word_are_refused():
    with pytest.raises(UserError, match="NaN is no value"):
        VOCABULARY.words(torch.tensor([0.5, math.nan]))
    with pytest.raises(UserError, match=r"outside 0 \.\. 3"):
        VOCABULARY.values(torch.tensor([4]))
