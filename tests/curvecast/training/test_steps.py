"""Guards steps.py and optimiser.py: the same bits however many threads there are, torch's Adam, the paper's schedule."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from curvecast.ground.errors import UserError
from curvecast.training import steps
from curvecast.training.batches import TrainConfig
from curvecast.training.steps import MuonAdam, Training, orthogonalised
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
    """Groups add up: two groups with the same cutoff equal one group."""
    training = Training(SMALL, SMALL.network())
    whole = next(replace(SMALL, cutoffs=1).batches(0, "cpu"))
    tensors = {name: part for name, part in whole._asdict().items() if isinstance(part, torch.Tensor)}
    loss, gradients = training.gradient(whole)
    parts = [
        training.gradient(whole._replace(**{name: part[rows] for name, part in tensors.items()}))
        for rows in (slice(0, 8), slice(8, 16))
    ]
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
    """The quintic steps bring all of them between 0.6 and 1.3."""
    values = torch.linalg.svdvals(orthogonalised(torch.randn(*shape)))
    assert values.max() < 1.3 and values[: int(0.9 * len(values))].min() > 0.6


def test_vectors_and_ends_follow_torch_s_adam():
    """Everything that is not a matrix inside a layer takes the steps of torch.optim.Adam."""
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
