"""Guards curvecast/training/steps.py: the same bits however many threads there are, the paper's schedule."""

import math
from dataclasses import replace

import pytest
import torch

from curvecast.training import steps
from curvecast.training.batches import TrainConfig
from curvecast.training.steps import Training
from tests.curvecast.training.small import SMALL


def trained(config, threads, steps=20):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with Training(config, config.network()) as training:
            losses = [training.step(i).item() for i in range(steps)]
        assert torch.get_num_threads() == threads  # given back
    finally:
        torch.set_num_threads(before)
    return training.net.state_dict(), losses


@pytest.mark.parametrize("change", [{}, {"optimiser": "adam"}, {"stock": 64, "early": 2.0}], ids=str)
def test_threads_do_not_change_the_bits(change):
    """Groups, their endings and matrix updates may run in parallel; sums are taken in a fixed order."""
    config = replace(SMALL, **change)
    (weights_one, loss_one), (weights_two, loss_two) = (trained(config, threads) for threads in (1, 2))
    assert loss_one == loss_two and all(
        torch.equal(weights_one[name], weights_two[name]) for name in weights_one
    )


def test_a_batch_in_groups_has_the_gradient_of_the_whole():
    """Groups add up: two groups with the same cutoff equal one group."""
    training = Training(SMALL, SMALL.network())
    whole = next(replace(SMALL, cutoffs=1).batches(0, "cpu"))
    halves = [
        whole._replace(
            **{name: t[rows] for name, t in whole._asdict().items() if isinstance(t, torch.Tensor)}
        )
        for rows in (slice(0, 8), slice(8, 16))
    ]
    loss, gradients = training.gradient(whole)
    parts = [training.gradient(half) for half in halves]
    assert sum(part for part, _ in parts) == pytest.approx(loss.item(), rel=1e-5)
    for gradient, a, b in zip(gradients, parts[0][1], parts[1][1], strict=True):
        assert torch.allclose(gradient, a + b, atol=1e-5)


def test_the_paper_s_schedule_moves_once_in_a_hundred_steps():
    """10 epochs: warm-up over 2 (rates 0, 1/2), then a cosine from 1; the first hundred steps run at rate 0."""
    config = TrainConfig.paper(128, 3, 100_000)
    rates = [steps.rate(config, 100 * epoch + 50, 1000) for epoch in range(10)]
    expected = [0, 0.5] + [0.5 * (1 + math.cos(math.pi * e / 8)) for e in range(8)]
    assert rates == pytest.approx(expected)
    assert steps.rate(config, 99, 1000) == 0 and steps.rate(config, 100, 1000) == 0.5
