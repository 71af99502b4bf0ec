"""Guards ideas of the chapter Positional encoding: what a network knows of the order."""

from dataclasses import replace

import pytest
import torch

from curvecast.networks.encodings import ENCODINGS, EncodingConfig
from reproduce.encoding._encoded_network import Encoded
from reproduce.encoding._properties import properties
from reproduce.trainings import TINY

SHORT = replace(TINY["1x16"], curves=128)


def network(name, fed, given="all"):
    torch.manual_seed(0)
    net = Encoded(SHORT.model, torch.linspace(0, 1, 21), EncodingConfig(name), fed, given).eval()
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
def test_epochs_of_observed_points_and_of_queries_are_given_apart(asked):
    """Without those of observed points their order is unknown, without those of queries another one gives the same."""
    x, y, queries = asked
    order = torch.randperm(12, generator=torch.Generator().manual_seed(1))
    for given in ("asked", "observed"):
        net = network("none", True, given)
        before = net(x, y, queries)
        dealt, later = (before - other for other in (net(x[:, order], y, queries), net(x, y, queries - 5)))
        unseen, seen = (dealt, later) if given == "asked" else (later, dealt)
        assert unseen.abs().max() == 0 and seen.abs().max() > 1e-3, given


@torch.no_grad()
def test_what_lc_pfn_feeds_is_an_encoding(asked):
    """No encoding with the epoch fed, and the raw epoch as an encoding with nothing fed: one network, weight for weight."""
    fed, raw = network("none", fed=True), network("raw", fed=False)
    state = fed.state_dict()
    state |= {"encoding.linear.weight": state["inputs.x.weight"].clone(),
              "encoding.linear.bias": torch.zeros(16)}  # fmt: skip
    raw.load_state_dict(state)
    assert torch.allclose(fed.read(*asked)[0], raw.read(*asked)[0], atol=1e-4)


COLUMNS = ("bounded", "injective", "same in each pass", "relative", "beyond 100", "through LayerNorm")
KNOWN = {  # yes, no, or – where the question makes no sense
    "none": "– – y y – –",
    "raw": "n y y n y y",
    "log": "n y y n y y",
    "euclidean": "n y y y y n",
    "sincos": "y y y n y y",
    "learned": "y y y n n y",
    "scrambled-coded": "y y n n n y",
    "scrambled-described": "y y n n n y",
    "rope": "y y y y y y",
    "alibi": "n y y y y y",
    "t5": "y n y y y y",
    "shaw": "y n y y y y",
}
PARAMETERS = {"raw": 128, "log": 192, "learned": 6400, "scrambled-coded": 6400, "scrambled-described": 6400,
              "t5": 64, "shaw": 66}  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_cell_of_the_table_is_as_theory_says(name):
    """What is measured on a tiny network is what follows from the formula of the encoding."""
    found = properties(EncodingConfig(name))
    assert " ".join(found[column][0] for column in COLUMNS) == KNOWN[name]
    assert found["parameters"] == f"{PARAMETERS.get(name, 0):,}"


def test_a_short_reach_or_a_short_table_shows():
    """Shaw's table tells all of 100 distances apart if it reaches that far; a table of 200 rows knows epoch 101."""
    assert properties(EncodingConfig("shaw", reach=100))["injective"] == "yes"
    assert properties(EncodingConfig("learned", length=200))["beyond 100"] == "yes"


@torch.no_grad()
def test_a_mask_hides_points_from_the_level_too(asked):
    """Own cutoffs: hidden points may be NaN, and the forecast is that of the seen ones."""
    x, y, queries = asked
    net, mask = network("sincos", fed=True), torch.arange(12) < torch.tensor([[3], [12], [7], [1]])
    together = net(x, torch.where(mask, y, torch.nan), queries, mask)
    alone = net(x[:1, :3], y[:1, :3], queries[:1])
    assert torch.allclose(together[:1], alone, atol=1e-3)
