"""Guards curvecast/forecasting/gelu.py: as torch has it."""

import numpy as np
import torch

from curvecast.forecasting.gelu import gelu

X = np.concatenate([np.linspace(-8, 8, 100_001), [-1e30, -100, 100, 1e30]])


def test_the_table_is_right_to_the_sixth_digit():
    found = gelu(X.astype(np.float32))
    exact = torch.nn.functional.gelu(torch.from_numpy(X)).numpy()
    assert found.dtype == np.float32
    assert np.allclose(found, exact, rtol=1e-6, atol=1e-6)


def test_float64_is_exact():
    exact = torch.nn.functional.gelu(torch.from_numpy(X)).numpy()
    assert np.allclose(gelu(X), exact, rtol=1e-12, atol=1e-15)
