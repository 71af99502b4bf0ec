"""Guards curvecast/networks/added.py: the vectors of the epochs."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.added import Euclidean, Learned, LogEpoch, RawEpoch, Scrambled, SinCos
from curvecast.networks.inputs import Inputs

EPOCHS = torch.arange(1.0, 101)[None]  # (1, 100)


def rows(encoding, x=EPOCHS):
    """The vector of each epoch of one curve, (T, d)."""
    return encoding.embed(x)[0].detach()


@pytest.mark.parametrize("base", [4.0, 10_000.0])
def test_sin_cos_as_the_public_code_of_lc_pfn_computes_it(base):
    """sin and cos of k exp(-2i/d ln base), in turn."""
    d, k = 6, torch.arange(50.0)[:, None]
    angle = k * torch.exp(-torch.arange(0, d, 2).float() * torch.log(torch.tensor(base)) / d)
    expected = torch.empty(50, d)
    expected[:, 0::2], expected[:, 1::2] = angle.sin(), angle.cos()
    assert torch.allclose(rows(SinCos(d, base), EPOCHS[:, :50]), expected, atol=1e-5)


def test_a_table_learns_only_the_rows_that_were_asked_for():
    """The gradient of every other row is exactly zero."""
    encoding = Learned(8, 100)
    encoding.embed(torch.tensor([[3.0, 50.0]])).sum().backward()
    moved = encoding.table.grad.abs().sum(1).nonzero().flatten().tolist()
    assert moved == [2, 49]


@pytest.mark.parametrize("epoch", [0.0, 101.0, 2.5])
@pytest.mark.parametrize("make", [lambda: Learned(4, 100), lambda: Scrambled(4, 100, 1)])
def test_a_table_has_no_row_beyond_its_length(make, epoch):
    """Epochs outside 1..100, and between two, are refused by name, with what to take instead."""
    with pytest.raises(UserError, match=rf"epoch {epoch:g}: make it longer.*sincos, rope"):
        make().embed(torch.tensor([[1.0, epoch]]))


def ranks(encoding):
    """Which row of the table each epoch got."""
    return torch.cdist(rows(encoding), encoding.table.detach()).argmin(1)


def test_scrambled_as_coded_keeps_rows_and_loses_their_order():
    """A new permutation of whole rows in each pass, shared by all curves; neighbours are separated."""
    torch.manual_seed(0)
    encoding = Scrambled(8, 100, together=1)
    first, second = ranks(encoding), ranks(encoding)
    assert sorted(first.tolist()) == list(range(100)) and not torch.equal(first, second)
    code = encoding.embed(EPOCHS.expand(3, -1))
    assert torch.equal(code[0], code[2])
    assert (first[1::2] - first[0::2]).eq(1).sum() < 10


def test_scrambled_as_described_keeps_pairs_together():
    """Rows of epochs 1 and 2, 3 and 4, ... stay side by side and in order, while the pairs are dealt anew."""
    torch.manual_seed(0)
    first = ranks(Scrambled(8, 100, together=2))
    assert (first[1::2] - first[0::2]).eq(1).all() and first[0::2].remainder(2).eq(0).all()
    assert sorted(first.tolist()) == list(range(100)) and not torch.equal(first, torch.arange(100))


def test_the_euclidean_encoding_is_the_index_in_every_column():
    """Rank one and unbounded: k, k, ..., k."""
    assert torch.equal(rows(Euclidean(8)), torch.arange(100.0)[:, None].expand(100, 8))


def test_repaired_it_is_the_epoch_as_lc_pfn_feeds_it():
    """The same weights give what the paper's input embedding gives."""
    paper, encoding = Inputs(8, rich=False), RawEpoch(8)
    encoding.linear.load_state_dict(paper.x.state_dict())
    assert torch.allclose(rows(encoding), paper.x(paper.of_x(EPOCHS))[0], atol=1e-6)


def test_log_features_part_early_epochs_and_crowd_late_ones():
    """Epochs 1 and 2 lie further apart than 50 and 100."""
    torch.manual_seed(0)
    code = rows(LogEpoch(32))
    assert (code[1] - code[0]).norm() > (code[99] - code[49]).norm()
