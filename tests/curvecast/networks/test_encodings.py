"""Guards encodings.py: the vectors of epochs, what a score knows of distances, and names."""

import pytest
import torch

from curvecast.networks import encodings
from curvecast.networks.encodings import ENCODINGS, EncodingConfig, Learned, Scrambled, SinCos, by_index, make
from curvecast.networks.inputs import Inputs
from curvecast.networks.model import PFN, ModelConfig
from tests.curvecast.refusals import refuses

EPOCHS = torch.arange(1.0, 101)[None]  # (1, 100)


def rows(encoding, x=EPOCHS):
    """The vector of each epoch of one curve, (T, d)."""
    return encoding.embed(x)[0].detach()


@pytest.mark.parametrize("base", [4.0, 10_000.0])
def test_sin_cos_as_the_public_code_of_lc_pfn_computes_it(base):
    d, k = 6, torch.arange(50.0)[:, None]
    angle = k * torch.exp(-torch.arange(0, d, 2).float() * torch.log(torch.tensor(base)) / d)
    expected = torch.empty(50, d)
    expected[:, 0::2], expected[:, 1::2] = angle.sin(), angle.cos()
    assert torch.allclose(rows(SinCos(d, base), EPOCHS[:, :50]), expected, atol=1e-5)


def ranks(encoding):
    """Which row of the table each epoch got."""
    return torch.cdist(rows(encoding), encoding.table.detach()).argmin(1)


def test_scrambled_as_coded_keeps_rows_and_loses_their_order():
    """A new permutation of whole rows in each pass, shared by all curves; neighbours are separated."""
    encoding = Scrambled(8, 100, together=1)
    first, second = ranks(encoding), ranks(encoding)
    assert sorted(first.tolist()) == list(range(100)) and not torch.equal(first, second)
    code = encoding.embed(EPOCHS.expand(3, -1))
    assert torch.equal(code[0], code[2])
    assert (first[1::2] - first[0::2]).eq(1).sum() < 10


def test_scrambled_as_described_keeps_pairs_together():
    first = ranks(Scrambled(8, 100, together=2))
    assert (first[1::2] - first[0::2]).eq(1).all() and first[0::2].remainder(2).eq(0).all()
    assert sorted(first.tolist()) == list(range(100)) and not torch.equal(first, torch.arange(100))


def test_the_euclidean_encoding_is_the_index_in_every_column():
    assert torch.equal(rows(encodings.Euclidean(8)), torch.arange(100.0)[:, None].expand(100, 8))


def test_raw_and_log_epochs_are_what_the_networks_feed():
    paper, raw = Inputs(8, rich=False), encodings.RawEpoch(8)
    raw.linear.load_state_dict(paper.x.state_dict())
    assert torch.allclose(rows(raw), paper.x(paper.of_x(EPOCHS))[0], atol=1e-6)
    ours, log = Inputs(8, rich=True), encodings.LogEpoch(8)
    with torch.no_grad():
        ours.x.weight[:, :1], ours.x.weight[:, 1:], ours.x.bias[:] = 0, log.linear.weight, log.linear.bias
    assert torch.allclose(rows(log), ours.x(ours.of_x(EPOCHS))[0], atol=1e-6)


def test_rope_turns_each_pair_by_its_own_angle():
    """With two pairs and base 100: the first by x, the second by x / 10, as complex numbers turn; each epoch its own x."""
    heads, x = torch.randn(2, 3, 2, 4), torch.tensor([[2.0, 5.0], [0.0, 0.5]])
    angle = torch.stack([x, x / 10], -1)[:, None]  # (2, 1, 2, 2)
    expected = torch.view_as_complex(heads.unflatten(-1, (2, 2))) * torch.polar(torch.ones_like(angle), angle)
    turned = encodings.RoPE(4, base=100.0).rotate(heads, x)
    assert torch.allclose(turned, torch.view_as_real(expected).flatten(-2), atol=1e-6)


def test_alibi_falls_by_its_slope_each_epoch():
    """m_h = 2^(-8h/H): with two heads 1/16 and 1/256 an epoch, to either side."""
    bias = encodings.ALiBi(2).bias(torch.tensor([[10.0]]), torch.tensor([[10.0, 9, 11, 2]]))[0, :, 0]
    assert torch.allclose(bias, -torch.tensor([[1 / 16], [1 / 256]]) * torch.tensor([0.0, 1, 1, 8]))


def test_t5_tells_single_distances_apart_and_then_ranges():
    """0 to 7 have a bucket each, then 8 ranges in proportion, the last for all from 128 on; each side its own."""
    bucket = encodings.T5Bias(1).bucket
    back = bucket(-torch.arange(0.0, 1000))
    assert back[:8].tolist() == list(range(8)) and back.diff().ge(0).all() and back.max() == 15
    assert back[128:].eq(15).all() and len(back.unique()) == 16
    assert torch.equal(bucket(torch.arange(1.0, 1000)), back[1:] + 16)


@pytest.mark.parametrize("config", [{}, {"query_sees_itself": True, "norm": "post"}], ids=["ours", "paper's"])
@pytest.mark.parametrize("name", ENCODINGS)
@torch.no_grad()
def test_with_any_encoding_points_are_a_set_hidden_ones_are_not_there_and_it_tells(name, config):
    encoding = make(EncodingConfig(name), 32, 2)
    net = PFN(ModelConfig(32, 2, 2, components=4, **config), torch.linspace(0, 1, 21), encoding)
    for parameter in net.eval().parameters():
        if parameter.ndim > 1:  # every path is let through
            torch.nn.init.normal_(parameter, std=0.2)
    x, y, order = torch.arange(1.0, 9).expand(3, -1), torch.rand(3, 8), torch.randperm(8)

    def asked(places, hidden=None):
        torch.manual_seed(1)  # a scrambled table is dealt anew
        seen, values = (None, y) if hidden is None else (~hidden, torch.where(hidden, torch.nan, y))
        queries = torch.tensor([[20.0, 60.0]]).expand(3, -1)
        return net(x[:, places], values[:, places], queries, None if seen is None else seen[:, places])

    whole, some = asked(torch.arange(8)), torch.tensor([0, 3, 4])
    assert torch.isfinite(whole).all() and torch.allclose(whole, asked(order), atol=1e-3)
    hidden = ~torch.isin(torch.arange(8), some).expand(3, -1)
    assert torch.allclose(asked(some), asked(torch.arange(8), hidden), atol=1e-3)
    net.encoding = None
    # what is alike in all columns goes with the norm
    untold = name == "none" or (name == "euclidean" and not config)
    assert untold == torch.allclose(whole, asked(torch.arange(8)), atol=1e-3)


def test_by_index_counts_points_and_by_epoch_counts_epochs():
    assert torch.equal(by_index(EPOCHS, EPOCHS[:, 20:]), EPOCHS[:, 20:])
    grid = torch.tensor([[1.0, 2, 4, 8, 16], [3, 5, 6, 7, 90]])
    assert by_index(grid, grid[:, 2:]).tolist() == [[3, 4, 5], [3, 4, 5]]
    for unknown in ([[3.0], [3.0]], [[17.0], [91.0]]):
        refuses("not in the schedule", by_index, grid, torch.tensor(unknown))
    for epoch in (0.0, 101.0, 2.5):  # nor has a table a row beyond its length
        for table in (Learned(4, 100), Scrambled(4, 100, 1)):
            refuses(
                rf"epoch {epoch:g}: make it longer.*sincos, rope", table.embed, torch.tensor([[1.0, epoch]])
            )
