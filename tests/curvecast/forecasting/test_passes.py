"""Guards curvecast/forecasting/passes.py: whatever goes through the network together, each gets its own answer."""

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import passes
from curvecast.forecasting.passes import Beginning
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.train import TrainConfig

X = np.arange(1.0, 101)


def network(head: str = "mixture") -> TorchNetwork:
    """Random weights, loud enough that inputs matter."""
    torch.manual_seed(0)
    config = TrainConfig(
        ModelConfig(16, 2, 2, head=head, components=4), bars=BarsConfig(buckets=100, curves=500)
    )
    net = PFN(config.model, make_borders(config.bars, PriorConfig())).eval()
    with torch.no_grad():
        for weight in net.parameters():
            weight.normal_(std=0.2)
    return TorchNetwork(net)


@pytest.mark.parametrize("head", ["mixture", "bars"])
def test_beginnings_of_any_lengths_get_what_they_get_alone(head):
    """Lengths 1 to 90 in one call, more than fit into one pass, against one call each."""
    net, y = network(head), prior.test_set(70).noisy.numpy()
    beginnings = [
        Beginning(X[:n], row[:n], X[n : n + 1 + i % 9])
        for i, (n, row) in enumerate(zip(range(1, 71), y, strict=True))
    ]
    together = passes.ask(net, beginnings)
    for one, row in zip(beginnings, together, strict=True):
        (alone,) = passes.ask(net, [one])
        assert row.quantile(0.3).shape == one.x_ahead.shape
        assert np.allclose(row.quantile(0.3), alone.quantile(0.3), atol=1e-4)
        half = np.full(len(one.x_ahead), 0.5)
        assert np.allclose(row.density.cdf(half), alone.density.cdf(half), atol=1e-5)


def test_the_last_density_is_that_of_the_last_epoch_asked_for():
    net, y = network(), prior.test_set(2).noisy.numpy()
    rows = passes.ask(net, [Beginning(X[:5], y[0, :5], X[5:8]), Beginning(X[:5], y[1, :5], X[5:40])])
    for row in rows:
        assert np.allclose(row.last.quantile(0.5), row.quantile(0.5)[-1:])


@pytest.mark.parametrize("fits", [150, 60])
def test_a_pass_holds_as_many_tokens_as_fit(monkeypatch, fits):
    """Every beginning goes through once, together with others of its length as long as they fit."""
    monkeypatch.setattr(passes, "AT_ONCE", fits)
    net, y = network(), prior.test_set(12).noisy.numpy()
    beginnings = [Beginning(X[:n], row[:n], X[n : n + 5]) for n, row in zip([3, 20, 7] * 4, y, strict=True)]
    sizes, asked = [], []
    for some, told in passes.passes(net, beginnings):
        asked += some
        sizes.append(len(some) * (max(len(beginnings[i].x) for i in some) + 5))
        assert told.density.means.shape[:2] == (len(some), 5)
    assert sorted(asked) == list(range(12))
    assert len(sizes) > 1 and max(sizes) <= fits
    assert max(sizes) > fits / 2  # and no fewer than fit
