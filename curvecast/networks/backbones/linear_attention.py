"""Linear attention: without the softmax, sums over the past fit into a state of constant size.

    y_t = phi(q_t) S_t / phi(q_t) z_t        S_t = S_{t-1} + phi(k_t)' v_t,   z_t = z_{t-1} + phi(k_t)'
    Y = (M * phi(Q) phi(K)') V / rows' sums                                   the same, all at once; M: j <= i

phi(x) = elu(x) + 1 is positive, and so are the weights. Nothing is forgotten: S is a plain sum.

Shapes: B = curves, T = points, H = heads, D = width of a head.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.stack import Causal, Stack, handed

CHUNK = 128  # points; a shorter curve is one chunk


@dataclass(frozen=True)
class HeadsConfig(Causal):
    """Of a stack of mixers with heads, whose family has a name."""

    layers: int = 2
    heads: int = 2
    expand: float = 2
    hands: str = "all"

    name: ClassVar[str]
    mixer: ClassVar[type[nn.Module]]

    @property
    def label(self) -> str:
        return f"{self.name}-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        matrices = width * (width // self.heads)
        return self.layers * (matrices + self.beside_matrices(width)) + handed(self.hands, width, length)

    def beside_matrices(self, width: int) -> int:
        """Numbers of a layer's state: the normaliser, or the previous point."""
        return width

    def make(self, width: int) -> Stack:
        if self.heads < 1 or width % self.heads:  # as the width that is nearest in parameters may ask
            raise UserError(f"{self.heads} heads do not divide a width of {width}: take a number that does")
        mixers = [self.mixer(width, self.heads) for _ in range(self.layers)]
        return Stack(mixers, width, self.hands, self.expand)


def heads_of(u: Tensor, heads: int) -> Tensor:
    """(B, T, H D) -> (B, H, T, D)"""
    return u.unflatten(-1, (heads, -1)).transpose(1, 2)


class LinearAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, u: Tensor) -> Tensor:
        q, k, v = (heads_of(part, self.heads) for part in self.qkv(u).chunk(3, -1))
        return self.out(in_chunks(F.elu(q) + 1, F.elu(k) + 1, v, CHUNK).transpose(1, 2).flatten(2))


class LinearAttentionConfig(HeadsConfig):
    name, mixer = "linear", LinearAttention


def parallel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """All points at once, for positive q and k.  (B, H, T, D) three times -> (B, H, T, D)"""
    weights = (q @ k.transpose(-1, -2)).tril()  # (B, H, T, T)
    return weights @ v / weights.sum(-1, keepdim=True)


def recur(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same point by point, with a state (B, H, D, D) and its normaliser (B, H, D)."""
    S, z, outputs = q.new_zeros(*q.shape[:2], k.shape[-1], v.shape[-1]), torch.zeros_like(k[:, :, 0]), []
    for t in range(q.shape[2]):
        S = S + k[:, :, t, :, None] * v[:, :, t, None]
        z = z + k[:, :, t]
        outputs.append(torch.einsum("bhd,bhde->bhe", q[:, :, t], S) / (q[:, :, t] * z).sum(-1, keepdim=True))
    return torch.stack(outputs, 2)


def in_chunks(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
    """All points of a chunk at once; a state carries the earlier chunks."""
    outputs: list[Tensor] = []
    S: Tensor | float = 0.0  # (B, H, D, D)
    z: Tensor | float = 0.0  # (B, H, 1, D)
    for q_c, k_c, v_c in zip(*(part.split(size, 2) for part in (q, k, v)), strict=True):
        weights = (q_c @ k_c.transpose(-1, -2)).tril()  # (B, H, n, n)
        numerator, denominator = weights @ v_c, weights.sum(-1, keepdim=True)
        if isinstance(S, Tensor):
            numerator = numerator + q_c @ S
            denominator = denominator + (q_c * z).sum(-1, keepdim=True)
        outputs.append(numerator / denominator)
        S, z = S + k_c.transpose(-1, -2) @ v_c, z + k_c.sum(2, keepdim=True)
    return torch.cat(outputs, 2)
