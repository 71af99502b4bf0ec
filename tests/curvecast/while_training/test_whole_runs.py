"""Guards curvecast/while_training/whole_runs.py: which runs of a search calibrate the bands of the others."""

import pytest

from curvecast.forecasting.finished_runs import MOST
from curvecast.while_training.stopper import Stopper
from curvecast.while_training.whole_runs import WholeRuns


def ended(last: int = 20, start: float = 0.1, metric: str = "accuracy") -> Stopper:
    stopper = Stopper(20, metric, tell=lambda _: None)
    for step in range(1, last + 1):
        stopper.observe(step, start + 0.01 * step)
    return stopper


def filled(n: int) -> WholeRuns:
    whole = WholeRuns()
    for name in range(n):
        whole.add(name, ended(start=name / 1000))
    return whole


@pytest.mark.parametrize(
    ("runs", "taken"), [(0, 0), (1, 0), (2, 2), (3, 3), (19, 19), (21, 20), (39, 39), (49, 48)]
)
def test_from_two_on_they_count_and_of_many_whole_tenths(runs, taken):
    assert len(filled(runs).calibrating) == taken


@pytest.mark.parametrize(("runs", "last"), [(50, 49), (54, 49), (55, 54), (118, 114), (123, 119), (128, 124)])
def test_of_more_than_fifty_the_latest_count(runs, last):
    """They change by five."""
    found = [round(1000 * (run.seen.values[0] - 0.01)) for run in filled(runs).calibrating.runs]
    assert found == list(range(last + 1 - MOST, last + 1))


def test_a_run_that_is_given_again_counts_once():
    whole = filled(3)
    whole.add(0, ended())
    assert len(whole.calibrating) == 3


@pytest.mark.parametrize("run", [ended(15), ended(0), ended(start=-0.01, metric="loss")])
def test_a_run_that_was_stopped_has_no_value_or_no_scale_is_no_evidence(run):
    """A loss of 0 at its first value has no scale."""
    whole = filled(2)
    whole.add("more", run)
    assert len(whole.calibrating) == 2


def test_what_is_handed_on_stays_the_same_from_look_to_look():
    """So that what was found of a run is found once."""
    whole = filled(4)
    first = whole.calibrating
    whole.add(3, ended())
    assert whole.calibrating is first
    whole.add("more", ended())
    assert whole.calibrating.runs[:4] == first.runs
