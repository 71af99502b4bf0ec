"""Guards new_data/_run_bank.py: a network of a bank is the one that would be trained alone."""

import numpy as np
import pytest
import torch

from reproduce.new_data import _run_plan as plan
from reproduce.new_data import _run_tasks as tasks
from reproduce.new_data import _run_training as factory
from reproduce.new_data._run_bank import Data, Member, Networks, Schedule, Shape, masks_of, train
from reproduce.new_data._run_tasks import WORST

STRANGE = [
    Member(1, rate=0.05),
    Member(2, rate=0.01, dropout=0.4, wrong=0.2, weight_decay=0.01),
    Member(3, rate=0.1, momentum=0.9, schedule=Schedule("cosine", 2), start=0.1),
]


@pytest.mark.parametrize("adam", [False, True])
def test_a_network_of_a_bank_is_the_one_that_is_trained_alone(adam):
    """Also with dropout, wrong labels and a schedule: other networks of the bank have no effect."""
    shape = Shape("wine", (12, 12), batch=16, adam=adam, epochs=6)
    for member, together in zip(STRANGE, train(shape, STRANGE), strict=True):
        (alone,) = train(shape, [member])
        assert np.allclose(alone.loss, together.loss, rtol=1e-3, atol=1e-5)
        assert np.allclose(alone.accuracy, together.accuracy, atol=0.02)


@pytest.mark.parametrize("adam", [False, True])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_it_trains_as_torch_does(adam, activation):
    """The same first weights and batches, with torch's layers, gradients and optimisers, come to the same loss."""
    member = Member(4, rate=0.02 if adam else 0.1, momentum=0.0 if adam else 0.9, weight_decay=0.05)
    shape = Shape("wine", (10, 10), activation, batch=16, adam=adam, epochs=5)
    (ours,) = train(shape, [member])
    rng, data = np.random.default_rng([member.seed, 2]), Data(shape, [member])
    layers: list[torch.nn.Module] = []
    for weight, bias in Networks([13, 10, 10, 3], activation, [1.0], [rng]).layers:
        layer = torch.nn.Linear(weight.shape[1], weight.shape[2])
        layer.weight.data, layer.bias.data = weight[0].T.clone(), bias[0, 0].clone()
        layers += [layer, torch.nn.ReLU() if activation == "relu" else torch.nn.Tanh()]
    net = torch.nn.Sequential(*layers[:-1])
    kind, more = (torch.optim.AdamW, {}) if adam else (torch.optim.SGD, {"momentum": 0.9})
    optimiser = kind(net.parameters(), member.rate, weight_decay=member.weight_decay, **more)
    for epoch in range(5):
        for x, y in data.batches(16, [rng]):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net(x[0]), y[0]).backward()
            optimiser.step()
        theirs = torch.nn.functional.cross_entropy(net(data.held_x[0]), data.held_y[0])
        assert ours.loss[epoch] == pytest.approx(theirs.item(), rel=1e-3)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_gradients_pass_through_dropout(activation):
    """As torch's own gradient does, for masks that leave out a third of the units."""
    rng = np.random.default_rng(0)
    nets = Networks([4, 6, 6, 3], activation, [1.0, 0.5], [rng, rng])
    x = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0))
    y = torch.tensor([[0, 1, 2, 0, 1]] * 2)
    masks = masks_of((6, 6), 5, [0.33, 0.0], [rng, rng])
    nets.step_gradient(x, y, masks)
    own = [[part.clone().requires_grad_() for part in layer] for layer in nets.layers]
    act, value = (torch.relu if activation == "relu" else torch.tanh), x
    for (weight, bias), mask in zip(own, [*masks, None], strict=True):
        value = value @ weight + bias
        value = value if mask is None else act(value) * mask
    torch.nn.functional.cross_entropy(value.transpose(1, 2), y, reduction="none").mean(1).sum().backward()
    for found, expected in zip(nets.slopes, own, strict=True):
        assert all(torch.allclose(f, e.grad, atol=1e-5) for f, e in zip(found, expected, strict=True))


def test_dropout_keeps_the_mean_and_first_weights_have_the_scale_that_was_asked_for():
    """Remaining units are scaled up, with a dropout of zero all remain; biases are zero."""
    left, whole = masks_of((200,), 400, [0.3, 0.0], [np.random.default_rng(i) for i in (0, 1)])[0]
    assert (left == 0).float().mean() == pytest.approx(0.3, abs=0.01)
    assert left.mean() == pytest.approx(1, abs=0.01) and (whole == 1).all()
    nets = Networks([50, 30, 2], "relu", [1.0, 0.01], [np.random.default_rng(1) for _ in range(2)])
    (weight, bias), _ = nets.layers
    assert weight[0].std() == pytest.approx((2 / 50) ** 0.5, rel=0.05) and (bias == 0).all()
    assert torch.allclose(nets.flat[1], nets.flat[0] / 100)


def test_numbers_that_overflow_end_as_finite_curves_and_harm_no_mate():
    """A rate far too large: the curve says from which epoch on, and its neighbour learns."""
    shape = Shape("wine", (16,), batch=16, epochs=8)
    broken, fine = train(shape, [Member(1, rate=1e30, start=1e6), Member(2, rate=0.1)])
    assert broken.broke is not None and broken.loss[-1] == WORST
    assert np.isfinite(broken.loss).all() and fine.broke is None and fine.accuracy[-1] > 0.85


def test_the_untrained_network_is_no_epoch():
    """Its score is separate, and at chance level if the initial weights are tiny."""
    (scores,) = train(Shape("wine", (8,), epochs=3), [Member(1, rate=0.1, start=1e-3)])
    assert scores.steps.tolist() == [1, 2, 3] and scores.untrained.loss == pytest.approx(np.log(3), abs=0.01)


def test_less_rows_are_rows_of_the_same_split():
    split, data = tasks.split("digits", 7), Data(Shape("digits", share=0.25, batch=32), [Member(7)])
    assert len(data.y[0]) == round(len(split.y) / 4)
    assert (data.y[0].numpy() == split.y[: len(data.y[0])]).all()
    assert (data.held_y[0].numpy() == split.held_y).all()


def test_settings_of_a_plan_are_read_as_they_were_drawn():
    """Through the plain values of the table and back, each at its place."""
    settings = {"hidden": [8, 8], "activation": "tanh", "batch": 16, "adam": True, "share": 0.5, "rate": 0.1,
                "schedule": {"shape": "drops", "warm_up": 1, "drops": [3, 5], "fall": 0.2}, "momentum": 0.3,
                "weight_decay": 0.01, "dropout": 0.1, "wrong": 0.2, "start": 0.5}  # fmt: skip
    run = plan.Run("r", "networks", "wine", "r", 5, "epoch", settings, 7)
    member = Member(5, 0.1, Schedule("drops", 1, (3, 5), 0.2), 0.3, 0.01, 0.1, 0.2, 0.5)
    (expected,) = train(Shape("wine", (8, 8), "tanh", 16, True, 0.5, 7), [member])
    assert np.array_equal(factory.train(run).loss, expected.loss)
