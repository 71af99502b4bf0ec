"""Guards backbones: each whole layer is the loop that its definition describes, for one curve, point by point.

The loops know nothing of our code: they read parameters from a module by name, and do the arithmetic of the definition.
Elman's network, the LSTM and the transformers' decoder are compared with torch's own in backbones/test_reader.py.
"""

import cmath
import math
from collections.abc import Callable, Iterable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones import (
    causal_cnn,
    deltanet,
    encoder_decoder,
    linear_attention,
    mamba,
    recurrent,
    s4,
    xlstm,
)
from curvecast.networks.backbones.reader import FAMILIES
from curvecast.networks.backbones.recurrent import unroll
from curvecast.networks.backbones.stack import Stack
from curvecast.networks.backbones.transformer import Block, TransformerConfig

D, H = 8, 2  # width, heads
EPOCHS = torch.tensor([1.0, 2, 3, 5, 9, 14, 22, 35, 60, 97, 151, 260]).double()  # in all ranges of T5
T, P = len(EPOCHS), D // H


def affine(layer: nn.Module, z: Tensor) -> Tensor:
    return layer.weight @ z + (0 if layer.bias is None else layer.bias)


def normed(norm: nn.Module, z: Tensor) -> Tensor:
    return F.layer_norm(z, z.shape, norm.weight, norm.bias, norm.eps)


def rms_normed(norm: nn.Module, z: Tensor) -> Tensor:
    return F.rms_norm(z, z.shape, norm.weight, norm.eps)


def short(conv: nn.Module, u: list[Tensor]) -> list[Tensor]:
    """A sum over the last points, of each channel; its first weight is that of the newest."""
    return [sum(w[0] * u[t - i] for i, w in enumerate(conv.weight) if t >= i) for t in range(len(u))]


def by_head(of: Callable[..., Iterable[Tensor]], *parts: list[Tensor]) -> list[Tensor]:
    """A loop for each head over its share of the channels; the heads are put side by side."""
    split = [[part_t.chunk(H) for part_t in part] for part in parts]
    every = (of(*([part_t[h] for part_t in part] for part in split)) for h in range(H))
    return [torch.cat(at) for at in zip(*every, strict=True)]


def gru_loop(net, u, h=None):
    h = torch.zeros(D) if h is None else h
    for u_t in u:
        (r, z, n), (r_h, z_h, n_h) = affine(net.new, u_t).chunk(3), affine(net.old, h).chunk(3)
        z, n = torch.sigmoid(z + z_h), torch.tanh(n + torch.sigmoid(r + r_h) * n_h)
        h = (1 - z) * n + z * h
        yield h


def mingru_loop(net, u):
    h = torch.zeros(D)
    for u_t in u:
        z, n = affine(net.new, u_t).chunk(2)
        g = torch.stack([x + 0.5 if x >= 0 else torch.sigmoid(x) for x in n])
        h = (1 - torch.sigmoid(z)) * h + torch.sigmoid(z) * g
        yield h


def stack_loop(net, u):
    for mix, norm, (norm_feed, feed) in zip(net.mixers, net.norms, net.feeds, strict=True):
        u = [a + b for a, b in zip(u, mingru_loop(mix, [normed(norm, u_t) for u_t in u]), strict=True)]
        u = [u_t + affine(feed.narrow, F.gelu(affine(feed.wide, normed(norm_feed, u_t)))) for u_t in u]
    return [normed(net.norm, u_t) for u_t in u]


def seq2seq_loop(net, u):
    h = list(gru_loop(net.encoder[0], u))
    s = h[-1]
    for k in range(1, 13):
        x = EPOCHS[-1] * 64 ** (k / 12)
        a = affine(net.ahead, torch.stack([x.log() - 3.6, 4 / x - 0.2]))
        if net.look is not None:
            says = [torch.tanh(affine(net.look.asks, s) + net.look.says.weight @ h_t) for h_t in h]
            w = torch.stack([net.look.score.weight[0] @ z for z in says]).softmax(0)
            a = affine(net.join, torch.cat([a, sum(w_t * h_t for w_t, h_t in zip(w, h, strict=True))]))
        (s,) = gru_loop(net.decoder, [a], s)
        yield s


