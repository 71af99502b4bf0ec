"""Guards reproduce/backbones/backbone_lengths.py: slopes."""

import pandas as pd
import pytest

from reproduce.backbones import backbone_lengths


def grown(power: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"backbone": "S4", "points": T, "round": i, "seconds": (1 + i) * T**power, "kept": 3 * T}
        for T in (100, 1_000) for i in range(6)
    ])  # fmt: skip


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_the_slope_is_the_power_round_by_round(power):
    """A round in which the machine was slow is slow at both lengths."""
    found = backbone_lengths.slope(grown(power), "S4", "seconds", (100, 1_000))
    assert found.value == pytest.approx(power) and found.half == pytest.approx(0, abs=1e-9)
    assert backbone_lengths.slope(grown(power), "GRU", "seconds", (100, 1_000)) is None
