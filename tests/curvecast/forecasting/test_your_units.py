"""Guards epochs.py, normalise.py and in_words.py: your steps and values become the network's, and come back as words."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from curvecast.forecasting.epochs import LENGTH, axis, default_horizon, epochs
from curvecast.forecasting.normalise import Scale, metric_of
from curvecast.ground.errors import UserError
from curvecast.ground.progress import percent, plus_minus


def made(steps, horizon=None):
    steps = np.array(steps, dtype=float)
    own = axis(steps)
    return epochs(steps, own, default_horizon(steps, own) if horizon is None else horizon, "run")


@pytest.mark.parametrize(("steps", "horizon", "x", "ahead"), [
    ([0, 10, 20], None, [1, 2, 3], range(30, 991, 10)),  # counted from 0: moved by one epoch
    (range(1, 6), 8.5, [1, 2, 3, 4, 5], [6, 7, 8, 8.5]),  # a horizon between two epochs is asked for too
    (range(1, 301), 1000, range(1, 31), range(310, 1001, 10)),  # shrunk to a hundred epochs
    ([1], None, [1], range(2, 101)), ([1000], None, [1], range(2000, 100_001, 1000)), ([0], None, [1], range(1, 100)),
])  # fmt: skip
def test_steps_become_epochs_and_epochs_steps(steps, horizon, x, ahead):
    found = made(steps, horizon)
    assert found.x.tolist() == list(x) and found.ahead.tolist() == list(ahead)
    # of the points that fall on one epoch the last one stays
    assert found.kept.tolist() == list(range(9, 300, 10) if found.thinned else range(len(found.x)))


@pytest.mark.parametrize(
    ("steps", "unit"),
    [([1, 2, 4], 1), ([1, 3, 4, 5, 9], 1), ([0.1, 0.2, 0.3, 0.5], 0.1), ([10, 30, 50, 60], 20), ([1, 2.1, 3.05], 0.95)],
)  # fmt: skip
def test_the_usual_gap_is_the_most_frequent_one(steps, unit):
    """The smallest of several; the middle one, rather the smaller, where none repeats."""
    assert axis(np.array(steps)).unit == pytest.approx(unit)


def test_holes_do_not_make_an_epoch_longer():
    """The axis is that of all steps, also of those without a value."""
    found = epochs(np.array([2.0, 4, 6]), axis(np.arange(1, 8.0)), 10, "run")
    assert found.x.tolist() == [2, 4, 6] and found.ahead.tolist() == [7, 8, 9, 10]


@given(
    st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=60, unique=True).map(sorted),
    st.floats(1.0, 1e7),
)
def test_the_network_gets_rising_epochs_from_1_to_100(steps, further):
    """All that is asked for comes after what was seen, and ends at the horizon to the last digit."""
    assume(len(steps) == 1 or min(np.diff(steps)) >= 1e-3)
    assume((steps[-1] + further) / axis(np.array(steps)).unit <= 1e8)
    found = made(steps, horizon=steps[-1] + further)
    both = np.concatenate([found.x, found.x_ahead])
    assert (np.diff(both) > 0).all() and both[0] >= 1 and both[-1] <= LENGTH + 1e-6
    assert len(found.ahead) == len(found.x_ahead) <= LENGTH
    assert (found.ahead > steps[-1] - 1e-6 * max(1, steps[-1])).all()


@pytest.mark.parametrize(
    ("steps", "horizon"), [([7, 14, 21], 1e6), ([0.1, 0.2, 0.3], 77.7), ([1, 2, 3], 50.5)]
)
def test_the_last_step_is_the_horizon_to_the_last_digit(steps, horizon):
    """Also where the axis is shrunk, which leaves rounding behind."""
    assert made(steps, horizon=horizon).ahead[-1] == horizon


def test_a_horizon_in_another_unit_is_a_complaint():
    with pytest.raises(UserError, match="is it in the unit of the steps"):
        made([0.001, 0.002], horizon=1e9)


def scale(name="accuracy", values=(0.5,), bounds=None, minimise=None):
    return Scale.of(metric_of(name, bounds, minimise), np.array(values, dtype=float), "run")


@pytest.mark.parametrize(("name", "first", "values", "seen"), [
    ("accuracy", 0.5, [0.0, 0.3, 1.0], [0, 0.3, 1]), ("error", 0.5, [0.0, 0.25], [1, 0.75]),
    ("percent", 0.5, [50.0], [0.5]),
    ("loss", math.log(10), [0.0, math.log(10), 1e9], [1, 0.368, 0]),  # of ten classes, as the paper has it
])  # fmt: skip
def test_values_are_seen_as_the_paper_has_it(name, first, values, seen):
    assert scale(name, [first]).to(np.array(values)) == pytest.approx(seen, abs=1e-3)


@given(st.floats(0.01, 50), st.lists(st.floats(0.0, 60), min_size=1, max_size=20))
def test_back_undoes_to(first, values):
    """For values no larger than some times the first: beyond, the logistic curve is flat in floating point."""
    values = np.array([first, *(v for v in values if v < 8 * first)])
    for name, own in (("loss", values), ("accuracy", values / (values.max() + 1))):
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


def test_a_direction_may_be_turned():
    assert metric_of("loss", None, False).minimise is False
    assert metric_of((0, 7), None, True) == metric_of("accuracy", (0, 7), True)


@pytest.mark.parametrize(("how", "words"), [
    ({"values": [0.4, 93.1]}, "value 2 is 93.1, outside 0 to 1: set metric to 'percent' if"),
    ({"values": [0.4, -2]}, "outside 0 to 1"), ({"values": [0.4, 250]}, "'loss' if lower is better"),
    ({"values": [-0.1], "name": "loss"}, "outside 0 to inf"),
    ({"values": [0.0, 1.0], "name": "loss"}, "the first value equals the bound 0"),
    ({"name": "f1"}, "use one of accuracy, percent, error, loss"),
    ({"bounds": (1, 0)}, "the first must be below the second"),
    ({"bounds": (0, math.nan)}, "the first must be below the second"),
    ({"bounds": (-math.inf, math.inf)}, "without any bound"), ({"bounds": (0,)}, "not two numbers"),
    ({"bounds": ("a", "b")}, "not two numbers"),
    ({"bounds": (0, 1e308)}, r"bounds 0 to 1e\+308: one is beyond 1e\+150"),
])  # fmt: skip
def test_values_and_metrics_that_make_no_sense_are_refused_and_never_guessed(how, words):
    with pytest.raises(UserError, match=words):
        scale(**how)


@pytest.mark.parametrize(("value", "half", "shown"), [
    (0.7123, 0.031, "0.71 ± 0.03"), (0.7123, 0.0131, "0.712 ± 0.013"), (0.7123, 0.096, "0.71 ± 0.10"),
    (71.23, 3.1, "71 ± 3"), (71.23, 1.31, "71.2 ± 1.3"), (712.3, 31, "710 ± 30"), (5.0, 0.0, "5"),
    (0.71, float("nan"), "0.71"),
])  # fmt: skip
def test_a_value_has_the_digits_that_its_band_bears(value, half, shown):
    """One digit of the band, two where it begins with a one; no band, four digits of the value."""
    assert plus_minus(value, half) == shown


def test_a_chance_is_0_or_100_only_where_it_is_sure():
    shown = {0: "0 %", 0.004: "< 1 %", 0.012: "1 %", 0.99: "99 %", 0.995: "> 99 %", 1: "100 %"}
    assert {chance: percent(chance) for chance in shown} == shown
