"""Guards recurrences that are computed in several ways, which are one, HiPPO in s4.py, and cells, directions and blocks of
which torch has its own: with a copy of the weights it gives the same."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.polynomial.legendre import Legendre
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones import deltanet, linear_attention, mamba, recurrent, s4, xlstm
from curvecast.networks.backbones.attention import Attention, plain
from curvecast.networks.backbones.encoder_decoder import DecoderBlock
from curvecast.networks.backbones.recurrent import LSTM, Elman, Recurrent, reversed_in_time, unroll
from curvecast.networks.backbones.s4 import first_eigenvalues
from curvecast.networks.encodings import T5Bias


def deltanet_ways(T: int, kind: torch.dtype) -> list[Tensor]:
    q, k, v = torch.randn(3, 2, 2, T, 6, dtype=kind)
    inputs = q, F.normalize(k, dim=-1), v, torch.rand(2, 2, T, dtype=kind)
    (y, S), (y_loop, S_loop) = deltanet.solve(*inputs), deltanet.recur(*inputs)
    assert torch.allclose(S, S_loop, atol=1e-3)
    return [y, y_loop, *(deltanet.in_chunks(*inputs, size) for size in (1, 7, 64))]


def linear_attention_ways(T: int, kind: torch.dtype) -> list[Tensor]:
    q, k, v = torch.randn(3, 2, 2, T, 5, dtype=kind)
    inputs = F.elu(q) + 1, F.elu(k) + 1, v
    chunks = [linear_attention.in_chunks(*inputs, size) for size in (1, 7, 64)]
    return [linear_attention.parallel(*inputs), linear_attention.recur(*inputs), *chunks]


def mamba2_ways(T: int, kind: torch.dtype) -> list[Tensor]:
    x, (B, C) = torch.randn(2, T, 2, 3, dtype=kind), torch.randn(2, 2, T, 4, dtype=kind)
    inputs = x, -torch.rand(2, T, 2, dtype=kind), B, C
    chunks = [mamba.in_chunks(*inputs, size) for size in (1, 5, 16, 100)]
    return [mamba.dual(*inputs), mamba.recur(*inputs), *chunks]


def xlstm_ways(T: int, kind: torch.dtype) -> list[Tensor]:
    q, k, v = torch.randn(3, 2, 2, T, 5, dtype=kind)
    write, keep = 3 * torch.randn(2, 2, 2, T, dtype=kind)
    inputs = q, k, v, write, F.logsigmoid(keep)
    chunks = [xlstm.in_chunks(*inputs, size) for size in (1, 7, 64)]
    return [xlstm.parallel(*inputs), xlstm.recur(*inputs), *chunks]


def s4_ways(T: int, kind: torch.dtype) -> list[Tensor]:
    wide = torch.complex128 if kind == torch.float64 else torch.complex64
    a_log = 0.1 * s4.first_eigenvalues(4, "legs").expand(3, 4).to(wide)
    Cb, u = torch.randn(3, 4, dtype=wide), torch.randn(2, T, 3, dtype=kind)
    chunks = [s4.in_chunks(u, a_log, Cb, size) for size in (1, 5, 16, 100)]
    state = s4.recur(u[:, : T // 2], a_log, Cb)[1] if T > 1 else None  # all that is needed to read on
    later = s4.recur(u[:, T // 2 :], a_log, Cb, state)[0]
    whole = s4.recur(u, a_log, Cb)[0]
    assert torch.allclose(later, whole[:, T // 2 :], atol=1e-3)
    return [whole, s4.convolve(u, s4.kernel(a_log, Cb, T)), *chunks]


def scans(T: int, kind: torch.dtype) -> list[Tensor]:
    a, b = torch.rand(2, T, 3, dtype=kind), torch.randn(2, T, 3, dtype=kind)
    h, states = torch.zeros(2, 3, dtype=kind), []
    for t in range(T):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    chunks = [recurrent.LongScan.apply(a, b, size) for size in (1, 7, 64)]
    return [torch.stack(states, 1), recurrent.scan(a, b), recurrent.scan_by_doubling(a, b), *chunks]


WAYS = [deltanet_ways, linear_attention_ways, mamba2_ways, xlstm_ways, s4_ways, scans]


@pytest.mark.parametrize(("kind", "near"), [(torch.float64, 1e-10), (torch.float32, 2e-3)], ids=str)
@pytest.mark.parametrize("T", [1, 16, 41])
@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: ways.__name__)
def test_all_ways_are_one_recurrence(ways: Callable[..., list[Tensor]], T, kind, near):
    first, *others = ways(T, kind)
    for other in others:
        assert torch.allclose(first, other, atol=near, rtol=near)


@pytest.mark.parametrize("T", [1, 10, 11])
def test_the_gradient_of_a_long_scan_is_that_of_finite_differences(T):
    a, b = torch.rand(2, T, 3).double().requires_grad_(), torch.randn(2, T, 3).double().requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: recurrent.LongScan.apply(a, b, 5), (a, b))
    assert torch.autograd.gradgradcheck(lambda a, b: recurrent.LongScan.apply(a, b, 5), (a, b))


def test_exponential_gates_of_any_size_give_numbers():
    q, k, v = torch.randn(3, 2, 2, 20, 5)
    write, keep = 3 * torch.randn(2, 2, 2, 20)
    for size in (20, 6):
        y = xlstm.in_chunks(q, k, v, 200 * write, 50 * F.logsigmoid(keep), size)
        assert torch.isfinite(y).all()


def test_the_normal_part_turns_and_fades_by_a_half():
    """The eigenvalues of A + p p' for four numbers, as computed apart from this code; the even ones turn more slowly."""
    eigenvalues = s4.normal_part(4)
    assert torch.allclose(eigenvalues.real, torch.full((2,), -0.5, dtype=torch.float64))
    assert eigenvalues.imag.tolist() == pytest.approx([0.556501, 4.603293], abs=1e-5)
    even, legs = first_eigenvalues(8, "lin"), first_eigenvalues(8, "legs")
    assert torch.allclose(even.imag.diff(), torch.full((7,), torch.pi, dtype=torch.float64))
    assert legs.imag[-1] > 2 * even.imag[-1] and torch.allclose(legs.real, even.real)


