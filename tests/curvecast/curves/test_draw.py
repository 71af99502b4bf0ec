"""Guards curvecast/curves/draw.py: each kind of generator gives its own numbers, stretched and moved."""

import numpy as np
import torch

from curvecast.curves.counter import Counter
from curvecast.curves.draw import Draw


def test_torch_s_numbers_are_its_own():
    """Stretched and moved."""
    drawn, own = Draw(torch.Generator().manual_seed(7)), torch.Generator().manual_seed(7)
    assert torch.equal(drawn.uniform(-1, 3, 5), torch.rand(5, generator=own) * 4 - 1)
    assert torch.equal(drawn.normal(2, 0.5, 2, 3), torch.randn(2, 3, generator=own) * 0.5 + 2)


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
