"""Guards curvecast/forecasting/normal_law.py: as scipy has it, far out too, in both kinds of numbers."""

import numpy as np
import pytest
from scipy import special

from curvecast.forecasting import normal_law


@pytest.mark.parametrize(("kind", "end", "digits"), [(np.float32, 9.0, 1e-5), (np.float64, 26.0, 1e-13)])
def test_erfc_keeps_its_digits_in_the_tail(kind, end, digits):
    x = np.linspace(-6, end, 20_001).astype(kind)
    found = normal_law.erfc(x)
    assert found.dtype == kind
    assert np.allclose(found, special.erfc(x.astype(float)), rtol=digits, atol=0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_infinity_has_nothing_beyond_it(kind):
    assert normal_law.erfc(np.array([-np.inf, np.inf], kind)).tolist() == [2, 0]


def test_below_is_the_share_of_the_normal_law():
    z = np.linspace(-30, 8, 1001)
    assert np.allclose(normal_law.below(z), special.ndtr(z), rtol=1e-12, atol=0)


def test_quantiles_are_right_from_end_to_end():
    share = np.concatenate(
        [10.0 ** -np.arange(1, 300, 7), np.linspace(0.001, 0.999, 1001), 1 - 10.0 ** -np.arange(1, 16)]
    )
    assert np.allclose(normal_law.quantile(share), special.ndtri(share), rtol=1e-10, atol=1e-13)
    assert normal_law.quantile(np.array([0.0, 0.5, 1.0])).tolist() == [-np.inf, 0, np.inf]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 99])
def test_sums_of_squares_exceed_as_chi_square_has_it(n):
    total = np.concatenate([[0.0, 1e-9], np.linspace(0.1, 400, 300)])
    assert np.allclose(
        normal_law.squares_exceed(n, total), special.gammaincc(n / 2, total / 2), rtol=1e-11, atol=0
    )
