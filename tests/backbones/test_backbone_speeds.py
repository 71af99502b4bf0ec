"""Guards reproduce/backbones/backbone_speeds.py: which ratio is claimed."""

import pandas as pd
import pytest

from reproduce.backbones import backbone_speeds


def rows(**steps: list[float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"backbone": name, "round": i, "step": one, "forecast": one / 100, "kept": 2_000_000}
        for name, found in steps.items() for i, one in enumerate(found)
    ])  # fmt: skip


def test_ratios_are_of_the_same_round():
    """A round in which everything was slow says the same as the others."""
    found = rows(**{"Mamba": [2.0, 20.0, 2.0], "Mamba-2": [1.0, 10.0, 1.0]})
    stated = {claim.name: claim.found for claim in backbone_speeds.claims(found)}
    assert stated["mamba_takes_longer"].value == pytest.approx(2) and stated["lstm_takes_longer"] is None
