"""Guards cells, directions and blocks of which torch has its own: with a copy of the weights it gives the same."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from curvecast.networks.backbones.attention import Attention, plain
from curvecast.networks.backbones.recurrent import LSTM, Elman, Recurrent, reversed_in_time, unroll
from curvecast.networks.backbones.transformer_pair import DecoderBlock
from curvecast.networks.relative import T5Bias


@torch.no_grad()
def copy_cell(cell: nn.Module, theirs: nn.RNNBase, end: str = "") -> None:
    getattr(theirs, f"weight_ih_l0{end}").copy_(cell.new.weight)
    getattr(theirs, f"bias_ih_l0{end}").copy_(cell.new.bias)
    getattr(theirs, f"weight_hh_l0{end}").copy_(cell.old.weight)
    getattr(theirs, f"bias_hh_l0{end}").zero_()


@pytest.mark.parametrize("T", [1, 33])
@pytest.mark.parametrize(("ours", "torchs"), [(Elman, nn.RNN), (LSTM, nn.LSTM)])
def test_a_cell_is_torchs_own(ours, torchs, T):
    cell, theirs, u = ours(7), torchs(7, 7, batch_first=True), torch.randn(3, T, 7)
    copy_cell(cell, theirs)
    assert torch.allclose(unroll(cell, u), theirs(u)[0], atol=1e-6)


def test_two_directions_hand_on_both_ends():
    """A backward pass over curves of unequal lengths is torch's over a packed sequence, and both have read all points."""
    ours, theirs = Recurrent(Elman, 6, 1, True, "all"), nn.RNN(6, 6, 1, batch_first=True, bidirectional=True)
    copy_cell(ours.forwards[0], theirs)
    copy_cell(ours.backwards[0], theirs, "_reverse")
    u, lengths = torch.randn(3, 9, 6), torch.tensor([9, 4, 1])
    seen = torch.arange(9) < lengths[:, None]
    packed = nn.utils.rnn.pack_padded_sequence(u, lengths, batch_first=True)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    there = unroll(ours.forwards[0], u)
    back = reversed_in_time(unroll(ours.backwards[0], reversed_in_time(u, seen)), seen)
    assert torch.allclose(torch.cat([there, back], -1)[seen], wanted[seen], atol=1e-6)
    whole = ours(u, torch.ones(3, 9), seen).states
    ours.hands = "last"
    ends = torch.stack([whole[torch.arange(3), lengths - 1], whole[:, 0]], 1)
    assert torch.equal(ours(u, torch.ones(3, 9), seen).states, ends)


def copy_attention(ours: nn.Module, theirs: nn.MultiheadAttention) -> None:
    weight, bias = (torch.cat([getattr(ours.q, one), getattr(ours.kv, one)]) for one in ("weight", "bias"))
    state = {"in_proj_weight": weight, "in_proj_bias": bias}
    theirs.load_state_dict(state | {f"out_proj.{name}": one for name, one in ours.out.state_dict().items()})


def test_the_block_of_a_transformer_pair_is_torchs_decoder_layer():
    ours = DecoderBlock(8, 4)
    theirs = nn.TransformerDecoderLayer(8, 4, 16, 0.0, "gelu", batch_first=True, norm_first=True)
    copy_attention(ours.attend, theirs.self_attn)
    copy_attention(ours.read, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed.wide.state_dict())
    theirs.linear2.load_state_dict(ours.feed.narrow.state_dict())
    y, h, places, x = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.rand(2, 5), torch.rand(2, 7)
    wanted = theirs(y, h, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5))
    assert torch.allclose(ours(y, h, places, x, None), wanted, atol=1e-5)


@pytest.mark.parametrize("gap", [0, 5], ids=["all epochs", "some are missing"])
def test_a_bias_by_distance_in_blocks_is_that_of_all_pairs(gap):
    T = 2 * Attention.block + 44
    ours, u, place = Attention(8, 2, encoding=T5Bias(2)), torch.randn(1, T, 8), torch.arange(T)
    nn.init.normal_(ours.encoding.table)
    x = (place + gap * (place > 70) + 1.0)[None]
    later = torch.zeros(T, T).masked_fill(place > place[:, None], -torch.inf)
    assert torch.allclose(ours(u, u, x, x, causal=True), ours(u, u, x, x, later), atol=1e-5)


def test_the_formula_of_attention_is_torchs_fused_one():
    q, k, v = torch.randn(3, 2, 4, 9, 6, dtype=torch.float64)
    assert torch.allclose(plain(q, k, v), F.scaled_dot_product_attention(q, k, v), atol=1e-12)
