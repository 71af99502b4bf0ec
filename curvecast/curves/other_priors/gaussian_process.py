"""A Gaussian process in the logarithm of the epoch, whose posterior is linear algebra.

Shapes: n or B = curves, T = epochs, T' = observed points, Q = queries.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.other_priors.exact_predictive import Predictive, log_normal
from curvecast.curves.prior import Curves
from curvecast.ground.errors import demand

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


@dataclass(frozen=True)
class GaussianProcess:
    """A mean that rises with u = ln x / ln T, a random level, and a random rise that bends on the scale `smooth` of u."""

    length: int = 100  # T
    first: float = 0.3  # the mean at the first epoch
    last: float = 0.7  # and at the last
    level: float = 0.1  # standard deviation of what all epochs of a curve share
    rise: float = 0.1  # and of what bends
    smooth: float = 0.5  # in units of u: at a larger scale, curves are smoother
    log_sigma_mean: float = -4.0  # of the noise
    log_sigma_sd: float = 0.0  # 0: all curves have the same noise, and the predictive is a formula

    def sample(self, n: int, generator: Generator) -> Curves:
        draw = Draw(generator)
        sigma = draw.normal(self.log_sigma_mean, self.log_sigma_sd, n).exp()  # (n,)
        random = draw.normal(0, 1, n, self.length)  # (n, T)
        clean = mean(self, epochs(self)).to(random) + random @ root(self).to(random).T
        return Curves(clean, clean + sigma[:, None] * draw.normal(0, 1, n, self.length), sigma)

    def behaviour(self) -> dict[str, int]:
        return {"gaussian_process": BEHAVIOUR}

    def log_marginal(self, x: Tensor, y: Tensor) -> Tensor:
        """The log density of points at epochs x (T',) of curves y (B, T').  -> (B,)"""
        seen = observed(self, x, y)
        scales = seen.variances.sqrt()  # (T',)
        return log_normal(seen.values / scales, scales).sum(-1)

    def predictive(self, x: Tensor, y: Tensor, x_query: Tensor) -> Predictive:
        """Points of all curves at epochs x (T',), their values y (B, T'), queries (Q,)."""
        seen = observed(self, x, y)
        across = kernel(self, x_query.double(), x.double()) @ seen.directions  # (Q, T')
        means = mean(self, x_query) + (seen.values / seen.variances) @ across.T  # (B, Q)
        left = kernel(self, x_query.double(), x_query.double()).diagonal()  # (Q,)
        variances = left - across.square() @ (1 / seen.variances) + math.exp(2 * self.log_sigma_mean)  # (Q,)
        alone = torch.zeros(1, 1, 1).double()  # the log weight of a single component
        return Predictive(alone, means[..., None], variances.sqrt()[None, :, None])


class Observed(NamedTuple):
    """The points of curves in the directions in which they vary independently."""

    directions: Tensor  # (T', T') eigenvectors of the kernel of these epochs
    values: Tensor  # (B, T') in these directions, from the mean
    variances: Tensor  # (T',) with noise


def observed(prior: GaussianProcess, x: Tensor, y: Tensor) -> Observed:
    demand(not prior.log_sigma_sd, f"{prior}: the predictive is known only with log_sigma_sd = 0")
    own, directions = torch.linalg.eigh(kernel(prior, x.double(), x.double()))
    values = (y.double() - mean(prior, x)) @ directions
    return Observed(directions, values, own.clamp(min=0) + math.exp(2 * prior.log_sigma_mean))


def epochs(prior: GaussianProcess) -> Tensor:
    return torch.arange(1, prior.length + 1).double()  # (T,)


def in_log_time(prior: GaussianProcess, x: Tensor) -> Tensor:
    """From 0 at the first epoch to 1 at the last."""
    return x.double().log() / math.log(prior.length)


def mean(prior: GaussianProcess, x: Tensor) -> Tensor:
    return prior.first + (prior.last - prior.first) * in_log_time(prior, x)


def kernel(prior: GaussianProcess, x: Tensor, other: Tensor) -> Tensor:
    """The covariance of a curve without noise at two sets of epochs.  (Q,), (T',) -> (Q, T')"""
    apart = (in_log_time(prior, x)[:, None] - in_log_time(prior, other)) / prior.smooth
    return prior.level**2 + prior.rise**2 * (-apart.square() / 2).exp()


@functools.cache
def root(prior: GaussianProcess) -> Tensor:
    """A matrix R with R R' = the kernel of all epochs.  (T, T)"""
    own, directions = torch.linalg.eigh(kernel(prior, epochs(prior), epochs(prior)))
    return directions * own.clamp(min=0).sqrt()
