"""Guards reproduce/craft/craft_forecasts/: what a forecast is held against, shapes of curves, intervals over techniques."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reproduce.craft._logged import Run
from reproduce.craft.craft_forecasts import question
from reproduce.craft.craft_forecasts.scored import by_model
from reproduce.craft.craft_forecasts.shapes import shape


def rows(inside: dict[str, float]) -> dict[str, pd.DataFrame]:
    runs = pd.DataFrame([
        {"source": "overfitting", "technique": name, "seed": seed, "metric": metric, "model": model, "inside": value,
         "error": 0.1, "last": 0.2, "warned": 0.0}
        for name, value in inside.items() for seed in range(3) for metric in ("accuracy", "loss")
        for model in question.MODELS
    ])  # fmt: skip
    return {"rows": runs, "shapes": pd.DataFrame(columns=[*question.RUN, *question.SHAPES])}


def test_a_curve_that_saturates_is_covered_and_one_that_collapses_is_not():
    epochs = np.arange(1.0, 101)
    rising = 0.9 - 0.5 / epochs + 0.002 * np.sin(epochs * 7)
    fallen = np.where(epochs < 40, rising, 0.1)
    tested = [Run("overfitting", "none", 0, "test_accuracy", values) for values in (rising, fallen)]
    (_, calm), (_, broken) = by_model(tested, 0.2, "released")
    assert calm["inside"] > 0.8 and calm["error"] < 0.05 and calm["warned"] == 0
    assert broken["inside"] < 0.5 and broken["error"] > 0.5


def test_runs_of_one_technique_are_one_observation():
    """Seeds that agree do not narrow the interval."""
    few = {claim.name: claim.found for claim in question.claims(rows({"a": 0.9, "b": 0.7, "c": 0.8}))}
    assert few["released_covers"].value == pytest.approx(0.8) and few["released_covers"].half > 0.05
    assert few["closer_overfitting"].value == 1


def test_accuracy_and_cost_are_never_averaged_in_a_picture_or_a_table():
    """Accuracy is covered and cost is not: their mean would look like nine tenths."""
    some = rows({"a": 1.0})
    some["rows"].loc[some["rows"]["metric"] == "loss", "inside"] = 0.8
    figure = question.draw(some)["coverage"]
    assert [axis.lines[0].get_xdata().tolist() for axis in figure.axes[:2]] == [[100], [pytest.approx(80)]]
    assert question.tabulate(some)["techniques"]["released covers"].tolist() == ["100 %, 80 %"]
    plt.close(figure)


def test_a_plateau_a_jump_and_a_kink_are_told_from_a_curve_that_saturates():
    epochs = np.arange(1.0, 61)
    smooth, late = 1 - np.exp(-epochs / 4), 1 / (1 + np.exp(30 - epochs))
    calm, plateau = shape(smooth, 12, 1), shape(late, 12, 1)
    assert calm["half_way"] < 5 and calm["late"] < 0.1 and plateau["half_way"] == 31 and plateau["late"] > 0.9
    jumps = np.where(epochs == 20, 0.5, smooth)
    assert shape(jumps, 12, 1)["jump"] > 0.4 and calm["jump"] == 0 and shape(-jumps, 12, -1)["jump"] > 0.4
    dropped = np.where(epochs > 30, 0.1, 0.5 + 0.01 * np.sin(9 * epochs))
    assert shape(dropped, 12, -1)["kink"] == pytest.approx(-0.4, abs=0.02)
    assert shape(dropped, 12, -1)["noise_before"] > 0.005 > shape(dropped, 12, -1)["noise_after"] == 0
