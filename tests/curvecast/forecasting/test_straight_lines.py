"""Guards curvecast/forecasting/straight_lines.py: as torch has it."""

import numpy as np
import pytest
import torch

from curvecast.forecasting import straight_lines

X = np.concatenate([np.linspace(-8, 8, 100_001), [-1e6, -100, 100, 1e6]])
EXACT = {"gelu": torch.nn.functional.gelu, "below": torch.special.ndtr}


@pytest.mark.parametrize("name", EXACT)
def test_the_table_is_right_to_the_sixth_digit(name):
    found = getattr(straight_lines, name)(X.astype(np.float32))
    exact = EXACT[name](torch.from_numpy(X)).numpy()
    assert found.dtype == np.float32
    assert np.allclose(found, exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", EXACT)
def test_float64_is_exact(name):
    exact = EXACT[name](torch.from_numpy(X)).numpy()
    assert np.allclose(getattr(straight_lines, name)(X), exact, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", EXACT)
def test_a_table_of_any_shape_and_order(name):
    """More than a block of numbers, not in a row in memory."""
    x = np.random.default_rng(0).normal(size=(7, 130, 41)).astype(np.float32).transpose(2, 0, 1)
    exact = EXACT[name](torch.from_numpy(x.astype(np.float64))).numpy()
    assert np.allclose(getattr(straight_lines, name)(x), exact, atol=1e-6)
