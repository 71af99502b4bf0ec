"""Guards curvecast/curves/factory/ensembles.py."""

import numpy as np
import pytest

from curvecast.curves.factory import ensembles, plan, tasks


@pytest.mark.parametrize("learner", ["histogram", "boosting", "ada", "forest"])
def test_a_curve_has_a_value_for_each_tree_and_trees_learn(learner):
    run = plan.single_runs(learner, 2, seed=0, steps=8)[1]  # digits, even or odd
    scores = ensembles.train(run)
    assert scores.steps.tolist() == list(range(1, 9))
    assert scores.accuracy.max() > tasks.split(run.task, run.seed).guess() + 0.1


def test_the_last_vote_is_that_of_the_whole_forest():
    split = tasks.split("wine", 0)
    forest = ensembles._forest(
        plan.single_runs("forest", 1, 0, steps=7)[0],
        {"random_cuts": False, "max_depth": 3, "max_features": 0.5},
    )
    forest.fit(split.x, split.y)
    *_, last = ensembles._forest_stages(forest, split.held_x)
    assert np.allclose(last, forest.predict_proba(split.held_x))


def test_boosting_that_has_learnt_all_ends_early():
    """AdaBoost stops at a tree without a mistake: the curve is as short as the ensemble."""
    settings = {"wrong": 0.0, "depth": 9, "learning_rate": 1.0}
    run_scores = ensembles.train(plan.Run("r", "ada", "wine", "r", 1, "tree", settings, 10))
    assert len(run_scores.steps) == len(run_scores.loss) < 10
