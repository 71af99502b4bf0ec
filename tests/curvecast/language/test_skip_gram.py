"""Guards curvecast/language/skip_gram.py: whom a word stands beside, and that words of one company get near vectors."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.skip_gram import first_component, nearest, neighbours, word_vectors


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


def test_a_reach_beyond_the_text_is_refused():
    for reach in (0, 4):
        with pytest.raises(UserError, match="reach"):
            neighbours(torch.zeros(1, 4, dtype=torch.long), 3, reach)
