"""Guards curvecast/exact_bayes/linear.py: what is linear is the curve itself."""

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import exact, linear, moves

CONFIG = PriorConfig()
X = torch.arange(1.0, 101)
THETA = exact.bank(CONFIG, 12, torch.Generator().manual_seed(0)).theta.view(3, 4, -1)


@pytest.mark.parametrize("make", [linear.levels, linear.weights])
def test_values_times_columns_are_the_curve(make):
    """Both blocks, for the paper's three families, against the curves of the posterior."""
    block = make(CONFIG, THETA, X)
    assert torch.allclose(block.curve(THETA), moves.clean(CONFIG, THETA, X), atol=1e-5)
    inside = THETA[..., block.places]
    assert (inside >= block.low).all() and (inside <= block.low + block.width).all()


def test_what_the_points_say_is_least_squares_where_they_are_many():
    """With almost no noise the mean of the weights is theirs, and its precision that of a regression."""
    theta = THETA[:, :1]
    block = linear.weights(CONFIG, theta, X)
    y = block.curve(theta)[:, 0]
    root, mean = block.conditional_normal(y, torch.full((3, 1, 1), 1e-4))
    assert torch.allclose(
        block._replace().columns.mT.double() @ mean[..., None], y[:, None, :, None].double(), atol=1e-3
    )
    precision = block.columns.double() @ block.columns.double().mT / 1e-8 + 12 * torch.eye(3)
    assert torch.allclose(root @ root.mT, precision, rtol=1e-3)
