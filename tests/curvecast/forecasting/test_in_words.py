"""Guards curvecast/forecasting/in_words.py: numbers as people read them."""

import pytest

from curvecast.forecasting.in_words import percent, plus_minus


@pytest.mark.parametrize(
    ("value", "half", "shown"),
    [
        (0.7123, 0.031, "0.71 ± 0.03"), (0.7123, 0.0131, "0.712 ± 0.013"), (0.7123, 0.096, "0.71 ± 0.10"),
        (71.23, 3.1, "71 ± 3"), (71.23, 1.31, "71.2 ± 1.3"), (712.3, 31, "710 ± 30"), (5.0, 0.0, "5"),
        (0.71, float("nan"), "0.71"),
    ],
)  # fmt: skip
def test_a_value_has_the_digits_that_its_band_bears(value, half, shown):
    """One digit of the band, two where it begins with a one; no band, four digits of the value."""
    assert plus_minus(value, half) == shown


@pytest.mark.parametrize(
    ("chance", "shown"),
    [(0, "0 %"), (0.004, "< 1 %"), (0.012, "1 %"), (0.99, "99 %"), (0.995, "> 99 %"), (1, "100 %")],
)
def test_a_chance_is_0_or_100_only_where_it_is_sure(chance, shown):
    assert percent(chance) == shown
