"""A variational autoencoder of whole curves: a code that is a normal, and a decoder with a noise level.

    loss = beta * KL(q(h|x) || standard normal) - log p(x|h) per curve,  h drawn from q(h|x)

With beta = 1 it is minus the ELBO, a lower bound of the log evidence. A larger beta buys a shorter code with a larger
error: the rate, against the distortion.

Shapes: n = curves, T = epochs, k = numbers of a code, S = samples.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.latent.autoencoder import layers
from curvecast.latent.fit import OnCoordinates, Principal

SD = (1e-3, 10.0)  # the range of an encoder's standard deviations
BITS = 1 / math.log(2)  # in a nat


class Normal(NamedTuple):
    """A code that is a distribution: independent normals, as an encoder gives them, and what they cost.

    h = mean + sd * noise        the noise is drawn beside the network, so that gradients reach mean and sd
    rate = KL(normal(mean, sd) || prior)        nats that a code takes; its mean bounds what codes know of curves
    """

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


# -----------------------------------------------------------------------------------------------------------
# The autoencoder.


@dataclass(frozen=True)
class VariationalConfig:
    code: int = 6  # k
    width: int = 96
    beta: float = 1.0

    def network(self, basis: Principal) -> "Variational":
        return Variational(self, basis)


class Variational(OnCoordinates):
    def __init__(self, config: VariationalConfig, basis: Principal):
        super().__init__(basis)
        r, w = len(basis.directions), config.width
        self.config = config
        self.encoder, self.decoder = layers(2 * r, w, w, 2 * config.code), layers(config.code, w, w, r + 1)

    def posterior(self, x: Tensor) -> Normal:
        z = self.coordinates(x) / self.spread[0]
        both = torch.cat([z, torch.asinh(30 * z)], -1)  # asinh: small ones count
        return Normal.of(self.encoder(both))  # (n, k)

    def encode(self, x: Tensor) -> Tensor:
        return self.posterior(x).mean

    def decode(self, code: Tensor) -> Tensor:
        return self.likelihood(code).mean

    def likelihood(self, code: Tensor) -> Normal:
        """Of a curve, given its code: its mean, and one noise level for all epochs."""
        c, log_sd = self.decoder(code).split([len(self.directions), 1], -1)
        mean = self.curve(self.spread[0] * c)
        return Normal(mean, (log_sd - 4).clamp(-9, 1).exp().expand_as(mean))

    def elbo(self, x: Tensor, noise: Tensor, beta: float = 1.0) -> Tensor:
        """Of each curve, in nats, with one code for each noise (n, k) or (S, 1, k).  -> (n,) or (S, n)"""
        posterior = self.posterior(x)
        return self.likelihood(posterior.at(noise)).log_density(x) - beta * posterior.rate()

    def evidence(self, x: Tensor, noise: Tensor) -> Tensor:
        """The importance-weighted bound of the log evidence, for noise (S, 1, k).  -> (n,)"""
        posterior = self.posterior(x)
        code = posterior.at(noise)
        log_p = self.likelihood(code).log_density(x)
        return importance_weighted(log_p + standard(code).log_density(code) - posterior.log_density(code))

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        """Minus the ELBO per point of x; a target beside x plays no part."""
        noise = torch.randn(len(x), self.config.code, dtype=x.dtype)
        return -self.elbo(x, noise, self.config.beta).mean() / self.epochs
