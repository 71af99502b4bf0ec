"""Guards ideas of the chapters Porting and Positional encoding: the rebuilt ports of the student blog, and what a network
knows of the order."""

from dataclasses import replace

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.encodings import ENCODINGS, EncodingConfig
from curvecast.networks.layer import dependence
from reproduce.encoding._encoded_network import Encoded
from reproduce.encoding._properties import properties
from reproduce.porting.porting.old_port import Network, OldPort
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
    for other in (net(x[:, order], y, queries), net(x, y, queries.flip(1) - 5)):
        assert torch.equal(before, other)


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


KEPT, MENDED = OldPort(16, layers=2), OldPort(16, layers=2, axis="epochs", place="epochs")
CURVES = torch.rand(10, 30, generator=torch.Generator().manual_seed(0))


def make(port):
    torch.manual_seed(0)
    return Network(port).eval()


def reach(port):
    """Of the forecast of curve 2 after 15 epochs: on which points of which curves does it depend?  (5, 15)"""
    y = CURVES[:5, :15].clone().requires_grad_()
    return dependence(make(port)(y)[2, -1:], y)[0] > 0


def test_the_fault_attends_to_other_curves_and_not_to_the_past():
    """Kept: the last point of every curve, nothing else. Mended: all points of its own curve, nothing else."""
    kept, mended = reach(KEPT), reach(MENDED)
    assert kept[:, -1].all() and not kept[:, :-1].any()
    assert mended[2].all() and not mended[[0, 1, 3, 4]].any()


def test_the_faulty_code_numbers_curves():
    """Kept: the same value in another slot is forecast otherwise, at another epoch alike. Mended: the reverse."""
    y = torch.full((3, 4), 0.5)
    kept, mended = (make(port)(y) for port in (OldPort(16, layers=2, axis="epochs"), MENDED))
    assert torch.allclose(kept[0, 0], kept[0, 3], atol=1e-6) and not torch.allclose(kept[0], kept[1])
    assert torch.allclose(mended[0], mended[1]) and not torch.allclose(mended[0, 0], mended[0, 3], atol=1e-6)


def test_an_unknown_switch_is_refused():
    """The complaint names the choices."""
    with pytest.raises(UserError, match="curves or epochs"):
        Network(OldPort(axis="time"))


def test_a_group_is_a_batch_of_its_own():
    """Ten curves in groups of five are told what each five would be told alone."""
    net = make(KEPT)
    together = net.roll(CURVES[:, :15], 15, 30, 5)
    assert torch.allclose(together[5:], net.roll(CURVES[5:, :15], 15, 30, 5), atol=1e-6)
    assert not torch.allclose(together[5:], net.roll(CURVES[:, :15], 15, 30, 10)[5:])
