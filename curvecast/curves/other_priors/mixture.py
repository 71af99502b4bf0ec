"""A mixture of priors: each curve comes from one of them, drawn by its weight.

Shapes: n curves, T epochs, P priors.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from curvecast.curves.draw import Draw, Generator
from curvecast.curves.prior import Curves
from curvecast.ground.errors import demand


@dataclass(frozen=True)
class Mixture:
    priors: tuple[Any, ...]  # of one length
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        alike = len(self.priors) == len(self.weights) > 0
        demand(
            alike,
            f"a mixture of {len(self.priors)} priors has {len(self.weights)} weights: give each its own",
        )
        total = math.fsum(self.weights)
        rule = f"the weights {self.weights} of a mixture sum to {total:g}: they must sum to 1, and none is negative"
        demand(min(self.weights) >= 0 and abs(total - 1) < 1e-6, rule)
        lengths = {prior.length for prior in self.priors}
        demand(
            len(lengths) == 1,
            f"the priors of a mixture have curves of {sorted(lengths)} epochs: take one length",
        )

    @property
    def length(self) -> int:
        return int(self.priors[0].length)

    def behaviour(self) -> dict[str, int]:
        return {name: number for prior in self.priors for name, number in prior.behaviour().items()}

    def numbers(self, n: int, generator: Generator) -> Tensor:
        """Which prior each curve comes from, (n,): the first that a generator draws."""
        level = Draw(generator).uniform(0, 1, n)
        ends = torch.tensor(self.weights, dtype=level.dtype, device=level.device).cumsum(0)  # (P,)
        return torch.searchsorted(ends, level, right=True).clamp(max=len(self.priors) - 1)

    def sample(self, n: int, generator: Generator) -> Curves:
        return self.labelled(n, generator)[1]

    def labelled(self, n: int, generator: Generator) -> tuple[Tensor, Curves]:
        """-> the number of each curve's prior, and the curves"""
        which = self.numbers(n, generator)
        counts = which.bincount(minlength=len(self.priors)).tolist()
        some = [
            prior.sample(count, generator) for prior, count in zip(self.priors, counts, strict=True) if count
        ]
        back = which.argsort(stable=True).argsort()  # the place of each curve among those sorted by prior
        return which, Curves(*(torch.cat(parts)[back] for parts in zip(*some, strict=True)))
