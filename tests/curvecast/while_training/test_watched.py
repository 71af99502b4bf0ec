"""Guards curvecast/while_training/watched.py: one value by its name, with everything that may be wrong about it."""

import math

import pytest

from curvecast.ground.errors import UserError
from curvecast.while_training.watched import Watched

RISING = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57]


def fed(logs, horizon=50, **how):
    lines = []
    watched = Watched("acc", how | {"tell": lines.append})
    answers = [watched.decide(lambda s=s: s, lambda: horizon, log) for s, log in enumerate(logs, 1)]
    return watched, lines, answers


def test_the_value_reaches_the_stopper_with_the_trainings_horizon():
    watched, _, answers = fed([{"acc": y, "loss": 1} for y in RISING], best=0.95, act=True)
    assert watched.stopper.values == RISING and watched.stopper.check().horizon == 50 and answers[-1]


@pytest.mark.parametrize("horizon", [None, 0, -1, math.inf])
def test_a_training_without_an_end_has_the_usual_horizon(horizon):
    assert fed([{"acc": y} for y in RISING], horizon)[0].stopper.check().horizon == 100


def test_a_horizon_that_was_told_stands():
    watched = Watched("acc", {"horizon": 30})
    watched.take(lambda: 1, lambda: 50, {"acc": 0.5})
    assert watched.stopper.horizon == 30


def test_a_value_that_is_not_there_is_told_once_with_what_is():
    """And nothing is stopped."""
    _, lines, answers = fed([{"acc_top5": 1, "loss": 2}] * 3 + [{}], act=True)
    assert lines == ["curvecast: 'acc' is not among the logged values (acc_top5, loss): nothing to forecast"]
    assert not any(answers)


@pytest.mark.parametrize("monitor", [["acc", "loss"], None, ""])
def test_two_values_need_two_callbacks(monitor):
    with pytest.raises(UserError, match="name one value; for two values use two callbacks"):
        Watched(monitor, {})


def test_a_loss_is_not_taken_for_an_accuracy():
    """Refused before the training; whoever says anything of the metric means it."""
    with pytest.raises(UserError, match="'eval_loss' sounds as if lower were better: set metric='loss'"):
        Watched("eval_loss", {})
    assert Watched("eval_loss", {"metric": "loss"}).stopper.minimise
    assert not Watched("neg_loss", {"minimise": False}).stopper.minimise
