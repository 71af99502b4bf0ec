"""Guards curvecast/while_training/measured.py: what is a number, and what is none."""

import json
import math

import pytest

from curvecast.ground.errors import UserError
from curvecast.while_training.measured import best_of, bound_in_json, finite, whole


def test_texts_and_what_is_not_finite_are_no_numbers():
    assert [finite(value) for value in ("1", math.nan, math.inf, None, [1], 10**400)] == [None] * 6
    assert finite(2) == 2.0


def test_the_best_of_other_runs_leaves_out_what_is_no_number():
    """None where there are no other runs; runs without any number are a complaint."""
    assert best_of([[0.2, math.nan], [0.5]], minimise=False) == 0.5
    assert best_of([[0.2, math.nan], [0.5]], minimise=True) == 0.2
    assert best_of([], minimise=True) is best_of([[]], minimise=True) is None
    with pytest.raises(UserError, match="no finite number"):
        best_of([[math.nan]], minimise=True)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_a_count_is_a_whole_number_of_one_or_more(value):
    with pytest.raises(UserError, match="every is"):
        whole(value, "every")


def test_bounds_go_through_json():
    """Which has no infinity."""
    bounds = [0.0, math.inf, -math.inf]
    assert [float(json.loads(json.dumps(bound_in_json(b)))) for b in bounds] == [
        0,
        math.inf,
        -math.inf,
    ]
