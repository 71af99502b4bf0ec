"""Guards curvecast/scores/pools_of_runs.py: what is trained, and what regret is."""

import pytest
import torch

from curvecast.scores import pools_of_runs, stopping
from curvecast.scores.pools_of_runs import Pool


def test_epochs_are_trained_in_turn_and_within_the_budget():
    """Run 1 for two epochs, then run 0; and no epoch beyond what there is to spend."""
    assert pools_of_runs.places(torch.tensor([1, 0]), torch.tensor([2, 1]), 3).tolist() == [3, 4, 0]
    y = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    pool = Pool(y, y, torch.tensor([[1, 0]]))
    tables = {"no stopping": stopping.always(y), "patience 0": stopping.patience(y, 0)}
    spent = pools_of_runs.trainings(pool, tables, 5)
    assert spent["no stopping"][0].tolist() == [3, 4, 5, 0, 1]
    # after one epoch each: the better first epoch anew and to its end, then the other
    assert spent["one epoch"][0].tolist() == [3, 0, 3, 4, 5]
    assert pools_of_runs.begun(spent["one epoch"], 3) == 2


def test_regret_with_and_without_luck():
    """A lucky point takes the lead as observed, and what it is worth is the curve below it."""
    clean = torch.tensor([[0.2, 0.3], [0.5, 0.7]])
    noisy = torch.tensor([[0.9, 0.3], [0.5, 1.0]])
    pool = Pool(clean, noisy, torch.tensor([[0, 1]]))
    found = pools_of_runs.regret(pool, [torch.tensor([0, 1, 2])], 4)  # the last epoch of run 1 is never seen
    assert found["observed"].tolist() == pytest.approx([0.1] * 4)
    assert found["true"].tolist() == pytest.approx([0.5] * 4)
    whole = pools_of_runs.regret(pool, [torch.tensor([0, 1, 2, 3])], 4)
    assert whole["observed"].tolist() == pytest.approx([0.1, 0.1, 0.1, 0.0])
    assert whole["true"].tolist() == pytest.approx([0.5, 0.5, 0.5, 0.0])
