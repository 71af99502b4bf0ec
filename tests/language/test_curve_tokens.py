"""Guards reproduce/language/curve_tokens.py: inputs of all kinds are among those written, and a lossy text is found out."""

import numpy as np

from curvecast.language.changes import Changes
from reproduce.language.curve_tokens import inputs_of_all_kinds, same_again

LEVELS = Changes(np.linspace(0, 1, 9))


def test_inputs_hold_levels_nan_infinities_and_nothing_at_all():
    inputs = list(inputs_of_all_kinds(LEVELS, 400, 0))
    values = np.concatenate(inputs)
    assert np.isnan(values).any() and np.isinf(values).any() and min(map(len, inputs)) == 0
    assert 0.6 < np.isin(values, LEVELS.levels).mean() < 0.85


def test_all_come_back_and_a_text_that_rounds_is_counted_as_other():
    inputs = list(inputs_of_all_kinds(LEVELS, 300, 1))
    assert same_again(LEVELS, inputs, at_once=70) == 300

    class Rounding(Changes):
        def encode(self, values):
            return super().encode(self.rounded(values))

    assert same_again(Rounding(LEVELS.levels), inputs) < 200
