"""Dilated causal convolutions in time: each layer reaches twice as far into the past.

    u_t = u_t + W2 gelu(W [n_t, n_{t-s}, n_{t-2s}])      n = norm u, s = 1, 2, 4, ...

As `nn.Conv1d` with dilation s and padding in front. Seven layers of three taps reach 254 points back.
With pooling over time, the backbone passes on the mean and the maximum of its features.

Shapes: B = curves, T = points, d = width.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.backbones.stack import Causal, States, earlier, handed, last

TAPS = 3


@dataclass(frozen=True)
class CausalCNNConfig(Causal):
    layers: int = 7
    hands: str = "all"  # or "last", or "pooled": two summaries

    @property
    def label(self) -> str:
        return f"cnn-{self.layers}-{self.hands}"

    def state_size(self, width: int, length: int) -> int:
        reached = sum(min(length, (TAPS - 1) * 2**i) for i in range(self.layers))  # points, over all layers
        return width * reached + (2 * width if self.hands == "pooled" else handed(self.hands, width, length))

    def make(self, width: int) -> "CausalCNN":
        return CausalCNN(width, self.layers, self.hands)


class CausalCNN(nn.Module):
    def __init__(self, width: int, layers: int, hands: str):
        super().__init__()
        self.hands = hands
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.taps = nn.ModuleList(nn.Linear(TAPS * width, width) for _ in range(layers))
        self.points = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        u = tokens
        for i, norm in enumerate(self.norms):
            u = u + self.points[i](F.gelu(self.taps[i](dilated(norm(u), 2**i))))
        h = self.norm(u)
        if self.hands == "pooled":
            return States(pooled(h, seen))
        return States(last(h, seen)) if self.hands == "last" else States(h, seen)


def dilated(n: Tensor, by: int) -> Tensor:
    """The inputs of one convolution: (B, T, d) -> (B, T, 3 d)"""
    return torch.cat([earlier(n, by * i) for i in range(TAPS)], -1)


def pooled(h: Tensor, seen: Tensor | None) -> Tensor:
    """Mean and maximum over the observed points: (B, T, d) -> (B, 2, d)"""
    if seen is None:
        return torch.stack([h.mean(1), h.amax(1)], 1)
    observed = seen[..., None]
    mean = (h * observed).sum(1) / observed.sum(1)
    return torch.stack([mean, h.masked_fill(~observed, -math.inf).amax(1)], 1)
