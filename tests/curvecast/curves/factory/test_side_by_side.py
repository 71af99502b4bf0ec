"""Guards curvecast/curves/factory/side_by_side.py: gradients that are written out, and dropout."""

import numpy as np
import pytest
import torch

from curvecast.curves.factory.side_by_side import Networks, _layers, masks_of


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_gradients_pass_through_dropout(activation):
    """As torch's own gradient does, for masks that leave out a third of the units."""
    rng = np.random.default_rng(0)
    nets = Networks([4, 6, 6, 3], activation, [1.0, 0.5], [rng, rng])
    x, y = (
        torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0)),
        torch.tensor([[0, 1, 2, 0, 1]] * 2),
    )
    masks = masks_of((6, 6), 5, [0.33, 0.0], [rng, rng])
    nets.step_gradient(x, y, masks)
    nets.flat.requires_grad_()
    nets.layers = _layers(nets.flat, [(4, 6), (6, 6), (6, 3)])
    act, value = (torch.relu if activation == "relu" else torch.tanh), x
    for (weight, bias), mask in zip(nets.layers, [*masks, None], strict=True):
        value = value @ weight + bias
        value = value if mask is None else act(value) * mask
    torch.nn.functional.cross_entropy(value.transpose(1, 2), y, reduction="none").mean(1).sum().backward()
    assert torch.allclose(nets.gradient, nets.flat.grad, atol=1e-5)


def test_dropout_keeps_the_mean():
    """Remaining units are scaled up; with a dropout of zero all remain."""
    left, whole = masks_of((200,), 400, [0.3, 0.0], [np.random.default_rng(i) for i in (0, 1)])[0]
    assert (left == 0).float().mean() == pytest.approx(0.3, abs=0.01)
    assert left.mean() == pytest.approx(1, abs=0.01) and (whole == 1).all()


def test_the_scale_of_the_first_weights_is_the_one_that_was_asked_for():
    """Weights are proportional to the scale, and biases are zero."""
    nets = Networks([50, 30, 2], "relu", [1.0, 0.01], [np.random.default_rng(1) for _ in range(2)])
    (weight, bias), _ = nets.layers
    assert weight[0].std() == pytest.approx((2 / 50) ** 0.5, rel=0.05) and (bias == 0).all()
    assert torch.allclose(nets.flat[1], nets.flat[0] / 100)
