"""What these priors say of a later value, in closed form: a mixture of Gaussians, for each query.

Shapes: n or B = curves, T = epochs, T' = observed points, Q = queries, K = components, G = places of a grid,
N = known curves.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.prior import Curves, PriorConfig, passes
from curvecast.curves.prior import sample as sample_of
from curvecast.ground.errors import UserError

REACH = 7  # standard deviations beyond the outermost component: what lies further out has a mass of 1e-12


@dataclass(frozen=True)
class Predictive:
    log_weights: Tensor  # (B, Q, K), or what broadcasts to it; as scales
    means: Tensor  # (B, Q, K)
    scales: Tensor

    def whole(self) -> "Predictive":
        """With nothing left to broadcast."""
        parts = self.log_weights, self.means, self.scales
        return Predictive(*(part.expand(self.means.shape) for part in parts))

    def log_density(self, y: Tensor) -> Tensor:
        """Of one value for each query (B, Q), or of several (B, Q, G).  -> as y"""
        alone = y.ndim < self.means.ndim
        y = y[..., None] if alone else y  # (B, Q, G)
        parts = self.log_weights, self.means, self.scales
        log_weights, means, scales = (part[..., None, :] for part in parts)  # (B, Q, 1, K)
        found = (log_weights + log_normal((y[..., None] - means) / scales, scales)).logsumexp(-1)
        return found[..., 0] if alone else found

    def grid(self, places: int) -> Tensor:
        """For each query so many values y at equal distances, which hold nearly all of its mass.  -> (B, Q, G)"""
        low = (self.means - REACH * self.scales).amin(-1, keepdim=True)
        high = (self.means + REACH * self.scales).amax(-1, keepdim=True)
        return low + (high - low) * torch.linspace(0, 1, places, dtype=low.dtype, device=low.device)


def log_normal(z: Tensor, scale: Tensor) -> Tensor:
    """The log density of a Gaussian at z standard deviations from its mean."""
    return -z.square() / 2 - scale.log() - math.log(2 * math.pi) / 2


def divergence(log_p: Tensor, log_q: Tensor, grid: Tensor) -> Tensor:
    """KL(p || q) in nats, by the trapezoidal rule over a grid (B, Q, G) of equal distances.  -> (B, Q)"""
    step = grid[..., 1] - grid[..., 0]
    return (log_p.exp() * (log_p - log_q)).sum(-1) * step  # at both ends p is nothing


# -----------------------------------------------------------------------------------------------------------
# The paper's condition on a clean curve, for any family: 0 <= f <= 1 at each epoch, and the last value above the first.
#
# Whoever changes which curves come of the same generator raises BEHAVIOUR in the three priors that are built on this file:
# basis_curves.py, random_network.py, causal_graph.py.

AT_ONCE = 1 << 13  # proposals, at most
PATIENCE = 100  # rounds without a single accepted curve

# so many proposals, of which some, by their numbers (m,), are asked at some epochs (T,) -> (m, T)
Propose = Callable[[int], Callable[[Tensor, Tensor], Tensor]]


def accepted(
    name: str, propose: Propose, n: int, length: int, draw: Draw, noise: tuple[float, float]
) -> Curves:
    """n curves that meet the condition, and noise with a log-normal scale, as in the paper."""
    x = torch.arange(1.0, length + 1, device=draw.normal(0, 1, 1).device)
    few = sorted({0, 1, 4, length // 3, length - 1} & set(range(length)))  # at which most fail
    kept: list[Tensor] = []
    rounds = proposed = there = 0
    while there < n:
        rate = max(there / proposed, 1e-2) if proposed else 0.2
        size = min(int(1.1 * (n - there) / rate) + 32, AT_ONCE)
        f, every = propose(size), torch.arange(size, device=x.device)
        hopeful = passes(f(x[few], every)).nonzero()[:, 0]
        curves = f(x, hopeful)
        kept.append(curves[passes(curves)])
        rounds, proposed, there = rounds + 1, proposed + size, there + len(kept[-1])
        if rounds == PATIENCE and not there:
            raise UserError(
                f"no curve of the prior {name!r} stays in [0, 1] and rises: {proposed} were drawn"
            )
    return with_noise(torch.cat(kept)[:n], draw.normal(*noise, n).exp(), draw)


def with_noise(clean: Tensor, sigma: Tensor, draw: Draw) -> Curves:
    """y = f + sigma eps.  (n, T), (n,)"""
    return Curves(clean, clean + sigma[:, None] * draw.normal(0, 1, *clean.shape).to(clean.dtype), sigma)


# -----------------------------------------------------------------------------------------------------------
# A prior over finitely many known curves: which one it is, is all that is unknown, so Bayes' rule is a sum.

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


@dataclass(frozen=True)
class Finite:
    """So many curves of another prior, drawn once and equally likely, and noise of a known size."""

    curves: int = 64  # N
    sigma: float = 0.05
    of: PriorConfig = PriorConfig()
    seed: int = 0  # of the curves

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
