"""Guards curvecast/curves/laws/schedule.py: a schedule only gains, and only calms the noise."""

import pytest

from curvecast.curves.laws import growth, schedule
from tests.curvecast.curves.laws.some_runs import X, dice


def scheduled(without=()):
    same = dice()
    gain = growth.growth(X, same)
    return gain, schedule.scheduled(gain, X, without, same)


def test_a_schedule_only_gains():
    """It adds to the gain or reduces the missing distance, never the reverse, and never overshoots."""
    gain, after = scheduled()
    assert (after.gain >= gain).all() and after.gain.max() <= schedule.BEYOND + 1e-12
    assert (after.missing <= 1).all() and (after.missing >= 0).all()
    assert (after.missing.diff(dim=1) <= 1e-12).all()


def test_a_schedule_only_calms_the_noise():
    """The noise never grows, and never vanishes."""
    _, after = scheduled()
    assert after.calm.max() == 1 and (after.calm.diff(dim=1) <= 1e-12).all() and after.calm.min() > 0


def test_what_is_missing_counts_to_one_end_or_to_the_other():
    """The gain is relative to the run's own final value or to the best value, never both; the latter in the stated share."""
    gain, after = scheduled()
    own, best = ((after.gain > gain + 1e-12).any(1), (after.missing < 1).any(1))
    assert not (own & best).any() and own.any()
    acted = (after.calm < 1).any(1)
    share = (best & acted).double().sum() / acted.sum()
    assert abs(share - schedule.TO_THE_BEST) < 0.05


@pytest.mark.parametrize(("kept", "chance"), [("anneal", schedule.ANNEALED), ("steps", schedule.STEPS)])
def test_each_event_comes_as_often_as_is_stated(kept, chance):
    """With the other one left out: an annealed end once, a step at two chances."""
    _, after = scheduled(tuple({"anneal", "steps"} - {kept}))
    expected = chance if kept == "anneal" else 1 - (1 - chance) ** 2
    assert abs((after.calm < 1).any(1).double().mean() - expected) < 0.035


def test_a_step_is_sudden_and_stays():
    """The noise has one scale before the step and another after."""
    calm = schedule._step(X, dice())[1]
    assert ((calm.diff(dim=1) != 0).sum(1) <= 1).all() and calm[:, -1].min() < 1
