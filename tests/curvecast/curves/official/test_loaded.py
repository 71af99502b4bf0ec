"""Guards curvecast/curves/official/loaded.py: the uniform table, whatever the benchmark."""

from dataclasses import replace

import pytest

from curvecast.curves.official.lcbench import LCBENCH
from curvecast.curves.official.loaded import loaded
from curvecast.curves.sources.uniform_table import ABOUT, POINTS, Curve, Measure
from curvecast.ground.errors import UserError

ACCURACY = Measure("accuracy", higher_is_better=True, step_unit="epochs", high=1)
ONE = Curve("a/1", [1, 2, 3], [0.1, 0.2, 0.3], "a", "a", ACCURACY, {})


def test_rows_have_the_columns_of_all_other_tables():
    two = replace(ONE, curve_id="a/2", steps=[5, 6], values=[0.5, 0.6])
    found = loaded(LCBENCH, [ONE, two])
    assert tuple(found.points) == POINTS and tuple(found.about) == ABOUT
    assert list(found.points["curve_id"]) == ["a/1"] * 3 + ["a/2"] * 2
    assert list(found.points["step"]) == [1, 2, 3, 5, 6] and list(found.points["value"]) == [
        0.1,
        0.2,
        0.3,
        0.5,
        0.6,
    ]
    assert set(found.points["licence"]) == {"Apache-2.0"} and set(found.points["higher_is_better"]) == {1}


def test_what_is_left_out_is_counted():
    """Curves with nan, and those of one point; without any curve the table is empty."""
    hole, point = replace(ONE, values=[0.1, float("nan"), 0.3]), replace(ONE, steps=[1], values=[0.1])
    found = loaded(LCBENCH, [hole, point, hole])
    assert dict(found.left_out) == {"with a value that is not finite": 2, "with fewer than 2 points": 1}
    assert len(found.points) == len(found.about) == 0 and tuple(found.points) == POINTS


def test_one_name_for_two_curves_is_refused():
    with pytest.raises(UserError, match="lcbench has the curve 'a/1' twice"):
        loaded(LCBENCH, [ONE, ONE])


@pytest.mark.parametrize("value", [-0.1, 30.0])
def test_a_value_that_cannot_be_is_refused(value):
    """Percent, for instance, where a fraction is meant."""
    with pytest.raises(UserError, match=r"curve 'a/1', step 2: accuracy is .*, outside 0 to 1"):
        loaded(LCBENCH, [replace(ONE, values=[0.1, value, 0.3])])
