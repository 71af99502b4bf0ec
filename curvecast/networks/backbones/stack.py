"""Blocks one above the other on a residual stream: how points are mixed differs from family to family, the rest does not.

    u = u + mix(norm u)
    u = u + feed(norm u)        where the family has a feed-forward of its own

Shapes: B = curves, T = points, d = width.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.attention import Attention, hidden
from curvecast.networks.backbones.feed_forward import FeedForward
from curvecast.networks.backbones.reader import States, last


class Stack(nn.Module):
    """Of mixers that are causal, (B, T, d) -> (B, T, d): what is padded stands behind and never enters."""

    def __init__(self, mixers: Sequence[nn.Module], width: int, hands: str, expand: float = 0):
        super().__init__()
        self.hands = hands  # "last": a summary; "all": the state after each point
        self.mixers = nn.ModuleList(mixers)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in mixers)
        self.feeds = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), FeedForward("gelu", width, expand)) for _ in mixers if expand
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        u = tokens
        for i, mix in enumerate(self.mixers):
            u = u + mix(self.norms[i](u))
            if self.feeds:
                u = u + self.feeds[i](u)
        h = self.norm(u)
        return States(last(h, seen)) if self.hands == "last" else States(h, seen)


class CausalAttention(nn.Module):
    """A mixer for stacks that have attention among others."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attend = Attention(width, heads)

    def forward(self, u: Tensor) -> Tensor:
        x = torch.arange(u.shape[1], device=u.device).expand(u.shape[:2])
        return self.attend(u, u, x, x, hidden(None, u.shape[1], True, u))


def earlier(u: Tensor, by: int) -> Tensor:
    """Each point's predecessor so many places back, zero before the first: (B, T, d) -> (B, T, d)"""
    return torch.cat([u.new_zeros(len(u), min(by, u.shape[1]), u.shape[2]), u[:, :-by]], 1) if by else u


class ShortConvolution(nn.Module):
    """Each channel by itself: a weighted sum of its last few values."""

    def __init__(self, width: int, length: int):
        super().__init__()
        bound = length**-0.5
        self.weight = nn.Parameter(
            torch.empty(length, 1, width).uniform_(-bound, bound)
        )  # no matrix: three axes

    def forward(self, u: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)"""
        return torch.stack([w * earlier(u, i) for i, w in enumerate(self.weight)]).sum(0)
