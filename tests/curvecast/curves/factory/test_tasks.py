"""Guards curvecast/curves/factory/tasks.py: rows that are scored are never trained on, and their labels are right."""

import numpy as np
import pytest

from curvecast.curves.factory import tasks


@pytest.mark.parametrize("task", tasks.TASKS)
def test_no_held_out_row_is_trained_on(task):
    """Every row of the data set is on one of the two sides, a third of each class on the held-out one."""
    split = tasks.split(task, seed=3)
    both = np.concatenate([split.rows, split.held_rows])
    assert sorted(both) == list(range(len(both)))
    shares = np.bincount(split.held_y) / np.bincount(np.concatenate([_right(task, split), split.held_y]))
    assert np.abs(shares - 1 / 3).max() < 0.02
    assert split.classes == len(shares) and 1 / split.classes <= split.guess() < 0.7


def _right(task, split):
    return tasks.TASKS[task].load()[1].astype(int)[split.rows]


def test_wrong_labels_are_in_the_training_part_alone():
    """As many as was asked for, none of them right by chance, and not one among the held-out rows."""
    split, plain = tasks.split("digits", 1, wrong=0.4), tasks.split("digits", 1)
    assert (split.y != _right("digits", split)).sum() == round(0.4 * len(split.y))
    assert (split.held_y == plain.held_y).all() and (plain.y == _right("digits", plain)).all()
    named = tasks.split("digits_wrong", 1)
    assert np.mean(named.y != _right("digits", named)) == pytest.approx(0.2, abs=0.001)


def test_the_scale_of_features_comes_from_the_training_part():
    """Mean 0 and spread 1 there, whatever the held-out rows are."""
    split = tasks.split("cancer", 0)
    assert np.allclose(split.x.mean(0), 0) and np.allclose(split.x.std(0), 1)
    assert not np.allclose(split.held_x.mean(0), 0, atol=1e-3)
