"""Guards reader.py and model.py: what every network keeps to, whatever is inside; settings that cannot be."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.polynomial.legendre import Legendre
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.config import canonical
from curvecast.networks.backbones import deltanet, linear_attention, mamba, recurrent, s4, xlstm
from curvecast.networks.backbones.attention import Attention, plain
from curvecast.networks.backbones.encoder_decoder import DecoderBlock, EncoderDecoderConfig
from curvecast.networks.backbones.reader import FAMILIES, ReaderConfig
from curvecast.networks.backbones.recurrent import (
    LSTM,
    Elman,
    ElmanConfig,
    Recurrent,
    reversed_in_time,
    unroll,
)
from curvecast.networks.backbones.s4 import S4Config, first_eigenvalues
from curvecast.networks.backbones.stack import FeedForward, handed
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.encodings import T5Bias
from curvecast.networks.model import ModelConfig
from tests.curvecast.refusals import refuses


@torch.no_grad()
def test_without_attention_all_goes_through_the_last_state():
    """The decoder's states are the same for two beginnings that end in the same state; with attention they are not."""
    u, x, d = torch.randn(2, 9, 6), torch.arange(1.0, 10).expand(2, 9), 6
    other = torch.cat([torch.randn(2, 8, d), u[:, 8:]], 1)
    for attends in (False, True):
        net = EncoderDecoderConfig(attends=attends).make(d)
        cell = net.encoder[0]  # made to forget all but the newest point
        for part in (cell.new.weight[d : 2 * d], cell.old.weight[d:], cell.old.bias[2 * d :]):
            part.zero_()
        cell.new.bias[d : 2 * d] = -40.0
        same = torch.allclose(net(u, x, None).states, net(other, x, None).states, atol=1e-5)
        assert same is not attends


def test_a_reader_is_told_the_spread_of_a_curve():
    net = ReaderConfig(ElmanConfig(), width=16, features="spread").network(torch.linspace(-1, 2, 1001)).eval()
    x, query = torch.arange(1.0, 11).expand(2, -1), torch.tensor([[20.0], [20.0]])
    y = 0.5 + torch.tensor([[0.4], [0.04]]) * torch.linspace(0, 1, 10) ** 0.5
    stand = net.read(x, y, query)[1]
    assert net.head.scaled == 5 and torch.allclose(stand[0, 1] / stand[1, 1], torch.tensor(10.0), rtol=0.01)
    assert torch.isfinite(net.log_density(x, y, query, query / 40)).all()
    assert "features" not in canonical(ReaderConfig(ElmanConfig()))


TRANSFORMER = TransformerConfig()


