"""Guards curvecast/curves/factory/measured.py: scores, and what becomes of numbers that overflow."""

import math

import numpy as np
import pytest

from curvecast.curves.factory.measured import WORST, Score, measured, score

LABELS = np.array([0, 1, 1, 0])


def test_accuracy_and_log_loss_are_those_of_scikit_learn():
    from sklearn.metrics import accuracy_score, log_loss

    chances = np.random.default_rng(0).dirichlet([1, 1], 4)
    scores = score(chances, LABELS)
    assert scores.accuracy == accuracy_score(LABELS, chances.argmax(1))
    assert scores.loss == pytest.approx(log_loss(LABELS, chances))


def test_a_chance_of_nothing_costs_the_worst_loss_and_no_more():
    assert score(np.array([[0.0, 1.0]]), np.array([0])).loss == WORST == -math.log(1e-7)


def test_what_overflows_stays_a_finite_curve_and_says_where():
    """From there on the first class is predicted, with the worst loss."""
    scores = measured(np.array([1, 2, 3]), [Score(0.75, 0.5), None, None], LABELS, Score(0.5, 0.7))
    assert scores.broke == 2 and scores.untrained == (0.5, 0.7)
    assert scores.accuracy.tolist() == [0.75, 0.5, 0.5] and scores.loss.tolist() == [0.5, WORST, WORST]
    assert measured(np.array([1]), [Score(1, 0)], LABELS).broke is None
