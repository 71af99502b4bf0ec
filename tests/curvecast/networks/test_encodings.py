"""Guards curvecast/networks/encodings.py: encodings by name, and inside the network."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.encodings import ENCODINGS, EncodingConfig, by_index, make
from curvecast.networks.model import PFN, ModelConfig

BORDERS = torch.linspace(0, 1, 21)


def network(name, **more):
    """A PFN with this encoding, with weights that let every path through."""
    torch.manual_seed(0)
    config = ModelConfig(32, 2, 2, components=4, **more)
    net = PFN(config, BORDERS, make(EncodingConfig(name), 32, 2)).eval()
    for parameter in net.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    return net


@pytest.mark.parametrize("name", ENCODINGS)
@torch.no_grad()
def test_each_encoding_runs_in_the_network_and_permuting_the_context_changes_nothing(name):
    """Points are a set of (x, y): put in another order they give the same forecast, with any encoding."""
    net, x, y = network(name), torch.arange(1.0, 9).expand(3, -1), torch.rand(3, 8)
    queries, order = torch.tensor([[20.0, 60.0]]).expand(3, -1), torch.randperm(8)
    torch.manual_seed(1)
    before = net(x, y, queries)
    torch.manual_seed(1)
    assert torch.isfinite(before).all()
    assert torch.allclose(before, net(x[:, order], y[:, order], queries), atol=1e-3)


@pytest.mark.parametrize("config", [{"norm": "post"}, {"query_sees_itself": True, "norm": "post"}])
@pytest.mark.parametrize("name", ENCODINGS)
@torch.no_grad()
def test_each_encoding_runs_in_the_paper_s_network(name, config):
    """Norm after the layer, queries that see themselves: finite forecasts."""
    net = network(name, **config)
    assert torch.isfinite(net(torch.arange(1.0, 6)[None], torch.rand(1, 5), torch.tensor([[7.0]]))).all()


@pytest.mark.parametrize(
    ("config", "width", "heads", "says"),
    [
        (EncodingConfig("sinus"), 8, 1, "no encoding 'sinus': take one of none, raw, log, .*shaw"),
        (EncodingConfig("sincos"), 7, 1, "width 7 must be even; raw, log and learned take any"),
        (EncodingConfig("rope"), 6, 2, "width / heads = 3 must be even; alibi, t5 and shaw take any"),
        (EncodingConfig("alibi"), 8, 3, "width 8 cannot be shared by 3 heads"),
        (EncodingConfig("learned", length=0), 8, 1, "a length and a reach of at least 1"),
        (EncodingConfig("sincos", base=1.0), 8, 1, "take a base above 1"),
        (EncodingConfig("scrambled-described", length=99), 8, 1, "length 99 must be even"),
    ],
)
def test_an_encoding_that_cannot_be_is_refused(config, width, heads, says):
    """Unknown names, odd widths and empty tables get one sentence that names the choices."""
    with pytest.raises(UserError, match=says):
        make(config, width, heads)


def test_by_index_counts_points_and_by_epoch_counts_epochs():
    """On a whole beginning both are the same numbers; where epochs are missing they are not."""
    whole = torch.arange(1.0, 101)[None]
    assert torch.equal(by_index(whole, whole[:, 20:]), whole[:, 20:])
    grid = torch.tensor([[1.0, 2, 4, 8, 16], [3, 5, 6, 7, 90]])
    assert by_index(grid, grid[:, 2:]).tolist() == [[3, 4, 5], [3, 4, 5]]
    with pytest.raises(UserError, match="not in the schedule"):
        by_index(grid, torch.tensor([[3.0], [3.0]]))
    with pytest.raises(UserError, match="not in the schedule"):
        by_index(grid, torch.tensor([[17.0], [91.0]]))
