"""Positional encodings by name: ways to give a network the position of a point in its curve.

    net = PFN(ModelConfig(), borders, make(EncodingConfig("rope"), width=128, heads=4))

LC-PFN itself uses none of them: it feeds the epoch as a number, which is `raw` here. Encodings that are added to a token
are in added.py, those that act on attention scores in relative.py. All take epochs x = 1, 2, ..., as the network does.

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
from curvecast.networks.added import Euclidean, Learned, LogEpoch, RawEpoch, Scrambled, SinCos
from curvecast.networks.relative import ALiBi, RoPE, Shaw, T5Bias


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
    if config.base <= 1 or config.length < 1 or config.reach < 1:
        raise UserError(f"{config} is not possible: take a base above 1, a length and a reach of at least 1")
    if config.name == "scrambled-described" and config.length % 2:
        raise UserError(f"scrambled-described pairs its rows: length {config.length} must be even")
    return ENCODINGS[config.name](config, width, heads)


def by_index(schedule: Tensor, x: Tensor) -> Tensor:
    """Epochs x (B, T) as indices 1, 2, ... in the schedule (B, S) of all epochs that are ever logged."""
    index = torch.searchsorted(schedule.contiguous(), x.contiguous())  # (B, T), from 0
    known = schedule.gather(1, index.clamp(max=schedule.shape[1] - 1)) == x
    demand(known.all(), "an epoch that is not in the schedule has no index: name all epochs, sorted")
    return index.to(x.dtype) + 1
