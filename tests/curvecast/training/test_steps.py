"""Guards steps.py and runs.py: the same bits on any threads, the schedule of the paper, planned rates."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from curvecast.curves import run_prior
from curvecast.curves.run_prior import RunPrior, Runs
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import steps
from curvecast.training.batches import TrainConfig
from curvecast.training.endings import ENDINGS
from curvecast.training.runs import RunTraining, asked, going_on
from curvecast.training.steps import MuonAdam, Training, orthogonalised
from tests.curvecast.refusals import refuses
from tests.curvecast.training.small import SMALL


def trained(config, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with Training(config, config.network()) as training:
            losses = [training.step(i).item() for i in range(20)]
        assert torch.get_num_threads() == threads  # given back
    finally:
        torch.set_num_threads(before)
    return losses, training.net.state_dict()


@pytest.mark.parametrize("change", [{}, {"optimiser": "adam"}, {"stock": 64, "early": 2.0}], ids=str)
def test_threads_do_not_change_the_bits(change):
    """Groups, their endings and matrix updates may run in parallel; sums are taken in a fixed order."""
    (losses, one), (again, other) = (trained(replace(SMALL, **change), threads) for threads in (1, 2))
    assert losses == again and all(torch.equal(one[name], other[name]) for name in one)


def test_a_batch_in_groups_has_the_gradient_of_the_whole():
    training = Training(SMALL, SMALL.network())
    whole = next(replace(SMALL, cutoffs=1).batches(0, "cpu"))
    tensors = {name: part for name, part in whole._asdict().items() if isinstance(part, torch.Tensor)}
    loss, gradients = training.gradient(whole)
    halves = ({name: part[rows] for name, part in tensors.items()} for rows in (slice(0, 8), slice(8, 16)))
    parts = [training.gradient(whole._replace(**half)) for half in halves]
    assert sum(part for part, _ in parts) == pytest.approx(loss.item(), rel=1e-5)
    for gradient, a, b in zip(gradients, parts[0][1], parts[1][1], strict=True):
        assert torch.allclose(gradient, a + b, atol=1e-5)


def test_the_paper_s_schedule_moves_once_in_a_hundred_steps():
    """10 epochs: warm-up over 2 (rates 0, 1/2), then a cosine from 1; the first hundred steps run at rate 0."""
    config = TrainConfig.paper(128, 3, 100_000)
    rates = [steps.rate(config, 100 * epoch + 50, 1000) for epoch in range(10)]
    assert rates == pytest.approx([0, 0.5] + [0.5 * (1 + math.cos(math.pi * e / 8)) for e in range(8)])
    assert steps.rate(config, 99, 1000) == 0 and steps.rate(config, 100, 1000) == 0.5


def test_a_network_that_answers_no_queries_is_refused():
    with pytest.raises(UserError, match="Linear has no borders and no random_stream and no log_density"):
        Training(SMALL, nn.Linear(2, 2))


@pytest.mark.parametrize("shape", [(16, 40), (40, 16), (24, 24)])
def test_orthogonalised_has_singular_values_near_one(shape):
    values = torch.linalg.svdvals(orthogonalised(torch.randn(*shape)))
    assert values.max() < 1.3 and values[: int(0.9 * len(values))].min() > 0.6


def test_vectors_and_ends_follow_torch_s_adam():
    ours, theirs = (nn.ModuleDict({"layers": nn.Linear(4, 8), "head": nn.Linear(8, 2)}) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    a = MuonAdam(ours, lr=0.01, matrix_lr=0.0, beta2=0.99)
    b = torch.optim.Adam([*theirs["head"].parameters(), theirs["layers"].bias], lr=0.01, betas=(0.9, 0.99))
    x = torch.randn(32, 4)
    for _ in range(5):
        for net, optimiser in ((ours, a), (theirs, b)):
            net.zero_grad()
            net["head"](torch.tanh(net["layers"](x))).square().mean().backward()
            optimiser.step()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(p, q, atol=1e-6), name


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
    assert not torch.allclose(constant, untold)
    assert not torch.allclose(told([1, 1, 1, 1, 0.1], [0.1] * 3)[1], drop[1])


def test_settings_of_another_training_are_refused():
    for other in ({"stock": 4096}, {"draws": "number"}, {"early": 2.0}, {"queries": 0}):
        refuses("leave draws, stock and early", RunTraining, **other)
    with pytest.raises(UserError, match="take head 'mixture'"):
        ModelConfig(features="planned", head="bars").network(torch.linspace(0, 1, 11))
