"""Encodings that are added to a token: each epoch has a vector that does not depend on the other points.

Symbols: x = epoch, 1, 2, ...; k = x - 1 = distance to the start, equal to the index of a point if no epoch is
missing; d = width; n = base; i = number of a pair of columns.
Shapes: B = curves, T = points.
"""

import torch
from torch import Tensor, nn

from curvecast.ground.errors import UserError
from curvecast.networks.inputs import SD


class SinCos(nn.Module):
    """P(k, 2i) = sin(k / n^(2i/d)), P(k, 2i+1) = cos(k / n^(2i/d)), for 0 <= i < d/2."""

    def __init__(self, width: int, base: float = 10_000.0):
        super().__init__()
        self.frequency: Tensor
        self.register_buffer("frequency", frequencies(width, base), persistent=False)

    def embed(self, x: Tensor) -> Tensor:
        angle = (x - 1)[..., None] * self.frequency  # (B, T, d/2)
        return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)  # (B, T, d)


def frequencies(width: int, base: float) -> Tensor:
    """1 / n^(2i/d), from 1 down to almost 1/n.  -> (d/2,)"""
    return base ** -(torch.arange(0, width, 2) / width)


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
