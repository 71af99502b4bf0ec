"""Guards curvecast/forecasting/epochs.py: any unit of steps becomes the epochs that the network knows, and comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.forecasting.epochs import LENGTH, axis, default_horizon, epochs
from curvecast.ground.errors import UserError


def made(steps, horizon=None):
    steps = np.array(steps, dtype=float)
    own = axis(steps)
    return epochs(steps, own, default_horizon(steps, own) if horizon is None else horizon, "run")


def test_steps_that_are_epochs_stay_what_they_are():
    found = made(range(1, 11))
    assert found.x.tolist() == list(range(1, 11))
    assert found.x_ahead.tolist() == found.ahead.tolist() == list(range(11, 101))


@pytest.mark.parametrize("unit", [0.25, 2, 500])
def test_the_unit_does_not_matter(unit):
    """The same epochs; the steps ahead are in the run's unit."""
    found = made(unit * np.arange(1, 11))
    assert np.allclose(found.x, range(1, 11)) and np.allclose(found.ahead, unit * np.arange(11, 101))


def test_steps_that_count_from_0_are_moved_by_one_epoch():
    found = made([0, 10, 20])
    assert found.x.tolist() == [1, 2, 3]
    assert found.ahead[0] == 30 and found.ahead[-1] == 990


def test_more_than_a_hundred_epochs_are_shrunk_to_a_hundred():
    """The last of the points that fall on one epoch stays; the steps ahead are every tenth."""
    found = made(range(1, 301), horizon=1000)
    assert found.thinned and found.kept.tolist() == list(range(9, 300, 10))
    assert found.x.tolist() == list(range(1, 31)) and found.ahead.tolist() == list(range(310, 1001, 10))


def test_a_horizon_between_two_epochs_is_asked_for_too():
    assert made(range(1, 6), horizon=8.5).ahead.tolist() == [6, 7, 8, 8.5]


def test_one_point_is_enough():
    assert made([1]).x.tolist() == [1] and made([1000]).x.tolist() == [1] and made([0]).x.tolist() == [1]


@pytest.mark.parametrize(
    ("steps", "unit"),
    [
        ([1, 2, 4], 1),
        ([1, 3, 4, 5, 9], 1),
        ([0.1, 0.2, 0.3, 0.5], 0.1),
        ([10, 30, 50, 60], 20),
        ([1, 2.1, 3.05], 0.95),
    ],
)
def test_the_usual_gap_is_the_most_frequent_one(steps, unit):
    """The smallest of several; the middle one, rather the smaller, where none repeats."""
    assert axis(np.array(steps)).unit == pytest.approx(unit)


def test_holes_do_not_make_an_epoch_longer():
    """The axis is that of all steps, also of those without a value."""
    own = axis(np.arange(1, 8.0))
    found = epochs(np.array([2.0, 4, 6]), own, 10, "run")
    assert found.x.tolist() == [2, 4, 6] and found.ahead.tolist() == [7, 8, 9, 10]


def test_a_horizon_in_another_unit_is_a_complaint():
    with pytest.raises(UserError, match="is it in the unit of the steps"):
        made([0.001, 0.002], horizon=1e9)


@given(
    st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=60, unique=True).map(sorted),
    st.floats(1.0, 1e7),
)
def test_the_network_gets_rising_epochs_from_1_to_100(steps, further):
    """Whatever the steps: epochs rise, begin at 1 or later, end at 100, and all that is asked for comes after them."""
    if len(steps) > 1 and min(np.diff(steps)) < 1e-3:
        return  # two logged values at one time
    if (steps[-1] + further) / axis(np.array(steps)).unit > 1e8:
        return  # refused, see below
    found = made(steps, horizon=steps[-1] + further)
    assert (np.diff(found.x) > 0).all() and found.x[0] >= 1
    ahead = found.x_ahead
    assert (np.diff(ahead) > 0).all() and (
        len(ahead) == 0 or (ahead[0] > found.x[-1] and ahead[-1] <= LENGTH + 1e-6)
    )
    assert (
        len(found.ahead) == len(ahead) <= LENGTH
        and (found.ahead > steps[-1] - 1e-6 * max(1, steps[-1])).all()
    )


def test_the_last_step_is_the_horizon_to_the_last_digit():
    """Also where the axis is shrunk, which leaves rounding behind."""
    for steps, horizon in (([7, 14, 21], 1e6), ([0.1, 0.2, 0.3], 77.7), ([1, 2, 3], 50.5)):
        assert made(steps, horizon=horizon).ahead[-1] == horizon
