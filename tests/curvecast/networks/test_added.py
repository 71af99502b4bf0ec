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


def test_the_example_with_four_columns_and_base_four():
    """n = 4, d = 4: columns sin k, cos k, sin k/2, cos k/2 for k = 0, 1, 2, 3."""
    k = torch.arange(4.0)
    expected = torch.stack([k.sin(), k.cos(), (k / 2).sin(), (k / 2).cos()], 1)
    assert torch.allclose(rows(SinCos(4, base=4.0), k[None] + 1), expected, atol=1e-6)


def test_sin_cos_as_the_public_code_of_lc_pfn_computes_it():
    """Base 10,000: sin and cos of k exp(-2i/d ln 10000), in turn."""
    d, k = 6, torch.arange(50.0)[:, None]
    angle = k * torch.exp(-torch.arange(0, d, 2).float() * torch.log(torch.tensor(10_000.0)) / d)
    expected = torch.empty(50, d)
    expected[:, 0::2], expected[:, 1::2] = angle.sin(), angle.cos()
    assert torch.allclose(rows(SinCos(d), EPOCHS[:, :50]), expected, atol=1e-5)


def test_a_step_in_time_turns_each_pair():
    """P(k + s) is P(k) turned by s times the frequency of its pair, and so P(k) . P(m) knows k - m alone."""
    s, encoding = 7, SinCos(16)
    before, after = rows(encoding)[:-s], rows(encoding)[s:]
    sin, cos = (s * encoding.frequency).sin(), (s * encoding.frequency).cos()
    a, b = before[:, 0::2], before[:, 1::2]
    turned = torch.stack([a * cos + b * sin, b * cos - a * sin], -1).flatten(1)
    assert torch.allclose(turned, after, atol=1e-4)
    product = rows(encoding) @ rows(encoding).T
    assert torch.allclose(product[:-s, :-s], product[s:, s:], atol=1e-3)


@pytest.mark.parametrize("base", [4.0, 100.0, 10_000.0])
def test_rows_of_sin_cos_differ_at_any_base_while_columns_repeat(base):
    """No frequency has to be fitted to the length: the first pair alone tells whole numbers apart."""
    code = rows(SinCos(4, base))
    assert torch.pdist(code).min() > 0.01
    assert any(len(column.mul(100).round().unique()) < 100 for column in code.T)


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
    """Rank one and unbounded: k, k, ..., k; LayerNorm removes all of it."""
    code = rows(Euclidean(8))
    assert torch.equal(code, torch.arange(100.0)[:, None].expand(100, 8))
    token = torch.randn(100, 8)
    norm = torch.nn.LayerNorm(8)
    assert torch.allclose(norm(token + code), norm(token), atol=1e-4)


def test_repaired_it_is_the_epoch_as_lc_pfn_feeds_it():
    """The same weights give what the paper's input embedding gives; and a line through the distance gives it too."""
    paper, encoding = Inputs(8, rich=False), RawEpoch(8)
    encoding.linear.load_state_dict(paper.x.state_dict())
    assert torch.allclose(rows(encoding), paper.x(paper.of_x(EPOCHS))[0], atol=1e-6)
    distance = rows(Euclidean(1))  # (100, 1)
    line = torch.cat([distance, torch.ones_like(distance)], 1)
    fitted = line @ torch.linalg.lstsq(line, rows(encoding)).solution
    assert torch.allclose(fitted, rows(encoding), atol=1e-4)


def test_log_features_part_early_epochs_and_crowd_late_ones():
    """Epochs 1 and 2 lie further apart than 50 and 100."""
    torch.manual_seed(0)
    code = rows(LogEpoch(32))
    assert (code[1] - code[0]).norm() > (code[99] - code[49]).norm()