@pytest.mark.parametrize(("make", "says"), [
    (lambda: FeedForward("relu", 8), "take one of gelu, geglu, swiglu"),
    (lambda: replace(TRANSFORMER, norm="batch").make(8), "take layer or rms"),
    (lambda: replace(TRANSFORMER, where="post", parallel=True).make(8), "take where='pre'"),
    (lambda: replace(TRANSFORMER, hands="last").make(8), "no summary"),
    (lambda: S4Config(begin="fourier").make(8), "'lin' or 'legs'"),
    (lambda: S4Config(states=0).make(8), "at least one"),
    (lambda: ReaderConfig(ElmanConfig(), features="paper"), "take one of epochs, spread"),
    (lambda: ReaderConfig(TRANSFORMER, width=15), "must be a multiple of heads"),
    (lambda: replace(TRANSFORMER, position="rope", heads=8).make(8), "rope turns pairs"),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(make, says):
    refuses(says, make)


BORDERS = torch.linspace(0, 1, 21)
PFNS = {
    "ours": ModelConfig(24, 2, 4, components=3), "spread": ModelConfig(24, 2, 4, components=3, features="spread"),
    "paper": ModelConfig(24, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", [*FAMILIES, *PFNS])
CAUSAL = [name for name, config in FAMILIES.items() if config.causal]


def awake(net: nn.Module) -> nn.Module:
    for module in net.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
    return net


def reader(name: str) -> nn.Module:
    """The last layer is not the identity that it starts as, so the context affects the forecast."""
    torch.manual_seed(0)
    config = PFNS.get(name) or ReaderConfig(FAMILIES[name], width=24)
    return awake(config.network(BORDERS).eval())


def curves(B: int = 3, T: int = 9) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.arange(1.0, T + 1).expand(B, T)
    return x, torch.rand(B, T, generator=generator), torch.tensor([12.0, 30, 99]).expand(B, 3)


@EVERY
def test_neither_curves_of_a_batch_nor_queries_know_one_another(name):
    x, y, x_query = curves()
    x_query = torch.cat([x_query, x[:, 4:5]], 1)
    net, other = reader(name), y.clone()
    other[1] = 0.3
    together = net(x, y, x_query)
    assert torch.equal(together[0], net(x, other, x_query)[0])
    assert torch.allclose(net(x, y, x_query.flip(1)).flip(1), together, atol=1e-5)
    assert torch.allclose(net(x, y, x_query[:, 1:2])[:, 0], together[:, 1], atol=1e-5)


@EVERY
def test_what_is_masked_never_enters(name):
    x, y, x_query = (part.double() for part in curves())
    net = reader(name).double()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, [0, 4, 5]] = False
    mask[1, 1:] = False
    y = torch.where(mask, y, torch.nan)
    logits = net(x, y, x_query, mask)
    for i in range(3):
        few = mask[i]
        alone = net(x[i : i + 1, few], y[i : i + 1, few], x_query[i : i + 1])
        assert torch.allclose(logits[i], alone[0], atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight_and_both_ends_of_the_beginning(name):
    x, y, x_query = curves()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, 3:] = False
    net, later = reader(name).train(), torch.full((3, 3), 0.4)
    seen = torch.where(mask, y, torch.nan).requires_grad_()
    net.log_density(x, seen, x_query, later, mask).sum().backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None, f"{where} is never used"
        assert torch.isfinite(weight.grad).all(), where
    assert (seen.grad[1:, [0, -1]].abs() > 0).all()


@EVERY
def test_the_order_of_points_matters_unless_promised_otherwise(name):
    x, y, x_query = (part.double() for part in curves())
    net, order = reader(name).double(), torch.tensor([4, 0, 8, 2, 6, 1, 3, 7, 5])
    same = torch.allclose(net(x, y, x_query), net(x[:, order], y[:, order], x_query), atol=1e-9)
    assert same == (name in ("transformer, encoder", "transformer, both", *PFNS))


@pytest.mark.parametrize("name", CAUSAL)
def test_read_step_by_step_it_is_the_whole(name):
    torch.manual_seed(0)
    backbone = awake(replace(FAMILIES[name], hands="all").make(24)).double()
    u, x = torch.randn(2, 9, 24, dtype=torch.double), torch.arange(1.0, 10).expand(2, 9).double()
    whole = backbone(u, x, None).states
    steps = [backbone(u[:, :t], x[:, :t], None).states[:, -1] for t in range(1, 10)]
    assert torch.allclose(torch.stack(steps, 1), whole, atol=1e-9)


@pytest.mark.parametrize("name", CAUSAL)
def test_the_past_reaches_the_future_through_the_state_alone(name):
    """The derivatives of later states by earlier points have no higher rank than the state has numbers."""
    d, past, config = 4, 24, replace(FAMILIES[name], hands="all")
    config = replace(config, **{field: 2 for field in ("states", "heads") if getattr(config, field, 0) > 2})
    torch.manual_seed(0)
    backbone = awake(config.make(d)).double()
    u, x = torch.randn(1, past + 40, d, dtype=torch.double), torch.arange(1.0, past + 41)[None].double()

    def later(earlier: Tensor) -> Tensor:
        return backbone(torch.cat([earlier, u[:, past:]], 1), x, None).states[0, past:]

    slopes = torch.autograd.functional.jacobian(later, u[:, :past], vectorize=True).reshape(40 * d, past * d)
    rank = torch.linalg.matrix_rank(slopes, rtol=1e-12)
    # what the head reads is not needed to read on
    state = config.state_size(d, past) - handed("all", d, past)
    assert rank <= state
    if name.startswith(("Elman", "LSTM", "GRU", "minGRU", "linear")):
        assert rank == state


@pytest.mark.parametrize("name", FAMILIES)
def test_any_width_is_read_that_heads_divide_and_no_other(name):
    config, x = FAMILIES[name], torch.arange(1.0, 6).expand(2, 5)
    if getattr(config, "heads", 0) <= 1:
        assert torch.isfinite(config.make(15)(torch.randn(2, 5, 15), x, None).states).all()
    else:
        refuses("width", config.make, 15)
    sizes = [config.state_size(24, length) for length in (1, 10, 100, 1_000)]
    assert sizes[0] > 0 and sizes == sorted(sizes)


def test_blocks_of_large_models_are_as_published():
    """PaLM and LLaMA have no biases, in norms neither; PaLM has one key and value for all four heads."""
    for name in ("PaLM block", "LLaMA block"):
        assert not [at for at, _ in FAMILIES[name].make(16).named_parameters() if at.endswith("bias")]
    assert FAMILIES["PaLM block"].make(16).blocks[0].attend.kv.weight.shape == (2 * 4, 16)


# -----------------------------------------------------------------------------------------------------------
# Guards recurrences that are computed in several ways, which are one, HiPPO in s4.py, and cells, directions and blocks of
# which torch has its own: with a copy of the weights it gives the same.


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
    return [xlstm.parallel(*inputs), *chunks]


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
