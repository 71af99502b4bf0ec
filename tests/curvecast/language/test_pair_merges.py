"""Guards curvecast/language/pair_merges.py: each merge is the most frequent pair, none is longer, and all can be undone."""

from collections import Counter

import numpy as np
import pytest

from curvecast.ground.errors import UserError
from curvecast.language.pair_merges import END, PairMerges, joined, learn, merge, parted

RANDOM = np.random.default_rng(0)
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


def test_other_texts_come_back_as_well():
    merges = learn(TEXT, 4, 12)
    for n in (0, 1, 2, 50):
        other = joined([RANDOM.integers(0, 4, n)])
        assert np.array_equal(merges.decode(merges.encode(other)), other)
    assert [len(text) for text in parted(joined([[1, 2], [], [0]]))] == [2, 0, 1]


def test_in_a_run_pairs_are_merged_from_the_left_and_no_text_runs_into_the_next():
    merges = PairMerges(2, ((0, 0),))
    assert merges.encode(np.array([0, 0, 0, 1, 0, END, 0, END])).tolist() == [2, 0, 1, 0, END, 0, END]


def test_no_pair_that_occurs_once_is_merged():
    assert learn(np.array([0, 1, 2, END]), 3, 5).pairs == ()


@pytest.mark.parametrize("text", [[5], [-2, 0]])
def test_an_unknown_symbol_is_refused(text):
    for does in (PairMerges(5).encode, PairMerges(5).decode):
        with pytest.raises(UserError, match=r"outside 0 \.\. 4"):
            does(np.array(text))
