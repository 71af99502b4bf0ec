"""Guards curvecast/language/changes.py: any floats come back bit by bit, and known values take one symbol each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from curvecast.language.changes import ESCAPE, Changes

LEVELS = Changes(np.linspace(0, 1, 11))
value = st.one_of(st.sampled_from([*LEVELS.levels.tolist(), -0.0, 1e-300]), st.floats(width=64))


@given(st.lists(value, max_size=20))
def test_every_list_of_floats_comes_back_bit_by_bit(values):
    """NaN, infinities and -0.0 included."""
    values = np.array(values, np.float64)
    assert LEVELS.decode(LEVELS.encode(values)).tobytes() == values.tobytes()


def test_a_level_is_a_change_and_any_other_value_is_spelt():
    text = LEVELS.encode(LEVELS.levels[[5, 6, 6, 4]])
    assert (text - LEVELS.none).tolist() == [0, 1, 0, -2]
    assert LEVELS.encode(np.array([0.55]))[0] == ESCAPE and len(LEVELS.encode(np.array([0.55]))) == 9


def test_rounding_gives_the_nearest_level_and_leaves_what_is_not_finite():
    rounded = LEVELS.rounded(np.array([0.12, 0.99, -5.0, np.inf, np.nan]))
    assert np.array_equal(rounded, [*LEVELS.levels[[1, 10, 0]], np.inf, np.nan], equal_nan=True)


@pytest.mark.parametrize("levels", [[], [0.0, 0.0], [1.0, 0.0], [0.0, np.nan]])
def test_what_are_no_levels_is_refused(levels):
    with pytest.raises(UserError, match="levels must"):
        Changes(np.array(levels))


@pytest.mark.parametrize(
    "text", [[7], [ESCAPE, 1, 2], [*[ESCAPE, 1, 2, 3, 4, 5, 6, 7, 8], 9], [ESCAPE], [-3]]
)
def test_bytes_that_stand_for_no_value_are_refused(text):
    with pytest.raises(UserError, match="eight bytes"):
        LEVELS.decode(np.array(text))


@pytest.mark.parametrize("text", [[LEVELS.none + 6], [LEVELS.symbols], [LEVELS.none - 6]])
def test_a_text_that_leaves_the_levels_is_refused(text):
    with pytest.raises(UserError, match="levels"):
        LEVELS.decode(np.array(text))
