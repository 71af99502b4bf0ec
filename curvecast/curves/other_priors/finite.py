"""A prior over finitely many known curves: which one it is, is all that is unknown, so Bayes' rule is a sum.

Shapes: n or B = curves, N = known curves, T = epochs, T' = observed points, Q = queries.
"""

import functools
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from curvecast.curves.draw import Draw, Generator
from curvecast.curves.other_priors.exact_predictive import Predictive, log_normal
from curvecast.curves.prior import Curves, PriorConfig
from curvecast.curves.prior import sample as sample_of
from curvecast.ground.errors import demand

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


@dataclass(frozen=True)
class Finite:
    """So many curves of another prior, drawn once and equally likely, and noise of a known size."""

    curves: int = 64  # N
    sigma: float = 0.05
    of: PriorConfig = PriorConfig()
    seed: int = 0  # of the curves

    def __post_init__(self) -> None:
        told = f"Finite.curves is {self.curves}: a prior without curves has nothing to draw from"
        demand(self.curves >= 1, told)
        demand(self.sigma > 0, f"Finite.sigma is {self.sigma}: the noise must be above 0")

    @property
    def length(self) -> int:
        return self.of.length

    def sample(self, n: int, generator: Generator) -> Curves:
        which = Draw(generator).uniform(0, self.curves, n).long().clamp(max=self.curves - 1)  # (n,)
        noise = Draw(generator).normal(0, self.sigma, n, self.length)  # (n, T)
        clean = known(self).to(noise)[which]
        return Curves(clean, clean + noise, torch.full_like(noise[:, 0], self.sigma))

    def behaviour(self) -> dict[str, int]:
        return {"finite": BEHAVIOUR} | self.of.behaviour()

    def log_joint(self, x: Tensor, y: Tensor) -> Tensor:
        """The log of prior times likelihood, of each known curve.  x (T',), y (B, T') -> (B, N)"""
        off = (y[:, None].double() - at(self, x)) / self.sigma  # (B, N, T')
        likelihood = log_normal(off, torch.tensor(self.sigma).double()).sum(-1)
        return likelihood - np.log(self.curves)

    def log_marginal(self, x: Tensor, y: Tensor) -> Tensor:
        """The log density of the observed points under this prior.  -> (B,)"""
        return self.log_joint(x, y).logsumexp(-1)

    def predictive(self, x: Tensor, y: Tensor, x_query: Tensor) -> Predictive:
        """Points of all curves at epochs x (T',), their values y (B, T'), queries (Q,)."""
        log_weights = self.log_joint(x, y).log_softmax(-1)[:, None]  # (B, 1, N)
        means = at(self, x_query).T.expand(len(y), -1, -1)  # (B, Q, N)
        return Predictive(log_weights, means, torch.full_like(means[:1, :1], self.sigma))


@functools.cache
def known(prior: Finite) -> Tensor:
    """The curves themselves, the same on every machine.  (N, T)"""
    return sample_of(prior.of, prior.curves, np.random.default_rng(prior.seed)).clean.double()


def at(prior: Finite, x: Tensor) -> Tensor:
    """The known curves at these epochs.  (Q,) -> (N, Q)"""
    return known(prior)[:, x.long() - 1]
