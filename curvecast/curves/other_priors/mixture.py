"""A mixture of priors: each curve comes from one of them, drawn by its weight.

Where all priors know the density of observed points, so does the mixture: Bayes' rule weighs prior by likelihood.
Shapes: n or B curves, T epochs, P priors, T' observed points, Q queries.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.other_priors.exact_predictive import Predictive
from curvecast.curves.prior import Curves
from curvecast.ground.errors import demand

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves; at 1, weights are named without it


@dataclass(frozen=True)
class Mixture:
    priors: tuple[Any, ...]  # of one length
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        has = f"a mixture of {len(self.priors)} priors has {len(self.weights)} weights"
        demand(len(self.priors) == len(self.weights) > 0, f"{has}: give each its own")
        total = math.fsum(self.weights)
        rule = f"the weights {self.weights} of a mixture sum to {total:g}: they must sum to 1, and none is negative"
        demand(min(self.weights) >= 0 and abs(total - 1) < 1e-6, rule)
        lengths = {prior.length for prior in self.priors}
        rule = f"the priors of a mixture have curves of {sorted(lengths)} epochs: take one length"
        demand(len(lengths) == 1, rule)

    @property
    def length(self) -> int:
        return int(self.priors[0].length)

    def behaviour(self) -> dict[str, int]:
        own = {"mixture": BEHAVIOUR} if BEHAVIOUR > 1 else {}
        return {name: number for prior in self.priors for name, number in prior.behaviour().items()} | own

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
        there = [pair for pair in zip(self.priors, counts, strict=True) if pair[1]]
        some = [prior.sample(count, generator) for prior, count in there]
        back = which.argsort(stable=True).argsort()  # the place of each curve among those sorted by prior
        return which, Curves(*(torch.cat(parts)[back] for parts in zip(*some, strict=True)))

    # The methods below need priors that have log_marginal and predictive, as exact_predictive.py and gaussian_process.py do.

    def log_likelihoods(self, x: Tensor, y: Tensor) -> Tensor:
        """The log density of the points at epochs x (T',) of curves y (B, T') under each prior.  -> (B, P)"""
        return torch.stack([prior.log_marginal(x, y) for prior in self.priors], 1)

    def log_joint(self, x: Tensor, y: Tensor) -> Tensor:
        """The log of weight times likelihood.  -> (B, P)"""
        return torch.tensor(self.weights).double().log() + self.log_likelihoods(x, y)

    def log_posterior(self, x: Tensor, y: Tensor) -> Tensor:
        """The log of the probability of each prior, given the points.  -> (B, P)"""
        return self.log_joint(x, y).log_softmax(1)

    def log_marginal(self, x: Tensor, y: Tensor) -> Tensor:
        return self.log_joint(x, y).logsumexp(1)  # (B,)

    def predictive(self, x: Tensor, y: Tensor, x_query: Tensor) -> Predictive:
        """The predictives of all priors, weighted by their posterior."""
        posterior = self.log_posterior(x, y)[:, None]  # (B, 1, P)
        own = [prior.predictive(x, y, x_query).whole() for prior in self.priors]
        log_weights = [one.log_weights + posterior[..., [i]] for i, one in enumerate(own)]
        return Predictive(
            torch.cat(log_weights, -1), torch.cat([one.means for one in own], -1),
            torch.cat([one.scales for one in own], -1),
        )  # fmt: skip
