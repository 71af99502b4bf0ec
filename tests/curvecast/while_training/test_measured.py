"""Guards curvecast/while_training/measured.py: what is a number, and what is none."""

import math

import pytest

from curvecast.ground.errors import UserError
from curvecast.while_training.measured import best_of, whole


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
