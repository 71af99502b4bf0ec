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
    _, norms = training(FEW, 0.5, 0)
    assert norms.max() > 0.5 >= max(taken) - 1e-5
    assert taken == pytest.approx(norms.clamp(max=0.5).tolist(), abs=1e-4)


def test_always_answering_the_mean_has_the_loss_that_others_are_shares_of():
    torch.manual_seed(0)
    x, y = marked_sums(20_000, 8)
    assert y.var().item() == pytest.approx(cliff.CONSTANT, rel=0.03)
    assert torch.equal(x[:, :, 1].view(-1, 2, 4).sum(2), torch.ones(20_000, 2))  # one mark in each half


def test_a_run_that_blows_up_is_kept_and_counted():
    rows = cliff.measure(replace(FEW, rate=1e4, limit=1e-6), "all")
    assert list(where(rows["runs"], clipping=WITHOUT)["blew_up"]) == [1, 1]
    assert list(where(rows["runs"], clipping=WITH)["blew_up"]) == [0, 0]
    assert len(rows["curves"]) == 2 * FEW.seeds * FEW.steps // FEW.every
    assert cliff.claims(rows)[0].value == 1 and cliff.claims(rows)[0].holds()


def test_both_trainings_of_a_seed_see_the_same_numbers_until_one_is_clipped():
    losses = [training(FEW, limit, 3)[0] for limit in (1e9, float("inf"))]
    assert torch.equal(*losses)
