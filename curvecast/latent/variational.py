"""A variational autoencoder of whole curves: a code that is a normal, and a decoder with a noise level.

    loss = beta * KL(q(h|x) || standard normal) - log p(x|h) per curve,  h drawn from q(h|x)

With beta = 1 it is minus the ELBO, a lower bound of the log evidence. A larger beta buys a shorter code with a larger
error: the rate, against the distortion.

Shapes: n = curves, T = epochs, k = numbers of a code, S = samples.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from curvecast.latent.autoencoder import layers
from curvecast.latent.fit import OnCoordinates
from curvecast.latent.gaussian import Normal, importance_weighted, standard
from curvecast.latent.principal import Principal


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
