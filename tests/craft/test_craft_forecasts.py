"""Guards reproduce/craft/craft_forecasts.py: what a forecast is held against, and intervals over techniques."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reproduce.craft import craft_forecasts
from reproduce.craft._logged import Run


def rows(inside: dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"source": "overfitting", "technique": name, "seed": seed, "metric": metric, "model": model, "inside": value,
         "error": 0.1, "last": 0.2, "warned": 0.0}
        for name, value in inside.items() for seed in range(3) for metric in ("accuracy", "loss")
        for model in craft_forecasts.MODELS
    ])  # fmt: skip


def test_a_curve_that_saturates_is_covered_and_one_that_collapses_is_not():
    epochs = np.arange(1.0, 101)
    rising = 0.9 - 0.5 / epochs + 0.002 * np.sin(epochs * 7)
    fallen = np.where(epochs < 40, rising, 0.1)
    calm, broken = (
        craft_forecasts._scores(Run("overfitting", "none", 0, "test_accuracy", values), 20, "released")
        for values in (rising, fallen)
    )
    assert calm["inside"] > 0.8 and calm["error"] < 0.05 and calm["warned"] == 0
    assert broken["inside"] < 0.5 and broken["error"] > 0.5


def test_runs_of_one_technique_are_one_observation():
    """Seeds that agree do not narrow the interval."""
    few = {claim.name: claim.found for claim in craft_forecasts.claims(rows({"a": 0.9, "b": 0.7, "c": 0.8}))}
    assert few["released_covers"].value == pytest.approx(0.8) and few["released_covers"].half > 0.05
    assert few["paper_prior_beats_last"].value == 1


def test_the_worst_covered_technique_is_at_the_bottom():
    figure = craft_forecasts.draw(rows({"good": 0.9, "bad": 0.2}))["coverage"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "overfitting: bad",
        "overfitting: good",
    ]
    plt.close(figure)
