"""Guards curvecast/curves/factory/mlp_bank.py: a network of a bank is the one that would be trained alone."""

import numpy as np
import pytest
import torch

from curvecast.curves.factory import tasks
from curvecast.curves.factory.measured import WORST
from curvecast.curves.factory.mlp_bank import Data, Member, Shape, train
from curvecast.curves.factory.schedules import Schedule
from curvecast.curves.factory.side_by_side import Networks

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


@pytest.mark.parametrize(
    ("adam", "activation"), [(False, "relu"), (False, "tanh"), (True, "relu"), (True, "tanh")]
)
def test_it_trains_as_torch_does(adam, activation):
    """The same first weights and batches, with torch's layers, gradients and optimisers, give the same weights' loss."""
    member = Member(4, rate=0.02 if adam else 0.1, momentum=0.0 if adam else 0.9, weight_decay=0.05)
    shape = Shape("wine", (10, 10), activation, batch=16, adam=adam, epochs=5)
    (ours,) = train(shape, [member])
    rng = np.random.default_rng([member.seed, 2])
    data = Data(shape, [member])
    net = _torch_network(Networks([13, 10, 10, 3], activation, [1.0], [rng]), activation)
    if adam:
        optimiser = torch.optim.AdamW(net.parameters(), member.rate, weight_decay=member.weight_decay)
    else:
        optimiser = torch.optim.SGD(net.parameters(), member.rate, 0.9, weight_decay=member.weight_decay)
    for epoch in range(5):
        for x, y in data.batches(16, [rng]):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net(x[0]), y[0]).backward()
            optimiser.step()
        theirs = torch.nn.functional.cross_entropy(net(data.held_x[0]), data.held_y[0])
        assert ours.loss[epoch] == pytest.approx(theirs.item(), rel=1e-3)


def _torch_network(bank, activation):
    layers = []
    for weight, bias in bank.layers:
        layer = torch.nn.Linear(weight.shape[1], weight.shape[2])
        layer.weight.data, layer.bias.data = weight[0].T.clone(), bias[0, 0].clone()
        layers += [layer, torch.nn.ReLU() if activation == "relu" else torch.nn.Tanh()]
    return torch.nn.Sequential(*layers[:-1])


def test_numbers_that_overflow_end_as_finite_curves_and_harm_no_mate():
    """A rate far too large: the curve says from which epoch on, and its neighbour learns."""
    shape = Shape("wine", (16,), batch=16, epochs=8)
    broken, fine = train(shape, [Member(1, rate=1e30, start=1e6), Member(2, rate=0.1)])
    assert broken.broke is not None and broken.loss[-1] == WORST
    assert np.isfinite(broken.loss).all() and fine.broke is None and fine.accuracy[-1] > 0.85


def test_the_untrained_network_is_no_epoch():
    """The untrained score is separate, and at chance level if the initial weights are tiny."""
    (scores,) = train(Shape("wine", (8,), epochs=3), [Member(1, rate=0.1, start=1e-3)])
    assert scores.steps.tolist() == [1, 2, 3] and scores.untrained.loss == pytest.approx(np.log(3), abs=0.01)


def test_less_rows_are_rows_of_the_same_split():
    shape = Shape("digits", share=0.25, batch=32)
    split = tasks.split("digits", 7)
    data = Data(shape, [Member(7)])
    assert (
        len(data.y[0]) == round(len(split.y) / 4) and (data.y[0].numpy() == split.y[: len(data.y[0])]).all()
    )
    assert (data.held_y[0].numpy() == split.held_y).all()
