"""Guards curvecast/curves/factory/passes.py."""

import numpy as np
import pytest

from curvecast.curves.factory import passes, plan
from curvecast.curves.factory.measured import WORST


@pytest.mark.parametrize("learner", ["sgd", "mlp"])
def test_a_curve_has_a_value_for_each_pass_and_another_seed_another_curve(learner):
    *_, run, repeat = plan.single_runs(learner, 5, seed=0, steps=6)
    scores = passes.train(run)
    assert scores.steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert run.settings == repeat.settings and not np.allclose(scores.loss, passes.train(repeat).loss)


def test_a_network_that_overflows_stays_a_finite_curve():
    run = plan.single_runs("mlp", 1, 0, steps=4)[0]
    absurd = run.settings | {"solver": "sgd", "activation": "relu", "learning_rate_init": 1e20}
    scores = passes.train(plan.Run("r", "mlp", "wine", "r", 1, "epoch", absurd, 4))
    assert scores.broke == 1 and scores.loss[-1] == WORST