def cnn_loop(net, u):
    for i, norm in enumerate(net.norms):
        n, s, zero = [normed(norm, u_t) for u_t in u], 2**i, torch.zeros(D)
        taps = [torch.cat([n[t - k * s] if t >= k * s else zero for k in range(3)]) for t in range(T)]
        u = [u[t] + affine(net.points[i], F.gelu(affine(net.taps[i], taps[t]))) for t in range(T)]
    return [normed(net.norm, u_t) for u_t in u]


def rotated(z: Tensor, epoch: Tensor) -> Tensor:
    """RoPE: the i-th pair is a complex number, turned by epoch / 10,000^(2 i / d)."""
    turn = [cmath.exp(1j * epoch.item() * 10_000 ** (-i / len(z))) for i in range(0, len(z), 2)]
    pairs = [complex(*z[i : i + 2].tolist()) * a for i, a in zip(range(0, len(z), 2), turn, strict=True)]
    return torch.tensor([part for pair in pairs for part in (pair.real, pair.imag)])


def t5_bucket(distance: float) -> int:
    """Of 32: 16 for each side, of which 8 are single distances and 8 grow in proportion to it, up to 128."""
    n = abs(round(distance))
    place = n if n < 8 else min(15, 8 + math.floor(8 * math.log(n / 8) / math.log(128 / 8)))
    return place + (16 if distance > 0 else 0)


def attention(net, u, position, causal):
    q = [affine(net.q, u_t).chunk(net.heads) for u_t in u]
    kv = [affine(net.kv, u_t).chunk(2 * net.kv_heads) for u_t in u]
    for t in range(T):
        heads = []
        for h in range(net.heads):
            g = h // (net.heads // net.kv_heads)
            scores, read = [], range(t + 1 if causal else T)
            for j in read:
                one, other = q[t][h], kv[j][g]
                if position == "rope":
                    one, other = rotated(one, EPOCHS[t]), rotated(other, EPOCHS[j])
                score = one @ other / len(one) ** 0.5
                if position == "t5":
                    score = score + net.encoding.table[t5_bucket((EPOCHS[j] - EPOCHS[t]).item()), h]
                scores.append(score)
            w = torch.stack(scores).softmax(0)
            heads.append(sum(w[j] * kv[j][net.kv_heads + g] for j in read))
        yield affine(net.out, torch.cat(heads))


def fed(feed, kind, z):
    wide = affine(feed.wide, z)
    if kind == "gelu":
        return affine(feed.narrow, F.gelu(wide))
    gate, value = wide.chunk(2)
    return affine(feed.narrow, {"swiglu": F.silu, "geglu": F.gelu}[kind](gate) * value)


def block(feed, position, causal=True, where="pre", parallel=False, norm=normed):
    def loop(net, u):
        n = [norm(net.norm1, u_t) for u_t in u] if where == "pre" else u
        h = [a + b for a, b in zip(u, attention(net.attend, n, position, causal), strict=True)]
        if where == "post":
            h = [norm(net.norm1, h_t) for h_t in h]
            return [norm(net.norm2, h_t + fed(net.feed, feed, h_t)) for h_t in h]
        return [h[t] + fed(net.feed, feed, n[t] if parallel else norm(net.norm2, h[t])) for t in range(T)]

    return loop


def diagonal(net, u):
    """x_t = exp(dt A) x_{t-1} + (exp(dt A) - 1) / A u_t,  y_t = 2 Re C x_t + D u_t, for each channel."""
    found = torch.zeros(T, D)
    for d in range(D):
        for n in range(net.turn.shape[-1]):
            A, dt = complex(-net.log_fade[0, d, n].exp(), net.turn[0, d, n]), net.log_dt[d].exp().item()
            x, C = 0j, complex(net.C[0, d, n], net.C[1, d, n])
            for t in range(T):
                x = cmath.exp(dt * A) * x + (cmath.exp(dt * A) - 1) / A * u[t][d].item()
                found[t, d] += 2 * (C * x).real
    return [found[t] + net.D * u[t] for t in range(T)]


def s4_loop(net, u):
    mixed = [affine(net.out, F.gelu(y)).chunk(2) for y in diagonal(net.system, u)]
    return [a * torch.sigmoid(b) for a, b in mixed]


def h3_loop(net, u):
    q, k, v = zip(*(affine(net.qkv, u_t).chunk(3) for u_t in u), strict=True)
    kept = diagonal(net.diagonal, [a * b for a, b in zip(short(net.shift, k), v, strict=True)])
    return [affine(net.out, a * b) for a, b in zip(q, kept, strict=True)]


