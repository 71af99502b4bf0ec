"""The endless stream of curves that a training reads, chunk by chunk.

All randomness of step i comes from (seed, i): no two steps share a curve, and a training that was stopped can resume
without a generator state.
"""

import functools
import hashlib
from typing import Any, NamedTuple

import torch
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.counter import Counter
from curvecast.curves.prior import Curves
from curvecast.training.endings import Stock

CHUNK = 4096  # curves that are sampled together: in samples of 32, each curve would cost ten times as much


class Chunk(NamedTuple):
    """So many curves of the stream, the number-th time."""

    prior: Any  # a Prior; PriorConfig where draws are by number or curves exchange endings
    seed: int
    draws: str  # as in TrainConfig
    size: int
    number: int
    device: str

    def numbers(self) -> Tensor:
        return torch.arange(self.number * self.size, (self.number + 1) * self.size, device=self.device)


# two, for trainings that alternate; callers must not change the curves
@functools.lru_cache(maxsize=2)
def curves_of(chunk: Chunk) -> Curves:
    if chunk.draws == "number":
        curves = by_number.sample(chunk.prior, chunk.seed, chunk.numbers())
        return Curves(*(part.float() for part in curves))
    generator = torch.Generator(chunk.device).manual_seed(seed_of(chunk.seed, "curves", chunk.number))
    return chunk.prior.sample(chunk.size, generator)


@functools.lru_cache(maxsize=2)
def stock_of(chunk: Chunk) -> tuple[Stock, Tensor | None]:
    """Of a mixed prior only the paper's curves: the likelihood of the others is unknown."""
    prior, clean = chunk.prior, curves_of(chunk).clean
    if not prior.real:
        return Stock(prior, clean), None
    exchange = ~by_number.follows_laws(prior, Counter(chunk.seed, chunk.numbers()))
    return Stock(prior, clean[exchange]), exchange


def seed_of(seed: int, what: str, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{what}/{number}".encode()).digest()[:4])
