"""Guards reproduce/protocols/stopping_rules.py and lazy_forecasts.py: who stops what, and who asks only when it must."""

import numpy as np
import pytest
import torch

from curvecast.scores import baselines, pools_of_runs, stopping
from reproduce.protocols import stopping_rules as rules
from reproduce.protocols.lazy_forecasts import LazyForecasts


def last_value(x, y, later):
    return baselines.forecast("last value", x, y, later)


def pool():
    return pools_of_runs.draw(30, 3, np.random.default_rng(1))


def test_asking_when_a_decision_needs_it_changes_no_decision():
    """With one chance and then another: as with all forecasts made, of which most are spared."""
    some, whole = pool(), 30 * 100
    asked = LazyForecasts(last_value, some.noisy, [0.05, 0.2])
    for delta in (0.05, 0.2):
        every = stopping.reaches(last_value, some.noisy, stopping.fine(100), delta)
        want = stopping.play(some.noisy, every, some.orders)
        table = asked.table(some, stopping.fine(100), delta, whole)
        assert torch.equal(stopping.play(some.noisy, table, some.orders), want)
    assert 0 < asked.forecasts < 0.6 * every.isfinite().sum()


def test_what_either_rule_ends_is_ended():
    """DeepHyper's rule is its fits and a patience: no run goes on longer than with patience alone."""
    some = pool()
    one, table = rules.fitted(some, 30 * 100)
    patient = stopping.play(some.noisy, stopping.patience(some.noisy, 25), some.orders)
    epochs = stopping.play(some.noisy, table, some.orders)
    assert (epochs <= 100).all() and epochs.sum() < patient.sum() and one.forecasts > 0
    assert (
        (epochs == patient) | torch.isin(epochs, torch.tensor(rules.FITS_AFTER)) | (epochs < patient)
    ).all()


def test_after_the_budget_nothing_is_asked():
    some = pool()
    few, all_ = LazyForecasts(last_value, some.noisy, [0.05]), LazyForecasts(last_value, some.noisy, [0.05])
    few.table(some, stopping.fine(100), 0.05, 50)
    all_.table(some, stopping.fine(100), 0.05, 30 * 100)
    assert 0 < few.forecasts < 0.8 * all_.forecasts


def test_regret_is_what_the_best_so_far_lacks():
    y = torch.tensor([[0.2, 0.3], [0.5, 0.9]])
    lacks = rules.regret(y, [torch.tensor([0, 1, 2]), torch.tensor([2, 3])], [1, 2, 9])
    assert lacks.tolist() == pytest.approx([(0.7 + 0.4) / 2, (0.6 + 0) / 2, (0.4 + 0) / 2])