def mamba_loop(net, u):
    x, z = zip(*(affine(net.new, u_t).chunk(2) for u_t in u), strict=True)
    A, h = -net.A_log[0].exp(), 0
    for x_t, z_t in zip(short(net.short, x), z, strict=True):
        x_t = F.silu(x_t)
        dt, B, C = affine(net.select, x_t).split([1, 3, 3])
        dt = F.softplus(affine(net.step, dt))
        h = torch.exp(dt[:, None] * A) * h + torch.outer(dt * x_t, B)
        yield affine(net.out, (h @ C + net.D * x_t) * F.silu(z_t))


def mamba2_loop(net, u):
    z, xBC, dt = zip(*(affine(net.new, u_t).split([2 * D, 2 * D + 6, H]) for u_t in u), strict=True)
    h = [0] * H
    for z_t, xBC_t, dt_t in zip(z, short(net.short, xBC), dt, strict=True):
        (x_t, B, C), dt_t = F.silu(xBC_t).split([2 * D, 3, 3]), F.softplus(dt_t + net.dt_bias)
        y = []
        for i, x_i in enumerate(x_t.chunk(H)):
            h[i] = torch.exp(-dt_t[i] * net.A_log[i].exp()) * h[i] + dt_t[i] * torch.outer(x_i, B)
            y.append(h[i] @ C + net.D[i] * x_i)
        yield affine(net.out, rms_normed(net.norm, torch.cat(y) * F.silu(z_t)))  # gate, then norm


def linear_attention_loop(net, u):
    def head(q, k, v):
        def phi(z):
            return torch.where(z > 0, z + 1, z.exp())

        S, n = torch.zeros(P, P), torch.zeros(P)
        for q_t, k_t, v_t in zip(q, k, v, strict=True):
            S, n = S + torch.outer(phi(k_t), v_t), n + phi(k_t)
            yield phi(q_t) @ S / (phi(q_t) @ n)

    q, k, v = zip(*(affine(net.qkv, u_t).chunk(3) for u_t in u), strict=True)
    return [affine(net.out, y) for y in by_head(head, q, k, v)]


def deltanet_loop(net, u):
    def head(q, k, v, beta):
        S = torch.zeros(P, P)
        for q_t, k_t, v_t, b in zip(q, k, v, beta, strict=True):
            S = S + torch.outer(F.normalize(k_t, dim=0), b * (v_t - F.normalize(k_t, dim=0) @ S))
            yield rms_normed(net.norm, F.normalize(q_t, dim=0) @ S)

    qkv = short(net.short, [affine(net.qkv, u_t) for u_t in u])
    q, k, v = zip(*(F.silu(part).chunk(3) for part in qkv), strict=True)
    beta = [torch.sigmoid(affine(net.beta, u_t)) for u_t in u]
    return [affine(net.out, y) for y in by_head(head, q, k, v, beta)]


def xlstm_loop(net, u):
    def head(q, k, v, write, keep):
        C, n = torch.zeros(P, P), torch.zeros(P)
        for q_t, k_t, v_t, i, f in zip(q, k, v, write, keep, strict=True):
            i, f, k_t = i.exp(), torch.sigmoid(f), k_t / P**0.5
            C, n = f * C + i * torch.outer(k_t, v_t), f * n + i * k_t
            yield rms_normed(net.norm, q_t @ C / max(abs(q_t @ n), 1))

    q, k, v = zip(*(affine(net.qkv, u_t).chunk(3) for u_t in u), strict=True)
    write, keep = zip(*(affine(net.gates, u_t).chunk(2) for u_t in u), strict=True)
    y = by_head(head, q, k, v, write, keep)
    shown = [torch.sigmoid(affine(net.show, u_t)) for u_t in u]
    return [affine(net.out, y_t * show) for y_t, show in zip(y, shown, strict=True)]


def rwkv7_loop(net, u):
    def head(r, w, k, v, a):
        S = torch.zeros(P, P)
        for r_t, w_t, k_t, v_t, a_t in zip(r, w, k, v, a, strict=True):
            w_t, a_t, c = (
                torch.exp(-math.exp(-0.5) * torch.sigmoid(w_t)), torch.sigmoid(a_t), F.normalize(k_t, dim=0),
            )  # fmt: skip
            S = S @ (torch.diag(w_t) - torch.outer(c, c * a_t)) + torch.outer(v_t, k_t)
            yield normed(net.norm, S @ r_t)

    before = [0 * u[0], *u[:-1]]
    *five, gate = (
        [affine(to, u_t + blend[0, 0] * (old - u_t)) for u_t, old in zip(u, before, strict=True)]
        for to, blend in zip(net.six, net.blend, strict=True)
    )
    y = by_head(head, *five)
    return [affine(net.out, y_t * torch.sigmoid(g_t)) for y_t, g_t in zip(y, gate, strict=True)]


