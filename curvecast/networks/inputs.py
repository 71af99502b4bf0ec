"""From numbers to tokens, for the points of a curve and for queries.

Shapes: B = curves, T = context points, Q = queries, d = width.
"""

import math

import torch
from torch import Tensor, nn

from curvecast.curves.laws.rates import LEAST

SD = math.sqrt(1 / 12)  # standard deviation of U(0, 1): the paper's scale of inputs


def last_level(x: Tensor, y: Tensor, mask: Tensor | None) -> Tensor:
    """The current level of a curve: a mean of observed values that favours the newest.  (B, T) -> (B, 1)"""
    newest = (x if mask is None else torch.where(mask, x, 0.0)).amax(1, keepdim=True)
    weight = torch.exp((x - newest) / 4)  # four epochs: short enough to follow, long enough to average noise
    weight = weight if mask is None else weight * mask
    return (weight * y).sum(1, keepdim=True) / weight.sum(1, keepdim=True).clamp(min=1e-9)


class Inputs(nn.Module):
    """Numbers to tokens: a context token is E_x(x) + E_y(y), a query token E_x(x)."""

    def __init__(self, width: int, rich: bool):
        super().__init__()
        self.rich = rich  # ours; else the paper's: x and y alone
        self.x, self.y = (nn.Linear(3 if rich else 1, width) for _ in range(2))
        if rich:
            self.level = nn.Linear(1, width, bias=False)

    def stand(self, x: Tensor, y: Tensor, mask: Tensor | None) -> Tensor:
        """The current level, relative to which tokens and forecasts are expressed.  -> (B, 1)"""
        return last_level(x, y, mask)

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, level: Tensor) -> Tensor:
        queries = self.x(self.of_x(x_query))
        context = self.x(self.of_x(x)) + self.y(self.of_y(y, level))
        if self.rich:
            queries = queries + self.level((level - 0.5)[..., None] / SD)
        return torch.cat([context, queries], 1)  # (B, T + Q, d)

    def of_x(self, x: Tensor) -> Tensor:
        scaled = (x / 101 - 0.5) / SD  # epochs 1..100 to -1.7..1.7
        if not self.rich:
            return scaled[..., None]
        return torch.stack([scaled, x.log() - 3.6, 4 / x - 0.2], -1)  # 3.6 = mean of ln x on 1..100

    def of_y(self, y: Tensor, level: Tensor) -> Tensor:
        scaled = (y - 0.5) / SD
        if not self.rich:
            return scaled[..., None]
        difference = y - level  # asinh: fine for small differences, compressed for large ones
        return torch.stack([scaled, 10 * difference, torch.asinh(100 * difference)], -1)


LEAST_SPREAD = 1e-4


class SpreadInputs(Inputs):
    """As the rich `Inputs`, plus differences from the level in units of the curve's own spread.

    An error that falls from 0.05 to 0.02 then looks like one that falls from 0.5 to 0.2. The spread is computed from
    observed values only.
    """

    def __init__(self, width: int):
        super().__init__(width, rich=True)
        self.y, self.level = nn.Linear(4, width), nn.Linear(2, width, bias=False)

    def stand(self, x: Tensor, y: Tensor, mask: Tensor | None) -> Tensor:
        """Level and spread, with the same weights.  -> (B, 2)"""
        level = last_level(x, y, mask)
        square = last_level(x, (y - level).square(), mask)
        return torch.cat([level, (square + LEAST_SPREAD**2).sqrt()], 1)

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, stand: Tensor) -> Tensor:
        level, spread = stand.split(1, dim=1)  # each (B, 1)
        size = (spread.log() + 4.5) / 2  # from 1e-4 to 0.3: -2.4 to 1.6
        query_level = self.level(torch.stack([(level - 0.5) / SD, size], -1))  # (B, 1, d)
        point_level = self.level(torch.stack([torch.zeros_like(level), size], -1))
        values = torch.cat([self.of_y(y, level), torch.asinh((y - level) / spread)[..., None]], -1)
        points = self.x(self.of_x(x)) + self.y(values) + point_level
        return torch.cat([points, self.x(self.of_x(x_query)) + query_level], 1)


class PlannedInputs(SpreadInputs):
    """As `SpreadInputs`; and where the planned learning rate is told, what it says of each epoch."""

    def __init__(self, width: int):
        super().__init__(width)
        self.plan = nn.Linear(4, width, bias=False)

    def planned(self, rate: Tensor, now: Tensor) -> Tensor:
        """Rates (B, T + Q) relative to the highest one, and that of the newest point (B, 1); 0 is not told.  -> as tokens"""
        told = (rate > 0) & (now > 0)
        log, log_now = (part.clamp(min=LEAST).log() for part in (rate, now))
        numbers = torch.stack([torch.ones_like(rate), 2 * rate - 1, log / 2 + 1, (log - log_now) / 2], -1)
        return self.plan(torch.where(told[..., None], numbers, 0.0))


def newest(x: Tensor, values: Tensor) -> Tensor:
    """Of the newest point, (B, T), (B, T) -> (B, 1)"""
    return values.gather(1, x.argmax(1, keepdim=True))