def test_zero_order_hold_is_the_exact_solution():
    """With u = 1 for a step: A^-1 (e^(A dt) - 1) B, by one exponential of a larger matrix."""
    A, B = s4.legs(8)
    Ad, Bd = s4.zero_order_hold(A, B, 0.1)
    assert torch.allclose(Ad, torch.linalg.matrix_exp(0.1 * A))
    assert torch.allclose(Bd, torch.linalg.solve(A, (Ad - torch.eye(8)) @ B))


@pytest.mark.parametrize(("z", "gain"), [(-0.1, 1.05), (-5, 5.03), (-20, 20.0)])
def test_eulers_rule_has_another_gain(z, gain):
    """The stationary state for a constant input, relative to the exact one: z / (e^z - 1), and 1 for zero-order hold."""
    A, B = torch.tensor([[float(z)]]).double(), torch.ones(1).double()
    for discrete, wanted in ((s4.euler, gain), (s4.zero_order_hold, 1.0)):
        Ad, Bd = discrete(A, B, 1.0)
        assert (Bd / (1 - Ad[0])).item() * -z == pytest.approx(wanted, rel=2e-3)


@pytest.mark.parametrize("T", [1, 30, 200])
def test_with_scaled_time_the_state_is_the_projection_on_legendre_polynomials(T):
    """Of pure noise: by the integrals of the polynomials over each step; what comes back is those polynomials."""
    N, edges = 12, np.linspace(-1, 1, T + 1)
    integrals = [np.diff(Legendre.basis(n).integ()(edges)) * math.sqrt(2 * n + 1) / 2 for n in range(N)]
    noise = torch.randn(T, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    state = s4.remember(*s4.legs(N), noise)
    assert torch.allclose(state, torch.from_numpy(np.array(integrals)) @ noise, atol=1e-12)
    degrees = np.polynomial.legendre.legvander((np.arange(T) + 0.5) / T * 2 - 1, N - 1)
    assert np.allclose(s4.reconstruct(state, T), degrees @ (state * (2 * torch.arange(N) + 1).sqrt()).numpy())


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
