"""Many passes of one network, each through another map of the values, and the average of their densities.

TabPFN forecasts by 32 passes over copies of a table, half of them through a power transformation. Here a copy is a curve that
is bent by such a transformation (Yeo and Johnson's) with probability one half, and then moved to a part of 0 .. 1. A network
is shown T(y) in place of y, and its density is mapped back. Each curve and pass has a rising map of its own, drawn without a
look at the curve.
Shapes: B = curves with T observed points, Q = queries, M = passes.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import torch
from torch import Generator, Tensor

from curvecast.training.train import Forecaster

Asked = tuple[Tensor, Tensor, Tensor, Tensor]  # x and y (B, T) of beginnings, x and y (B, Q) of later points


@dataclass(frozen=True)
class Maps:
    """How strong they are was chosen on other curves."""

    edge: float = 0.2  # 0 and 1 are moved to places at most so far inside 0 .. 1; 0: nothing is moved
    power: float = 0.9  # the exponent is drawn from 1 - power to 1 + power, power below 1; 0: nothing is bent
    bent: float = 0.5  # probability of a power transformation
    unit: float = 0.25  # of the value, as the transformation sees it: the smaller, the more it bends near 0

    def drawn(self, curves: int, chance: Generator) -> "Map":
        """A map for each curve."""
        low, high, power, bent = torch.rand(4, curves, 1, generator=chance)
        exponent = torch.where(bent < self.bent, 1 + self.power * (2 * power - 1), 1.0)
        return Map(self.edge * low, 1 - self.edge * high, exponent, self.unit)


class Map(NamedTuple):
    """T(y) = low + (high - low) bend(y), where bend leaves 0 and 1 in place."""

    low: Tensor  # (B, 1)
    high: Tensor  # (B, 1)
    exponent: Tensor  # (B, 1), 1 where nothing is bent
    unit: float

    def __call__(self, y: Tensor) -> Tensor:  # (B, Q) -> (B, Q)
        return self.low + (self.high - self.low) * self._power(y) / self._power(torch.ones(1))

    def log_slope(self, y: Tensor) -> Tensor:  # (B, Q) -> (B, Q)
        bend = (self.exponent - 1) * y.sign() * (y.abs() / self.unit).log1p()
        return bend + ((self.high - self.low) / self._power(torch.ones(1)) / self.unit).log()

    def _power(self, y: Tensor) -> Tensor:
        """Yeo and Johnson's transformation of y in units; its slope at 0 is that of y in units."""
        exponent = torch.where(y >= 0, self.exponent, 2 - self.exponent)
        return y.sign() * torch.expm1(exponent * (y.abs() / self.unit).log1p()) / exponent


@torch.inference_mode()
def passes(forecaster: Forecaster, asked: Asked, maps: list[Map]) -> Tensor:
    """The log density of the true values: seen as they are, then through each map.  -> (M, B, Q)"""
    (x, y, x_query, y_query), density = asked, forecaster.model.density
    found = [density(x, y, x_query).log_density(y_query)]
    found += [density(x, by(y), x_query).log_density(by(y_query)) + by.log_slope(y_query) for by in maps]
    return torch.stack(found)


def together(log_density: Tensor) -> Tensor:
    """Of the mean of the densities of all passes.  (M, B, Q) -> (B, Q)"""
    return log_density.logsumexp(0) - math.log(len(log_density))


def ahead_of(cutoff: int, y: Tensor, points: int) -> Tensor:
    """The places of later points of curves (B, L), spread evenly.  -> (Q,)"""
    return torch.linspace(cutoff, y.shape[1] - 1, points).round().long()


def gains(
    net: Forecaster, y: Tensor, cutoffs: tuple[int, ...], points: int, counts: tuple[int, ...], maps: Maps
) -> pd.DataFrame:
    """Of each curve (B, L), cutoff and number of passes: nats that their average, and the mean one, are above one pass."""
    x, frames = torch.arange(1.0, y.shape[1] + 1).expand_as(y), []
    chance = Generator().manual_seed(net.config.seed)
    for cutoff in cutoffs:
        ahead = ahead_of(cutoff, y, points)
        drawn = [maps.drawn(len(y), chance) for _ in range(counts[-1] - 1)]
        found = passes(net, (x[:, :cutoff], y[:, :cutoff], x[:, ahead], y[:, ahead]), drawn)
        each = found.mean(2)  # (M, B)
        for count in counts:
            gain, single = together(found[:count]).mean(1) - each[0], each[:count].mean(0) - each[0]
            of = {"curve": range(len(y)), "cutoff": cutoff, "passes": count}
            frames.append(pd.DataFrame(of | {"gain": gain, "single": single}))
    return pd.concat(frames)