LAYERS = {
    "GRU": (lambda: recurrent.GRU(D), gru_loop), "minGRU": (lambda: recurrent.MinGRU(D), mingru_loop),
    "stack of minGRU": (lambda: Stack([recurrent.MinGRU(D), recurrent.MinGRU(D)], D, "all", 2), stack_loop),
    "encoder–decoder": (lambda: encoder_decoder.EncoderDecoder(D, 1, False), seq2seq_loop),
    "encoder–decoder, attention": (lambda: encoder_decoder.EncoderDecoder(D, 1, True), seq2seq_loop),
    "CNN": (lambda: causal_cnn.CausalCNN(D, 3, "all"), cnn_loop), "S4": (lambda: s4.S4(D, 3, "lin"), s4_loop),
    "S4, HiPPO": (lambda: s4.S4(D, 3, "legs"), s4_loop), "H3": (lambda: s4.H3(D, 3, 4), h3_loop),
    "Mamba": (lambda: mamba.Mamba(D, 2 * D, 3), mamba_loop),
    "Mamba-2": (lambda: mamba.Mamba2(D, 2 * D, 3, H), mamba2_loop),
    "linear attention": (lambda: linear_attention.LinearAttention(D, H), linear_attention_loop),
    "DeltaNet": (lambda: deltanet.DeltaNet(D, H), deltanet_loop), "xLSTM": (lambda: xlstm.MatrixLSTM(D, H), xlstm_loop),
    "RWKV-7": (lambda: deltanet.RWKV7(D, H), rwkv7_loop),
}  # fmt: skip
BLOCKS = {
    "pre-norm": ({}, block("gelu", "none", causal=False)),
    "post-norm": ({"where": "post"}, block("gelu", "none", causal=False, where="post")),
    "decoder": ({"causal": True, "position": "rope"}, block("gelu", "rope")),
    "LaMDA block, both sides": ({"feed": "geglu", "position": "t5"}, block("geglu", "t5", causal=False)),
    "PaLM block": (FAMILIES["PaLM block"], block("swiglu", "rope", parallel=True)),
    "LaMDA block": (FAMILIES["LaMDA block"], block("geglu", "t5")),
    "LLaMA block": (FAMILIES["LLaMA block"], block("swiglu", "rope", norm=rms_normed)),
}
for name, (config, loop) in BLOCKS.items():
    config = TransformerConfig(heads=H, **config) if isinstance(config, dict) else config
    LAYERS[name] = (lambda config=config: Block(config, D), loop)


def ours(net: nn.Module, u: Tensor) -> Tensor:
    if isinstance(net, recurrent.GRU):
        return unroll(net, u)
    if isinstance(net, Block):
        return net(u, EPOCHS[None], None)
    return net(u, EPOCHS[None], None).states if hasattr(net, "hands") or hasattr(net, "encoder") else net(u)


IN_PYTHONS_NUMBERS = ("S4", "S4, HiPPO", "H3", "decoder", "PaLM block", "LLaMA block")


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_is_the_loop_of_its_definition(name):
    """Also in its gradients, where the loop computes them: a layer that cuts one trains, and learns less."""
    make, loop = LAYERS[name]
    torch.manual_seed(0)
    net = make().double().requires_grad_(name not in IN_PYTHONS_NUMBERS)
    with torch.no_grad():
        for weight in net.parameters():  # also those that begin at nought or one
            weight.add_(0.3 * torch.randn_like(weight))
    u = 1.5 * torch.randn(1, T, D, dtype=torch.float64)
    torch.set_default_dtype(torch.float64)
    try:
        wanted = torch.stack(list(loop(net, list(u[0]))))
    finally:
        torch.set_default_dtype(torch.float32)
    found, weights = ours(net, u)[0], list(net.parameters())
    near = 1e-5 if "block" in name or name == "decoder" else 1e-9
    assert torch.allclose(found, wanted, atol=near)
    if name in IN_PYTHONS_NUMBERS:
        return
    gradients = (torch.autograd.grad(out.sin().sum(), weights) for out in (found, wanted))
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, atol=1e3 * near)
