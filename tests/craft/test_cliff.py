"""Guards reproduce/craft/cliff.py: the limit of a gradient, the task, and runs that blow up."""

from dataclasses import replace

import pytest
import torch

from reproduce._press.where import where
from reproduce.craft import cliff
from reproduce.craft.cliff import SCALES, WITH, WITHOUT, marked_sums, training

FEW = replace(SCALES["smoke"], steps=20)


def test_no_clipped_gradient_is_longer_than_the_limit(monkeypatch):
    taken = []
    step = torch.optim.SGD.step

    def watched(self, *args):
        gradients = [p.grad for group in self.param_groups for p in group["params"]]
        taken.append(torch.cat([g.flatten() for g in gradients]).norm().item())
        return step(self, *args)

    monkeypatch.setattr(torch.optim.SGD, "step", watched)
    for limit in (float("inf"), 0.5):
        training(FEW, 0.1, limit, 0)
    free, clipped = taken[: FEW.steps], taken[FEW.steps :]
    assert max(free) > 0.5 >= max(clipped) - 1e-5
    assert clipped[0] == pytest.approx(0.5, abs=1e-4) and free[0] > 0.5


def test_always_answering_the_mean_has_the_loss_that_others_are_shares_of():
    torch.manual_seed(0)
    x, y = marked_sums(20_000, 8)
    assert y.var().item() == pytest.approx(cliff.CONSTANT, rel=0.03)
    assert torch.equal(x[:, :, 1].view(-1, 2, 4).sum(2), torch.ones(20_000, 2))  # one mark in each half


def test_a_run_that_blows_up_is_kept_and_counted():
    config = replace(FEW, rates=(1e-6, 1e4), limit=1e-6)
    rows = cliff.measure(config, "all")
    assert list(where(rows["runs"], clipping=WITHOUT)["blew_up"]) == [0, 0, 1, 1]
    assert list(where(rows["runs"], clipping=WITH)["blew_up"]) == [0] * 4
    assert len(rows["curves"]) == 4 * FEW.seeds * FEW.steps // FEW.every
    assert [claim.value for claim in cliff.claims(rows, config)[:2]] == [0, 1]


def test_both_trainings_of_a_seed_see_the_same_numbers_until_one_is_clipped():
    losses = [training(FEW, 0.1, limit, 3) for limit in (1e9, float("inf"))]
    assert torch.equal(*losses)
