"""Guards reproduce/encoding/_encoded_network.py: what a network without the epoch as an input knows."""

from dataclasses import replace

import pytest
import torch

from curvecast.networks.encodings import EncodingConfig
from curvecast.training.train import Paused, trained
from reproduce.encoding._encoded_network import Encoded, encoded, log_density, train
from reproduce.encoding.stepwise.stepwise_network import free
from reproduce.trainings import TINY

SHORT = replace(TINY["1x16"], curves=128)


def network(name, fed):
    torch.manual_seed(0)
    net = Encoded(SHORT.model, torch.linspace(0, 1, 21), EncodingConfig(name), fed).eval()
    for parameter in net.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return net


@pytest.fixture
def asked():
    generator = torch.Generator().manual_seed(0)
    x = torch.arange(1.0, 13).expand(4, -1)
    return x, torch.rand(4, 12, generator=generator), torch.tensor([[13.0, 40, 100]]).expand(4, -1)


@torch.no_grad()
def test_without_epoch_and_encoding_the_order_is_unknown(asked):
    """Dealing the epochs to the values in another order, and asking for others, changes nothing at all."""
    x, y, queries = asked
    net, order = network("none", fed=False), torch.randperm(12, generator=torch.Generator().manual_seed(1))
    before = net(x, y, queries)
    assert torch.equal(before, net(x[:, order], y, queries)) and torch.equal(
        before, net(x, y, queries.flip(1) - 5)
    )


@pytest.mark.parametrize("name", ["sincos", "rope", "alibi", "log", "learned"])
@torch.no_grad()
def test_an_encoding_alone_lets_the_order_in(name, asked):
    """The same epochs dealt in another order give another forecast, and so does another epoch asked for."""
    x, y, queries = asked
    net, order = network(name, fed=False), torch.randperm(12, generator=torch.Generator().manual_seed(1))
    before = net(x, y, queries)
    assert (before - net(x[:, order], y, queries)).abs().max() > 1e-3
    assert (before - net(x, y, queries - 5)).abs().max() > 1e-3


@torch.no_grad()
def test_what_lc_pfn_feeds_is_an_encoding(asked):
    """No encoding with the epoch fed, and the raw epoch as an encoding with nothing fed: one network, weight for weight."""
    fed, raw = network("none", fed=True), network("raw", fed=False)
    state = fed.state_dict()
    state |= {"encoding.linear.weight": state["inputs.x.weight"].clone(),
              "encoding.linear.bias": torch.zeros(16)}  # fmt: skip
    raw.load_state_dict(state)
    assert torch.allclose(fed.read(*asked)[0], raw.read(*asked)[0], atol=1e-4)


@torch.no_grad()
def test_places_reach_the_encoding_and_nothing_else(asked):
    """Handed other places, an encoding changes the forecast; without an encoding they are not looked at."""
    x, y, queries = asked
    hidden, places = torch.rand(4, 3), (2 * x, queries)
    for name, changes in (("rope", True), ("none", False)):
        net = network(name, fed=True)
        before, after = (
            log_density(net, x, y, queries, hidden),
            log_density(net, x, y, queries, hidden, places),
        )
        assert torch.equal(before, after) != changes


@pytest.mark.parametrize("kind", [encoded, free])
def test_who_wants_it_kept_gets_the_weights_that_a_part_trains(kind, tmp_path):
    """Through the cache, stopped after the first step and gone on: the same bits, with rows dealt by chance too."""
    config = kind(SHORT, EncodingConfig("scrambled-coded"), fed=False)
    where = {"progress": False, "device": "cpu", "root": tmp_path, "checkpoints": tmp_path / "runs"}
    with pytest.raises(Paused):
        trained(config, minutes=0, **where)
    kept, (own, _) = trained(config, **where).model, train(config)
    for mine, theirs in zip(kept.parameters(), own.parameters(), strict=True):
        assert torch.equal(mine, theirs)


@torch.no_grad()
def test_a_mask_hides_points_from_the_level_too(asked):
    """Own cutoffs: hidden points may be NaN, and the forecast is that of the seen ones."""
    x, y, queries = asked
    net, mask = network("sincos", fed=True), torch.arange(12) < torch.tensor([[3], [12], [7], [1]])
    together = net(x, torch.where(mask, y, torch.nan), queries, mask)
    alone = net(x[:1, :3], y[:1, :3], queries[:1])
    assert torch.allclose(together[:1], alone, atol=1e-3)
