"""xLSTM's matrix memory: the state of linear attention with the gates of an LSTM, one of them exponential.

    C_t = f_t C_{t-1} + i_t k_t' v_t,   n_t = f_t n_{t-1} + i_t k_t'
    y_t = q_t C_t / max(|q_t n_t|, 1)                                  i = exp(.), f = sigmoid(.), one of each per head

Exponential gates overflow, so everything is relative to the largest weight so far, exp(m_t); the 1 becomes exp(-m_t). As a
masked product: D_ij = log f_{j+1} + ... + log f_i + log i_j for j <= i, and m_i is the largest of its row.

Shapes: B = curves, T = points, H = heads, D = width of a head.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.linear_attention import HeadsConfig, heads_of

CHUNK = 128  # points; a shorter curve is one chunk


class MatrixLSTM(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.gates = nn.Linear(width, 2 * heads)  # write, keep
        nn.init.constant_(self.gates.bias[heads:], 3.0)  # forget little at first
        self.show = nn.Linear(width, width)
        self.norm = nn.RMSNorm(width // heads)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        q, k, v = (heads_of(part, self.heads) for part in self.qkv(u).chunk(3, -1))
        write, keep = self.gates(u).transpose(1, 2).chunk(2, 1)  # (B, H, T)
        y = self.norm(in_chunks(q, k, v, write, F.logsigmoid(keep), CHUNK))
        return self.out(y.transpose(1, 2).flatten(2) * self.show(u).sigmoid())


class XLSTMConfig(HeadsConfig):
    name, mixer = "xlstm", MatrixLSTM

    def beside_matrices(self, width: int) -> int:
        return width + self.heads  # n, and m


Memory = tuple[Tensor, Tensor]  # C and n side by side over exp(m), (B, H, D, D + 1), and m (B, H, 1, 1)


def parallel(
    q: Tensor, k: Tensor, v: Tensor, write: Tensor, log_keep: Tensor, before: Memory | None = None
) -> Tensor:
    """(B, H, T, D) three times, logarithms of gates (B, H, T) -> (B, H, T, D)"""
    upto = log_keep.cumsum(-1)
    later = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).triu(1)
    D = (upto[..., :, None] - upto[..., None, :] + write[..., None, :]).masked_fill(later, -math.inf)
    m = D.amax(-1, keepdim=True)  # (B, H, T, 1)
    if before is not None:
        old = upto[..., None] + before[1]
        m = torch.maximum(m, old)
    weights = (q @ k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) * (D - m).exp()
    numerator, denominator = weights @ v, weights.sum(-1, keepdim=True)
    if before is not None:
        read = (old - m).exp() * (q @ before[0])
        numerator, denominator = numerator + read[..., :-1], denominator + read[..., -1:]
    return numerator / torch.maximum(denominator.abs(), (-m).exp())


def memory_after(k: Tensor, v: Tensor, write: Tensor, log_keep: Tensor, before: Memory | None) -> Memory:
    upto = log_keep.cumsum(-1)
    added = (upto[..., -1:] - upto + write)[..., None, :]  # (B, H, 1, T)
    m = added.amax(-1, keepdim=True)
    if before is not None:
        old = upto[..., -1:, None] + before[1]
        m = torch.maximum(m, old)
    keys = k.transpose(-1, -2) / math.sqrt(k.shape[-1]) * (added - m).exp()  # (B, H, D, T)
    memory = keys @ F.pad(v, (0, 1), value=1.0)
    return (memory if before is None else memory + (old - m).exp() * before[0]), m


def in_chunks(q: Tensor, k: Tensor, v: Tensor, write: Tensor, log_keep: Tensor, size: int) -> Tensor:
    """All points of a chunk at once; a memory carries the earlier chunks."""
    outputs: list[Tensor] = []
    memory: Memory | None = None
    for chunk in zip(*(part.split(size, 2) for part in (q, k, v, write, log_keep)), strict=True):
        q_c, k_c, v_c, write_c, keep_c = chunk
        outputs.append(parallel(q_c, k_c, v_c, write_c, keep_c, memory))
        if len(outputs) * size < q.shape[2]:  # another chunk follows
            memory = memory_after(k_c, v_c, write_c, keep_c, memory)
    return torch.cat(outputs, 2)
