"""Positional encodings by name: ways to give a network the position of a point in its curve.

    net = PFN(ModelConfig(), borders, make(EncodingConfig("rope"), width=128, heads=4))

LC-PFN itself uses none of them: it feeds the epoch as a number, which is `raw` here. First come those that are added to a
token: each epoch has a vector that does not depend on the other points. Those that act on attention scores are in
relative.py. All take epochs x = 1, 2, ..., as the network does; k = x - 1 is the distance to the start.

An encoding works by epoch or by index. Both are equal if no epoch is missing. To encode the index where epochs are
missing, pass `by_index(...)` instead of the epochs.

Shapes: B = curves, T = points, d = width, H = heads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.errors import UserError, demand
from curvecast.networks.inputs import SD
from curvecast.networks.relative import ALiBi, RoPE, Shaw, T5Bias, frequencies


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
    return ENCODINGS[config.name](config, width, heads)


def by_index(schedule: Tensor, x: Tensor) -> Tensor:
    """Epochs x (B, T) as indices 1, 2, ... in the schedule (B, S) of all epochs that are ever logged."""
    index = torch.searchsorted(schedule.contiguous(), x.contiguous())  # (B, T), from 0
    known = schedule.gather(1, index.clamp(max=schedule.shape[1] - 1)) == x
    demand(known.all(), "an epoch that is not in the schedule has no index: name all epochs, sorted")
    return index.to(x.dtype) + 1
