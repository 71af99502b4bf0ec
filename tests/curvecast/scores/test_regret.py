"""Guards curvecast/scores/regret.py: how soon a rule gets somewhere, and over what an interval is."""

import math

import numpy as np
import pandas as pd
import pytest

from curvecast.scores.regret import sooner, times


def rows(**reach: float) -> pd.DataFrame:
    """Regret falls from 1 evenly in log epochs, to 0.5 at the epoch given for a method; four tasks, two of each kind."""
    grid = np.unique(np.geomspace(1, 400, 60).round().astype(int))
    made = []
    for method, end in {
        "no stopping": 400.0,
        **{name.replace("_", " "): end for name, end in reach.items()},
    }.items():
        falls = np.maximum(1 - 0.5 * np.log(grid) / math.log(end), 0.2)
        made += [{"task": t, "kind": t // 2, "method": method} | dict(zip(map(str, grid), falls, strict=True))
                 for t in range(4)]  # fmt: skip
    return pd.DataFrame(made)


def test_half_the_regret_after_a_quarter_of_the_epochs_is_four_times_sooner():
    found = times(rows(fine=100), 50)
    assert sooner(found, "fine") == pytest.approx(4, rel=0.01) and len(found["fine"]) == 51


def test_what_is_never_reached_is_zero_times_sooner():
    assert sooner(times(rows(fine=40_000), 5), "fine")[0] == 0


def test_tasks_that_hang_together_are_drawn_as_one():
    """Two tasks of a kind that have no regret come or stay away together: the mean has three values, not five."""
    found = rows(fine=100)
    grid = [c for c in found if c.isdigit()]
    found.loc[(found["method"] == "fine") & (found["kind"] == 0), grid] -= 0.4
    together, apart = (len(set(times(found, 200, unit)["fine"].round(6))) for unit in ("kind", "task"))
    assert (together, apart) == (3, 5)
