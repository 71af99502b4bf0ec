"""Guards curvecast/forecasting/normalise.py: the paper's map, its inverse, and whose values are refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.forecasting.normalise import METRICS, Scale, metric_of
from curvecast.ground.errors import UserError


def scale(name="accuracy", values=(0.5,), **more):
    return Scale.of(
        metric_of(name, more.get("bounds"), more.get("minimise")), np.array(values, dtype=float), "run"
    )


def test_an_accuracy_is_itself_and_an_error_is_turned():
    assert scale().to(np.array([0.0, 0.3, 1.0])).tolist() == [0, 0.3, 1]
    assert scale("error").to(np.array([0.0, 0.25])).tolist() == [1, 0.75]
    assert scale("percent").to(np.array([50.0])).tolist() == [0.5]


def test_the_loss_of_ten_classes_as_the_paper_has_it():
    """Log loss between 0 and ln 10, minimised: g(0) = 1, g(ln 10) = 0.368, g(infinity) = 0."""
    loss = scale("loss", [math.log(10)])
    found = loss.to(np.array([0.0, math.log(10), 1e9]))
    assert found == pytest.approx([1, 0.368, 0], abs=1e-3)


@given(st.floats(0.01, 50), st.lists(st.floats(0.0, 60), min_size=1, max_size=20))
def test_back_undoes_to(first, values):
    """For values no larger than some times the first: beyond, the logistic curve is flat in floating point."""
    values = np.array([first, *(v for v in values if v < 8 * first)])
    for name in ("loss", "accuracy"):
        own = values / (values.max() + 1) if name == "accuracy" else values
        found = scale(name, own)
        assert np.allclose(found.back(found.to(own)), own, rtol=1e-5, atol=1e-6 * first)


@pytest.mark.parametrize("bounds", [(0, math.inf), (-math.inf, 10), (0, 10)])
@pytest.mark.parametrize("minimise", [False, True])
def test_better_values_are_higher_for_the_network(bounds, minimise):
    found = scale(values=[4], bounds=bounds, minimise=minimise)
    seen = found.to(np.array([1.0, 2.0, 4.0, 8.0]))
    assert (np.diff(seen) < 0).all() if minimise else (np.diff(seen) > 0).all()
    assert ((seen >= 0) & (seen <= 1)).all()
    assert np.isfinite(found.back(np.array([-0.3, 0.0, 1.0, 1.3]))).all()


def test_what_lies_beyond_a_bound_is_the_bound():
    """Forecasts have tails, accuracies have none; and a loss of zero is not printed as -0.0."""
    assert scale().back(np.array([-0.2, 1.3])).tolist() == [0, 1]
    assert scale("error").back(np.array([-0.2, 1.3])).tolist() == [1, 0]
    assert str(scale("loss", [2.0]).back(np.array([1.2]))[0]) == "0.0"


@pytest.mark.parametrize(
    ("values", "how", "words"),
    [
        ([0.4, 93.1], {}, "value 2 is 93.1, outside 0 to 1: set metric to 'percent' if"),
        ([0.4, -2], {}, "outside 0 to 1"),
        ([0.4, 250], {}, "'loss' if lower is better"),
        ([-0.1], {"name": "loss"}, "outside 0 to inf"),
        ([0.0, 1.0], {"name": "loss"}, "the first value equals the bound 0"),
    ],
)
def test_values_outside_the_bounds_are_refused_and_never_guessed(values, how, words):
    with pytest.raises(UserError, match=words):
        scale(values=values, **how)


@pytest.mark.parametrize(
    ("name", "bounds", "words"),
    [
        ("f1", None, "use one of accuracy, percent, error, loss"),
        ("accuracy", (1, 0), "the first must be below the second"),
        ("accuracy", (-math.inf, math.inf), "without any bound"),
        ("accuracy", (0,), "not two numbers"),
        ("accuracy", (0, 1e308), r"bounds 0 to 1e\+308: one is beyond 1e\+150"),
        ("accuracy", ("a", "b"), "not two numbers"),
        ("accuracy", (0, math.nan), "the first must be below the second"),
    ],
)
def test_a_metric_that_makes_no_sense_is_a_complaint(name, bounds, words):
    with pytest.raises(UserError, match=words):
        metric_of(name, bounds, None)


def test_a_direction_may_be_turned():
    assert metric_of("loss", None, False).minimise is False
    assert metric_of((0, 7), None, True) == metric_of("accuracy", (0, 7), True)
    assert set(METRICS) == {"accuracy", "percent", "error", "loss"}
