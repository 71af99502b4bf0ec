"""Guards curvecast/forecasting/torch_network.py: a network of torch answers in arrays, whatever is asked."""

import numpy as np
import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig

X = np.arange(1.0, 11)[None]
Y = np.linspace(0.1, 0.5, 10)[None]


@pytest.fixture(scope="module")
def bars():
    """The paper's own recipe, which numpy does not repeat."""
    torch.manual_seed(0)
    return TorchNetwork(
        PFN(ModelConfig.paper(16, 2), make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())).eval()
    )


def test_all_answers_are_arrays(bars):
    density = bars.density(X, Y, X + 10)
    assert isinstance(density.quantile(0.5), np.ndarray)
    for ask in ("cdf", "exceeds", "log_density"):
        assert getattr(density, ask)(np.full((1, 10), 0.5)).shape == (1, 10)
    assert density.mean(0, 1).shape == (1, 10)
    assert np.allclose(density[0, 2:4].quantile(0.3), density.quantile(0.3)[0, 2:4])
    assert np.allclose(density[0][np.array([3, 1])].quantile(0.3), density.quantile(0.3)[0, [3, 1]])


def test_hidden_values_never_enter(bars):
    mask = np.arange(10)[None] != 4
    spoilt = np.where(mask, Y, np.nan)
    assert np.array_equal(
        bars.density(X, Y, X + 10, mask).quantile(0.5), bars.density(X, spoilt, X + 10, mask).quantile(0.5)
    )


def test_mixed_precision_of_a_training_moves_nothing():
    network = TorchNetwork(torch_network.load(shipped.PATH).model)
    before = network.density(X, Y, X + 10).quantile(0.5)
    with torch.autocast("cpu", torch.bfloat16):
        assert np.array_equal(network.density(X, Y, X + 10).quantile(0.5), before)
