"""A code that is a distribution: independent normals, as an encoder gives them, and what they cost.

    h = mean + sd * noise        the noise is drawn beside the network, so that gradients reach mean and sd
    rate = KL(normal(mean, sd) || prior)        nats that a code takes; its mean bounds what codes know of curves

Shapes: n = curves, k = numbers of a code, S = samples.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

SD = (1e-3, 10.0)  # the range of an encoder's standard deviations
BITS = 1 / math.log(2)  # in a nat


class Normal(NamedTuple):
    mean: Tensor  # (n, k)
    sd: Tensor  # (n, k)

    @classmethod
    def of(cls, numbers: Tensor) -> "Normal":
        """From what an encoder puts out (n, 2 k): means, and logarithms of standard deviations."""
        mean, log_sd = numbers.chunk(2, -1)
        return cls(mean, log_sd.clamp(math.log(SD[0]), math.log(SD[1])).exp())

    def at(self, noise: Tensor) -> Tensor:
        """Standard normal noise (n, k), or (S, 1, k) for several codes of each curve, moved to where it belongs."""
        return self.mean + self.sd * noise

    def log_density(self, code: Tensor) -> Tensor:
        z = (code - self.mean) / self.sd
        return (-z.square() / 2 - self.sd.log() - math.log(2 * math.pi) / 2).sum(-1)

    def rate(self, prior: "Normal | None" = None) -> Tensor:
        """KL to the prior, standard normal by default.  -> (n,)"""
        return self.rate_of_each(prior).sum(-1)

    def rate_of_each(self, prior: "Normal | None" = None) -> Tensor:
        """Number by number.  -> (n, k)"""
        prior = prior or standard(self.mean)
        ratio, shift = self.sd / prior.sd, (self.mean - prior.mean) / prior.sd
        return ratio.square() / 2 + shift.square() / 2 - ratio.log() - 0.5


def standard(like: Tensor) -> Normal:
    return Normal(torch.zeros_like(like), torch.ones_like(like))


def importance_weighted(log_weights: Tensor) -> Tensor:
    """log of the mean weight over samples (S, ...): in expectation a lower bound of the log evidence, tighter with S."""
    return log_weights.logsumexp(0) - math.log(len(log_weights))
