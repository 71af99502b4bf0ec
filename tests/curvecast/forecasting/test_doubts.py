"""Guards curvecast/forecasting/doubts.py: what speaks against a forecast is said."""

import numpy as np
import pytest

from curvecast import forecast


def test_a_run_that_goes_the_other_way_is_told():
    assert any(
        "if lower is better, set" in text for text in forecast([0.69, 0.6, 0.55], check=False).warnings
    )
    assert any(
        "if higher is better, set" in text
        for text in forecast([0.5, 0.6, 0.7], metric="error", check=False).warnings
    )
    assert forecast([0.31, 0.42, 0.48, 0.52, 0.55], check=False).warnings == []


def test_a_run_whose_steps_begin_far_away_is_told():
    far = forecast(
        [0.5 + 0.001 * i for i in range(50)], steps=[100_000 + 10 * i for i in range(50)], check=False
    )
    assert any("subtract the start" in text for text in far.warnings)


@pytest.mark.parametrize("metric", ["accuracy", "loss"])
@pytest.mark.parametrize("noise", [0, 0.003, 0.03])
def test_a_run_that_has_not_moved_yet_is_told_and_forecast(metric, noise):
    """Constant, or noise around a constant; of forty such runs a few seem to rise."""
    runs = 0.4 + noise * np.random.default_rng(0).normal(size=(40, 12))
    found = forecast(runs.tolist(), metric=metric, check=False)
    assert all(np.isfinite(run.median).all() for run in found)
    assert sum(bool(run.warnings) for run in found) >= 32
    assert noise or all("has hardly moved yet" in run.warnings[0] for run in found)


def test_a_run_that_moves_is_no_flat_one():
    """A slow rise, one that has ended, and one in noise."""
    t, noise = np.arange(1, 21), 0.02 * np.random.default_rng(1).normal(size=20)
    for run in (0.3 + 0.004 * t, 0.8 - 0.5 * np.exp(-t), 0.6 - 0.4 / t + noise):
        assert not forecast(run.tolist(), check=False).warnings
