"""Encodings that act on attention scores: they depend on the distance between two tokens, not on their positions.

Shapes: B = curves, Q = tokens that read, T = tokens that are read, H = heads, d = width of the network.
"""

import math

import torch
from torch import Tensor, nn


class RoPE(nn.Module):
    """Each pair of columns of queries and keys is rotated by an angle proportional to the epoch.

    <R_m q, R_n k> = <q, R_(n-m) k>: the score depends only on the difference. Values are not rotated.
    """

    def __init__(self, head_width: int, base: float = 10_000.0):
        super().__init__()
        self.frequency: Tensor
        self.register_buffer("frequency", frequencies(head_width, base), persistent=False)

    def rotate(self, heads: Tensor, x: Tensor) -> Tensor:
        angle = x[:, None, :, None] * self.frequency  # (B, 1, T, d/H/2)
        cos, sin = angle.cos(), angle.sin()
        a, b = heads[..., 0::2], heads[..., 1::2]  # (B, H, T, d/H/2)
        return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)  # (B, H, T, d/H)


class ALiBi(nn.Module):
    """A fixed penalty of m_h for each epoch between two tokens, m_h = 2^(-8h/H).

    Published for text, where tokens attend only to earlier ones; here observed points also attend to later ones, at the
    same penalty.
    """

    def __init__(self, heads: int):
        super().__init__()
        self.slope: Tensor
        slopes = 2 ** (-8 * torch.arange(1, heads + 1) / heads)
        self.register_buffer("slope", slopes, persistent=False)

    def bias(self, x_query: Tensor, x_context: Tensor) -> Tensor:
        return -self.slope[:, None, None] * signed_distance(x_query, x_context).abs()  # (B, H, Q, T)


class T5Bias(nn.Module):
    """A learned number for each range of distances and head: 8 single distances, then 8 ranges, on either side."""

    def __init__(self, heads: int, buckets: int = 32, farthest: int = 128):
        super().__init__()
        self.side, self.farthest = buckets // 2, farthest
        self.table = nn.Parameter(torch.zeros(buckets, heads))

    def bucket(self, distance: Tensor) -> Tensor:
        """Ranges widen in proportion to the distance; all distances beyond the farthest share one."""
        single = self.side // 2
        far = distance.abs().round().clamp(min=1)
        fraction = (far / single).log() / math.log(self.farthest / single)
        ranged = (single + fraction * (self.side - single)).long().clamp(max=self.side - 1)
        place = torch.where(far < single, distance.abs().round().long(), ranged)
        return place + self.side * (distance > 0)

    def bias(self, x_query: Tensor, x_context: Tensor) -> Tensor:
        bucket = self.bucket(signed_distance(x_query, x_context)[:, 0])  # (B, Q, T)
        return nn.functional.embedding(bucket, self.table).permute(0, 3, 1, 2)  # (B, H, Q, T)


class Shaw(nn.Module):
    """A learned number for each distance up to the reach, and one for all beyond, on either side.

    Shaw, Uszkoreit and Vaswani learn a vector for each distance instead: its product with the query enters the score, which
    thus depends on the content of the query, and another vector is added to the value. A number can do neither.
    """

    def __init__(self, heads: int, reach: int = 16):
        super().__init__()
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(2 * reach + 1, heads))

    def bias(self, x_query: Tensor, x_context: Tensor) -> Tensor:
        distance = signed_distance(x_query, x_context)[:, 0].round().long()  # (B, Q, T)
        row = distance.clamp(-self.reach, self.reach) + self.reach
        return nn.functional.embedding(row, self.table).permute(0, 3, 1, 2)  # (B, H, Q, T)


def frequencies(width: int, base: float) -> Tensor:
    """1 / n^(2i/d), from 1 down to almost 1/n.  -> (d/2,)"""
    return base ** -(torch.arange(0, width, 2) / width)


def signed_distance(x_query: Tensor, x_context: Tensor) -> Tensor:
    """Epoch of the token that is read minus epoch of the reader.  -> (B, 1, Q, T)"""
    return x_context[:, None, None, :] - x_query[:, None, :, None]
