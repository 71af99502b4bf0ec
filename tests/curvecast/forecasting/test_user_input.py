"""Guards curvecast/forecasting/user_input.py: what a user gives becomes numbers, or a sentence. Most of it in test_api.py."""

import numpy as np
import pandas as pd
import pytest

from curvecast.forecasting import user_input
from curvecast.ground.errors import UserError


def test_shared_steps_may_go_on():
    assert user_input.clean([0.3], [1, 2], True, "run").steps.tolist() == [1]


def test_more_runs_than_memory_can_hold_are_refused_before_anything_is_done():
    with pytest.raises(UserError, match=r"1,000,000 runs: at most 50,000 in one call"):
        user_input.runs_of(np.zeros((1_000_000, 2)))
    assert not user_input.runs_of(np.zeros(1_000_000))[1]  # one long run is one run
    column = pd.Series(np.zeros(60_000), index=range(7, 60_007))  # whose label 0 is not there
    assert not user_input.runs_of(column)[1]
