"""Forecasts through maps of the value: a network is shown T(y) in place of y, and its density is mapped back.

TabPFN averages 32 passes over copies of a table, half of them through a power transformation. Here a copy is a curve whose
values are bent by such a transformation (Yeo and Johnson's) and then moved to a part of 0 .. 1. Both maps rise and have an
inverse for all values. Each curve and pass has maps of its own, drawn without a look at the curve.
Shapes: B = curves, T = observed points, Q = queries, M = passes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.training.train import Forecaster


@dataclass(frozen=True)
class MapsConfig:
    edge: float = 0.2  # 0 and 1 are moved to places at most so far inside 0 .. 1; 0: no affine map
    power: float = (
        0.9  # the exponent is drawn from 1 - power to 1 + power, power below 1; 0: no power transformation
    )
    bent: float = 0.5  # probability of a power transformation
    unit: float = 0.25  # of the value, as the transformation sees it: the smaller, the more it bends near 0


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


def drawn(config: MapsConfig, curves: int, generator: torch.Generator) -> Map:
    """A map for each curve. As many numbers are drawn whatever the config is, so that ways to map share them."""
    low, high, power, bent = torch.rand(4, curves, 1, generator=generator)
    exponent = torch.where(bent < config.bent, 1 + config.power * (2 * power - 1), 1.0)
    return Map(config.edge * low, 1 - config.edge * high, exponent, config.unit)


def stream(config: MapsConfig, seed: int) -> Callable[[int], Map]:
    """New maps at every call, for so many curves."""
    return partial(drawn, config, generator=torch.Generator().manual_seed(seed))


class Asked(NamedTuple):
    """Beginnings of equal length, and which later points they are asked for."""

    x: Tensor  # (B, T)
    y: Tensor  # (B, T)
    x_query: Tensor  # (B, Q)
    y_query: Tensor  # (B, Q)

    def through(self, by: Map) -> "Asked":
        return self._replace(y=by(self.y), y_query=by(self.y_query))


class Passes(NamedTuple):
    log_density: Tensor  # (M, B, Q) of the true value
    below: Tensor  # (M, B, Q) mass below it


@torch.inference_mode()
def passes(forecaster: Forecaster, asked: Asked, maps: list[Map]) -> Passes:
    """The first pass sees the values as they are; the others see them through a map each."""
    found = [_one(forecaster, asked)]
    for by in maps:
        log_density, below = _one(forecaster, asked.through(by))
        found.append((log_density + by.log_slope(asked.y_query), below))
    return Passes(*map(torch.stack, zip(*found, strict=True)))


def _one(forecaster: Forecaster, asked: Asked) -> tuple[Tensor, Tensor]:
    density = forecaster.model.density(asked.x, asked.y, asked.x_query)
    return density.log_density(asked.y_query), density.cdf(asked.y_query)


def together(log_density: Tensor) -> Tensor:
    """Of the mean of the densities of all passes.  (M, B, Q) -> (B, Q)"""
    return log_density.logsumexp(0) - math.log(len(log_density))


def hedged(log_density: Tensor, y: Tensor, share: float) -> Tensor:
    """Of one pass, mixed with so much of a flat density over 0 .. 1.  (B, Q), (B, Q) -> (B, Q)"""
    flat = torch.where((y >= 0) & (y <= 1), math.log(share), -math.inf)
    return torch.logaddexp(log_density + math.log1p(-share), flat)
