"""Guards curvecast/logs/checked_points.py: steps rise, numbers are finite, and a name cannot move the cursor."""

from math import inf, nan

import numpy as np
import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import checked_points
from curvecast.logs.checked_points import Points, printable, short


def gather(*added: tuple[str, float, float]) -> None:
    found = Points("log.csv", "keep fewer")
    for line, point in enumerate(added, 2):
        found.add(*point, line)


@pytest.mark.parametrize(
    ("step", "value", "complaint"),
    [
        (5, 0.1, "log.csv, line 3: run 'a' has step 5 twice: after a restart keep one of the two"),
        (2.5, 0.1, "line 3: run 'a' goes back from step 5 to step 2.5: after a restart keep one"),
        (-1, 0.1, "line 3: run 'a' has step -1: steps count from 0"),
        (nan, 0.1, "line 3: run 'a' has a step that is NaN: write"),
        (inf, 0.1, "line 3: run 'a' has a step that is infinite: write"),
        (6, nan, "line 3: run 'a' is NaN at step 6: a run that diverged? leave the value out, or cut"),
        (6, -inf, "line 3: run 'a' is infinite at step 6: a run that diverged?"),
    ],
)
def test_a_point_that_cannot_be_right_is_named(step, value, complaint):
    """The run, the line and both steps."""
    with pytest.raises(UserError) as error:
        gather(("a", 5, 0.5), ("a", step, value))
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("number", "shown"),
    [(1234567.0, "1234567"), (1234567.5, "1234567.5"), (2, "2"), (-1.0, "-1"), (1e300, "1e+300"), (np.float64(0.1), "0.1"),
     (nan, "nan"), (inf, "inf")],
)  # fmt: skip
def test_a_number_is_short_and_keeps_its_digits(number, shown):
    """Two numbers that differ look different."""
    assert short(number) == shown


def test_too_many_runs_and_values_are_refused(monkeypatch):
    """With the limit and what to do; as many as the limit are fine."""
    monkeypatch.setattr(checked_points, "MOST_RUNS", 2)
    monkeypatch.setattr(checked_points, "MOST_VALUES", 3)
    gather(("a", 1, 1), ("b", 1, 1), ("b", 2, 1))
    with pytest.raises(UserError, match="has more than 2 runs: at most 2 at once; keep those that you need"):
        gather(("a", 1, 1), ("b", 1, 1), ("c", 1, 1))
    with pytest.raises(UserError, match="has more than 3 values: keep fewer"):
        gather(*(("a", step, 1) for step in range(4)))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("lr=0.1, naïve", "lr=0.1, naïve"),
        ("\x1b[31mred\x07\n", "?[31mred??"),
        ("\u202eabc\ud800", "?abc?"),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 39 + "…"),
    ],
)
def test_a_printable_name_has_no_control_characters_and_40_at_most(name, shown):
    """Neither colours, nor bells, nor writing from right to left, nor half a character."""
    assert printable(name) == shown
