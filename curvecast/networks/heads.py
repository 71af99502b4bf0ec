"""From encoded queries to the masses of the K buckets; what a trainable network and its config offer.

Shapes: B = curves, Q = queries, d = width, K = buckets, M = components. Calling a head gives all K logits; `density` has
the same masses in their most compact form, and `log_density` that of given values, which training needs.
"""

import math
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.bars import Bars
from curvecast.networks.mixture import MixtureBars

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other masses, here or in mixture.py

WIDE = 1.0  # scale of the component that a hedge adds

Density = Bars | MixtureBars  # both have the same methods


class BarsHead(nn.Module):
    """The paper's head: one free logit a bucket."""

    def __init__(self, width: int, borders: Tensor):
        super().__init__()
        self.wide = nn.Linear(width, 2 * width)
        self.out = nn.Linear(2 * width, len(borders) - 1)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)

    def forward(self, encoded: Tensor, level: Tensor) -> Tensor:
        return self.out(F.gelu(self.wide(encoded)))  # (B, Q, K)

    def density(self, encoded: Tensor, level: Tensor) -> Bars:
        return Bars(self.borders, self(encoded, level))

    def log_density(self, encoded: Tensor, level: Tensor, y: Tensor) -> Tensor:
        density = self.density(encoded, level)
        return (density if y.ndim == 2 else density[:, :, None]).log_density(y)


class MixtureHead(nn.Module):
    """K bucket masses from M Gaussians, placed relative to the curve's last level.

    Neighbouring buckets then need not be learnt separately, and training computes only the bucket of the target.
    The outer buckets take all of the mixture beyond b_1 and b_{K-1}. A hedge is the weight of one wide component more.
    """

    def __init__(self, width: int, components: int, borders: Tensor, hedge: float = 0.0):
        super().__init__()
        M, self.hedge = components, hedge
        self.wide, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, 3 * M)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)
        with torch.no_grad():  # the components start at different places and scales
            self.out.weight.mul_(0.3)
            starts = [torch.zeros(M), torch.linspace(-0.1, 0.1, M), torch.linspace(-1.5, -4, M)]
            self.out.bias.copy_(torch.cat(starts))

    def mixture(self, encoded: Tensor, level: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """-> log weights, means, scales, each (B, Q, M)"""
        log_w, shift, log_s = _at_least_float32(self.out(F.gelu(self.wide(encoded)))).chunk(3, -1)
        return log_w.log_softmax(-1), level[..., None] + shift, log_s.clamp(-9, 2).exp()

    def density(self, encoded: Tensor, level: Tensor) -> MixtureBars:
        log_w, means, scales = self.mixture(encoded, level)
        if self.hedge:  # around the level: no value is so improbable that one curve outweighs all others
            one = torch.ones_like(log_w[..., :1])
            log_w = torch.cat([log_w + math.log1p(-self.hedge), math.log(self.hedge) * one], -1)
            means = torch.cat([means, level[:, :1, None] * one], -1)
            scales = torch.cat([scales, WIDE * one], -1)
        return MixtureBars(self.borders, log_w, means, scales)

    def forward(self, encoded: Tensor, level: Tensor) -> Tensor:
        return self.density(encoded, level).log_masses()  # (B, Q, K)

    def log_density(self, encoded: Tensor, level: Tensor, y: Tensor) -> Tensor:
        """Of one value for each query (B, Q), or of several (B, Q, S)."""
        density = self.density(encoded, level)
        broadcast = density if y.ndim == 2 else density[:, :, None]
        return broadcast.log_density(y, floor=not self.training)  # a floor has no gradient


class SpreadHead(MixtureHead):
    """Half of the components are placed in units of the curve's own spread, the others as in MixtureHead."""

    def __init__(self, width: int, components: int, borders: Tensor, hedge: float = 0.0):
        super().__init__(width, components, borders, hedge)
        M, self.scaled = components, components // 2
        with torch.no_grad():
            self.out.bias[M : M + self.scaled] = torch.linspace(-0.5, 0.5, self.scaled)
            self.out.bias[2 * M : 2 * M + self.scaled] = torch.linspace(1.5, -1, self.scaled)

    def mixture(self, encoded: Tensor, stand: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        level, spread = stand.split(1, dim=1)
        log_w, shift, log_s = _at_least_float32(self.out(F.gelu(self.wide(encoded)))).chunk(3, -1)
        units = [spread.expand(-1, self.scaled), torch.ones_like(shift[:, 0, self.scaled :])]
        unit = torch.cat(units, 1)[:, None]  # (B, 1, M)
        scales = (unit * log_s.clamp(-9, 4).exp()).clamp(4e-5, 8)  # (B, Q, M)
        return log_w.log_softmax(-1), level[..., None] + (unit * shift).clamp(-3, 3), scales


class Answers(nn.Module):
    """A network that reads a curve, and whose head answers for any later epoch."""

    head: Any  # one of those above

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """-> encoded queries (B, Q, d), and the current level (B, 1), or level and spread (B, 2), of the curve."""
        raise NotImplementedError

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> logits (B, Q, K)."""
        return self.head(*self.read(x, y, x_query, mask))

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """The log density of y_query (B, Q) under `forward` and Bars, without computing all K logits if possible."""
        return self.head.log_density(*self.read(x, y, x_query, mask), y_query)

    @torch.inference_mode()
    def density(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Density:
        """The forecast: a density for each query (B, Q), in its most compact form."""
        return self.head.density(*self.read(x, y, x_query, mask))


def _at_least_float32(values: Tensor) -> Tensor:
    """Half precision is for matrix products, not for densities."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


# -----------------------------------------------------------------------------------------------------------
# The interface of a trainable network: it answers queries about a curve.
#
# A family of networks is one file: a config, which is a small frozen dataclass, and the network that the config makes.
# In a TrainConfig it is treated like a PFN: cache, checkpoints, its own job.
#
#     trained(TrainConfig(model=MyConfig(width=64), curves=16_000))


class Network(Protocol):
    """An nn.Module with these. Muon trains the matrices below `layers`, if there are any, Adam the other parameters."""

    borders: Tensor  # (K + 1,) of the buckets, a buffer: stored with the weights
    random_stream: str  # a name for the random numbers that a step draws, "dropout" say; "" if it draws none

    def __call__(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> logits (B, Q, K)."""

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of the hidden values y_query (B, Q), or (B, Q, S) if a training has a stock: for the loss.  -> as y_query"""


class NetworkConfig(Protocol):
    """A frozen dataclass with these."""

    @property
    def label(self) -> str:
        """Family and size, for the name of the weights: "gru-2x64"."""

    def behaviour(self) -> dict[str, int]:
        """The BEHAVIOUR of each file that determines the output for given weights: {"gru": 1}."""

    def network(self, borders: Tensor) -> Any:
        """A Network whose weights are drawn by torch's global generator."""


def parameters(config: NetworkConfig) -> int:
    # whose weights nobody keeps; on torch's device `meta` none would be drawn, but torch imports its compiler for it
    with torch.random.fork_rng(devices=()):
        return sum(p.numel() for p in config.network(torch.zeros(2)).parameters())
