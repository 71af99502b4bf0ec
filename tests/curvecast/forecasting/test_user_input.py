"""Guards curvecast/forecasting/user_input.py: what a user gives becomes numbers, or a sentence. More of it in test_api.py."""

import numpy as np
import pytest

from curvecast.forecasting import user_input
from curvecast.ground.errors import UserError


def test_holes_are_taken_out_and_still_count_for_the_axis():
    seen = user_input.clean([0.3, None, 0.5, None], [10, 20, 30, 40], False, "run")
    assert seen.steps.tolist() == [10, 30] and seen.values.tolist() == [0.3, 0.5] and seen.axis.unit == 10


def test_shared_steps_may_go_on_and_own_steps_may_not():
    assert user_input.clean([0.3], [1, 2], True, "run").steps.tolist() == [1]
    with pytest.raises(UserError, match="run has 1 values but 2 steps"):
        user_input.clean([0.3], [1, 2], False, "run")


@pytest.mark.parametrize(
    ("values", "many"), [([1, 2], False), ([[1], [2]], True), (np.ones((2, 3)), True), ((1, 2), False)]
)
def test_one_run_and_many_are_told_apart(values, many):
    assert user_input.runs_of(values)[1] is many


def test_a_number_is_finite_or_a_complaint():
    assert user_input.number(np.float32(0.5), "t") == 0.5
    for bad in ("x", None, [1, 2], float("nan"), float("inf")):
        with pytest.raises(UserError, match="t is"):
            user_input.number(bad, "t")


def test_more_runs_than_memory_can_hold_are_refused_before_anything_is_done():
    with pytest.raises(UserError, match=r"1,000,000 runs: at most 50,000 in one call"):
        user_input.runs_of(np.zeros((1_000_000, 2)))
    assert not user_input.runs_of(np.zeros(1_000_000))[1]  # one long run is one run
