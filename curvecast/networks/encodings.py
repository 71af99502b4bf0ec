"""Positional encodings by name: ways to give a network the position of a point in its curve.

    net = PFN(ModelConfig(), borders, make(EncodingConfig("rope"), width=128, heads=4))

LC-PFN itself uses none of them: it feeds the epoch as a number, which is `raw` here. First come those that act on attention
scores: they depend on the distance between two tokens, not on their positions. Then those that are added to a token: each
epoch has a vector that does not depend on the other points. All take epochs x = 1, 2, ..., as the network does.

An encoding works by epoch or by index. Both are equal if no epoch is missing. To encode the index where epochs are
missing, pass `by_index(...)` instead of the epochs.

Shapes: B = curves, Q = tokens that read, T = points, or tokens that are read, d = width, H = heads.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.errors import UserError, demand
from curvecast.networks.inputs import SD


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

    def __init__(self, heads: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(32, heads))

    def bucket(self, distance: Tensor) -> Tensor:
        """Ranges widen in proportion to the distance; all distances from 128 on share one."""
        far = distance.abs().round().clamp(min=1)
        fraction = (far / 8).log() / math.log(128 / 8)
        ranged = (8 + fraction * 8).long().clamp(max=15)
        place = torch.where(far < 8, distance.abs().round().long(), ranged)
        return place + 16 * (distance > 0)

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


# -----------------------------------------------------------------------------------------------------------
# Encodings that are added to a token.


class SinCos(nn.Module):
    """P(k, 2i) = sin(k / n^(2i/d)), P(k, 2i+1) = cos(k / n^(2i/d)), for 0 <= i < d/2."""

    def __init__(self, width: int, base: float = 10_000.0):
        super().__init__()
        self.frequency: Tensor
        self.register_buffer("frequency", frequencies(width, base), persistent=False)

    def embed(self, x: Tensor) -> Tensor:
        angle = (x - 1)[..., None] * self.frequency  # (B, T, d/2)
        return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)  # (B, T, d)


class Learned(nn.Module):
    """A learned table with one row for each epoch; later epochs have no encoding."""

    def __init__(self, width: int, length: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(length, width) * width**-0.5)

    def embed(self, x: Tensor) -> Tensor:
        return self.table[self.row(x)]  # (B, T, d)

    def row(self, x: Tensor) -> Tensor:
        length = len(self.table)
        outside = (x < 1) | (x > length) | (x != x.round())
        if outside.any():
            raise UserError(
                f"a table of {length} rows has none for epoch {x[outside][0].item():g}: make it longer, or take raw, "
                "log, sincos, rope, alibi, t5 or shaw, which need no table of epochs"
            )
        return x.long() - 1


class Scrambled(Learned):
    """The table with its rows permuted anew in each pass, "paired scrambled" in the public code of LC-PFN.

    together=1, as coded: any permutation. together=2, as described: the rows of epochs 1 and 2, 3 and 4, ... stay
    neighbours. All curves of a pass share the permutation.
    """

    def __init__(self, width: int, length: int, together: int):
        super().__init__(width, length)
        self.together = together

    def embed(self, x: Tensor) -> Tensor:
        first = torch.randperm(len(self.table) // self.together) * self.together
        permutation = (first[:, None] + torch.arange(self.together)).flatten()  # (length,)
        return self.table[permutation.to(x.device)[self.row(x)]]  # (B, T, d)


class Euclidean(nn.Module):
    """The distance to the start, sqrt((x - 1)^2), the same in all d columns: LayerNorm removes it completely."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def embed(self, x: Tensor) -> Tensor:
        return (x - 1).square().sqrt()[..., None].expand(*x.shape, self.width)  # (B, T, d)


class RawEpoch(nn.Module):
    """The same distance repaired: scaled, with a weight for each column. This is how LC-PFN itself feeds the epoch."""

    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(1, width)

    def embed(self, x: Tensor) -> Tensor:
        return self.linear(((x / 101 - 0.5) / SD)[..., None])  # (B, T, d)


class LogEpoch(nn.Module):
    """ln x and 1/x, each with a weight for each column: early epochs are resolved better than late ones."""

    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(2, width)

    def embed(self, x: Tensor) -> Tensor:
        return self.linear(torch.stack([x.log() - 3.6, 4 / x - 0.2], -1))  # (B, T, d); 3.6 = mean of ln x


@dataclass(frozen=True)
class EncodingConfig:
    name: str = "none"  # one of ENCODINGS
    length: int = 100  # epochs that a table has rows for
    base: float = 10_000.0  # n of sin-cos and RoPE: free to choose, not the length of the curve
    reach: int = 16  # distances with a weight of their own in Shaw's table, on either side


ENCODINGS: dict[str, Callable[[EncodingConfig, int, int], nn.Module | None]] = {
    "none": lambda c, d, H: None,
    "raw": lambda c, d, H: RawEpoch(d),
    "log": lambda c, d, H: LogEpoch(d),
    "euclidean": lambda c, d, H: Euclidean(d),
    "sincos": lambda c, d, H: SinCos(d, c.base),
    "learned": lambda c, d, H: Learned(d, c.length),
    "scrambled-coded": lambda c, d, H: Scrambled(d, c.length, together=1),
    "scrambled-described": lambda c, d, H: Scrambled(d, c.length, together=2),
    "rope": lambda c, d, H: RoPE(d // H, c.base),
    "alibi": lambda c, d, H: ALiBi(H),
    "t5": lambda c, d, H: T5Bias(H),
    "shaw": lambda c, d, H: Shaw(H, c.reach),
}


def make(config: EncodingConfig, width: int, heads: int = 1) -> Any:
    """The encoding of this name for a network of this width: a module with a method of layer.Encoding; None for "none"."""
    if config.name not in ENCODINGS:
        raise UserError(f"There is no encoding {config.name!r}: take one of {', '.join(ENCODINGS)}")
    if heads < 1 or width < 1 or width % heads:
        raise UserError(f"an encoding of width {width} cannot be shared by {heads} heads: take a multiple")
    way = f"width {width} must be even; raw, log and learned take any"
    demand(config.name != "sincos" or width % 2 == 0, f"sincos pairs its columns: {way}")
    way = f"width / heads = {width // heads} must be even; alibi, t5 and shaw take any"
    demand(config.name != "rope" or (width // heads) % 2 == 0, f"rope turns pairs of columns: {way}")
    return ENCODINGS[config.name](config, width, heads)


def by_index(schedule: Tensor, x: Tensor) -> Tensor:
    """Epochs x (B, T) as indices 1, 2, ... in the schedule (B, S) of all epochs that are ever logged."""
    index = torch.searchsorted(schedule.contiguous(), x.contiguous())  # (B, T), from 0
    known = schedule.gather(1, index.clamp(max=schedule.shape[1] - 1)) == x
    demand(known.all(), "an epoch that is not in the schedule has no index: name all epochs, sorted")
    return index.to(x.dtype) + 1
