"""Guards curvecast/curves/factory/schedules.py."""

import numpy as np
import pytest

from curvecast.curves.factory.schedules import Schedule, factors
from curvecast.ground.errors import UserError


def test_a_warm_up_is_a_line_up_to_the_whole_rate():
    """Four epochs of warm-up: a fifth, two fifths, …, and the fifth epoch has all of it."""
    assert factors(Schedule(warm_up=4), 10) == pytest.approx([0.2, 0.4, 0.6, 0.8, *[1] * 6])


def test_the_rate_falls_after_the_epochs_that_are_named():
    assert factors(Schedule("drops", drops=(2, 4), fall=0.1), 6) == pytest.approx(
        [1, 1, 0.1, 0.1, 0.01, 0.01]
    )


def test_cosine_and_line_begin_at_the_whole_rate_and_end_near_nothing():
    cosine, line = (factors(Schedule(shape), 50) for shape in ("cosine", "linear"))
    assert cosine[0] == line[0] == 1 and cosine[25] == line[25] == pytest.approx(0.5)
    assert (
        cosine[-1] < line[-1] == pytest.approx(0.02)
        and (np.diff(cosine) < 0).all()
        and (np.diff(line) < 0).all()
    )


def test_an_unknown_schedule_is_told():
    with pytest.raises(UserError, match="'sawtooth' is unknown: take one of constant"):
        factors(Schedule("sawtooth"), 10)
