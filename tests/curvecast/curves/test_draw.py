"""Guards curvecast/curves/draw.py: each kind of generator gives the numbers that are asked for, and the same ones again."""

import math

import numpy as np
import pytest
import torch

from curvecast.curves.counter import Counter
from curvecast.curves.draw import Draw

N = 40_000
GENERATORS = {
    "torch": lambda: torch.Generator().manual_seed(0),
    "numpy": lambda: np.random.default_rng(0),
}


@pytest.fixture(params=GENERATORS)
def draws(request):
    """Two that were made alike."""
    return tuple(Draw(GENERATORS[request.param]()) for _ in range(2))


def test_uniform_numbers_fill_their_range_evenly(draws):
    """As many in each quarter, none outside (five standard errors)."""
    drawn = draws[0].uniform(-2, 6, N)
    assert drawn.shape == (N,) and drawn.min() >= -2 and drawn.max() < 6
    assert (torch.histc(drawn.float(), 4, -2, 6) / N - 0.25).abs().max() < 5 * math.sqrt(0.25 * 0.75 / N)


def test_normal_numbers_have_their_mean_and_size(draws):
    """Within five standard errors, in the shape that was asked for."""
    drawn = draws[0].normal(3, 2, N // 4, 4)
    error = 5 * 2 / math.sqrt(N)
    assert drawn.shape == (N // 4, 4) and abs(drawn.mean() - 3) < error and abs(drawn.std() - 2) < error


def test_the_same_generator_gives_the_same_numbers(draws):
    """A second draw with it gives others."""
    first_draw, second_draw = draws
    first, then = first_draw.uniform(0, 1, 50), first_draw.normal(0, 1, 50)
    assert torch.equal(first, second_draw.uniform(0, 1, 50)) and torch.equal(
        then, second_draw.normal(0, 1, 50)
    )
    assert not torch.equal(first, first_draw.uniform(0, 1, 50)) and not torch.equal(
        then, first_draw.normal(0, 1, 50)
    )


def test_numpy_s_numbers_are_its_own():
    """Stretched and moved, in double precision: what THE test set rests on."""
    drawn, own = Draw(np.random.default_rng(7)), np.random.default_rng(7)
    assert drawn.uniform(-1, 3, 5).tolist() == (own.random(5) * 4 - 1).tolist()
    assert drawn.normal(2, 0.5, 2, 3).tolist() == (own.standard_normal((2, 3)) * 0.5 + 2).tolist()


def test_a_counter_s_numbers_are_its_own():
    """Stretched and moved, a row for each of its curves."""
    numbers = torch.arange(5)
    drawn, own = Draw(Counter(7, numbers)), Counter(7, numbers)
    assert torch.equal(drawn.uniform(-1, 3, 5), own.uniform(1)[:, 0] * 4 - 1)
    assert torch.equal(drawn.normal(2, 0.5, 5, 3), own.normal(3) * 0.5 + 2)
    assert torch.equal(drawn.normal(2, 0.5, 5), own.normal(1)[:, 0] * 0.5 + 2)
