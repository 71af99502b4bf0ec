"""Guards training/runs.py: who is asked of what, and what a network of planned rates may and may not see."""

from dataclasses import replace

import pytest
import torch

from curvecast.curves import run_prior
from curvecast.curves.run_prior import RunPrior, Runs
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.endings import ENDINGS
from curvecast.training.runs import RunTraining, asked, going_on
from curvecast.training.steps import Training

TINY = RunTraining(
    ModelConfig(16, 2, 2, components=3, features="planned", hedge=0.01), RunPrior(), BarsConfig(100, curves=500),
    curves=640, batch=32, queries=5,
)  # fmt: skip


def test_a_run_is_asked_of_later_epochs_up_to_its_end():
    end = torch.tensor([11, 12, 40, 100])
    later = asked(end, 10, 200, torch.Generator().manual_seed(0)) + 1  # epochs
    assert (later.amin(1) == 11).all() and torch.equal(later.amax(1), end)


def test_a_run_that_has_ended_makes_way_for_one_that_goes_on():
    end = torch.tensor([5, 100, 30, 100, 100, 20, 100, 100])
    for seed in range(20):
        rows = going_on(end, 0, 4, 30, torch.Generator().manual_seed(seed))
        assert (end[rows] > 30).all() and rows[1] == 1 and rows[3] == 3
    assert torch.equal(going_on(end, 0, 4, 4, torch.Generator()), torch.arange(4))


def test_curves_of_the_paper_borrow_endings_and_the_others_keep_their_own():
    for group in TINY.batches(0, "cpu"):
        assert group.x.shape[-1] == group.x_query.shape[-1] == 2
        assert group.borrows.any()
        assert not group.borrows.all()
        targets = group.targets()
        assert targets.shape == (*group.y_query.shape, ENDINGS)
        own = targets[~group.borrows]
        assert torch.equal(own, group.y_query[~group.borrows, :, None].expand_as(own))
        assert not torch.equal(targets[group.borrows][..., 0], group.y_query[group.borrows])


def test_a_rate_and_a_value_are_those_of_their_epoch(monkeypatch):
    """Of curves whose value and rate at an epoch are a hundredth of it."""

    def numbered(config, n, generator):
        epochs = (torch.arange(1.0, 101) / 100).expand(n, -1)
        return Runs(epochs, epochs, torch.ones(n), epochs, torch.full((n,), 100), torch.arange(n) % 2 == 0)

    monkeypatch.setattr(run_prior, "runs", numbered)
    for group in replace(TINY, seed=77).batches(0, "cpu"):  # a seed of its own: chunks are kept
        for x, y in ((group.x, group.y), (group.x_query, group.y_query)):
            assert torch.allclose(x[..., 1], x[..., 0] / 100) and torch.allclose(y, x[..., 0] / 100)


def test_the_loss_falls_and_a_step_can_be_made_again():
    config = replace(TINY, curves=32 * 40)
    new = list(config.batches(1000, "cpu"))
    with Training(config, config.network()) as training:
        before = sum(training.gradient(group)[0].item() for group in new)
        first, *_ = [training.step(i).item() for i in range(40)]
        assert sum(training.gradient(group)[0].item() for group in new) < before - 0.1
    with Training(config, config.network()) as again:
        assert again.step(0).item() == first


def test_a_plan_that_is_not_told_changes_nothing_and_one_that_is_told_does():
    """Of the epoch that is asked for and of those that were seen; how the rate is counted beside the highest one matters."""
    torch.manual_seed(0)
    net = TINY.network().eval()
    torch.nn.init.normal_(net.inputs.plan.weight)
    for layer in net.layers:  # first weights are those of the identity, which reads no context
        torch.nn.init.normal_(layer.out.weight, 0, 0.3)
    x, y, ahead = torch.arange(1.0, 6)[None], torch.rand(1, 5), torch.arange(6.0, 9)[None]

    def told(seen, later):
        pairs = torch.stack([x, torch.tensor([seen])], -1), y, torch.stack([ahead, torch.tensor([later])], -1)
        return net(*pairs)[0]

    untold = net(x, y, ahead)[0]
    assert torch.equal(told([0.0] * 5, [0.0] * 3), untold)
    constant, drop = told([1.0] * 5, [1.0] * 3), told([1.0] * 5, [1.0, 0.1, 0.1])
    assert torch.equal(constant[0], drop[0]) and not torch.allclose(constant[1], drop[1])
    assert not torch.allclose(constant, untold) and not torch.allclose(
        told([1, 1, 1, 1, 0.1], [0.1] * 3)[1], drop[1]
    )


def test_settings_of_another_training_are_refused():
    for other in ({"stock": 4096}, {"draws": "number"}, {"early": 2.0}, {"queries": 0}):
        with pytest.raises(UserError, match="leave draws, stock and early"):
            RunTraining(**other)
    with pytest.raises(UserError, match="take head 'mixture'"):
        ModelConfig(features="planned", head="bars").network(torch.linspace(0, 1, 11))
