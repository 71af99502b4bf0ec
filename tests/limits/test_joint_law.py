"""Guards reproduce/limits/joint_law.py: chances made of sampled futures."""

import numpy as np
import pandas as pd
import pytest

from reproduce.limits import joint_law

CONFIG = joint_law.SCALES["paper"]


def test_futures_that_rise_together_are_not_independent():
    """Two of four futures are above at both epochs: half, three quarters if independent, half by the likeliest."""
    together = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert joint_law.chances(together, 0.5) == {"futures": 0.5, "independent": 0.75, "likeliest": 0.5}
    apart = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert joint_law.chances(apart, 0.5) == {"futures": 1.0, "independent": 0.75, "likeliest": 0.5}


def rows(said: float, independent: float) -> pd.DataFrame:
    """A hundred curves, of which half beat their best."""
    happened = np.arange(100) % 2
    return pd.DataFrame(
        {"curve": range(100), "cutoff": 10, "margin": 0.05, "epochs": 16, "happened": happened,
         "futures": np.abs(happened - 0.5 + said), "independent": independent, "likeliest": 0.2}
    )  # fmt: skip


def test_claims_compare_what_is_said_with_what_happened():
    """A forecast chance of a half is right for what happens half the time; 0.9 is too high, 0.2 too low."""
    found = {c.name: c for c in joint_law.claims(rows(0.5, 0.9), CONFIG)}
    assert found["futures_said_at_10"].holds() is True
    assert found["independent_said_at_10"].holds() is False
    assert found["likeliest_said_at_10"].value == pytest.approx(-0.3)
    assert not found["futures_said_at_40"].tested()
