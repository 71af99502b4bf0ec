"""From what a query has found to the masses of the K buckets.

Shapes: B = curves, Q = queries, d = width, K = buckets, M = components. Call a head for all K logits; `density` has the
same masses in the shortest form that there is, and `log_density` is that of one y a query, which training needs.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.networks.bars import Bars
from curvecast.networks.mixture import MixtureBars

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other masses, here or in mixture.py

Density = Bars | MixtureBars  # both answer the same questions


class BarsHead(nn.Module):
    """The paper's head: one free logit a bucket."""

    def __init__(self, width: int, borders: Tensor):
        super().__init__()
        self.wide = nn.Linear(width, 2 * width)
        self.out = nn.Linear(2 * width, len(borders) - 1)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)

    def forward(self, found: Tensor, level: Tensor) -> Tensor:
        return self.out(F.gelu(self.wide(found)))  # (B, Q, K)

    def density(self, found: Tensor, level: Tensor) -> Bars:
        return Bars(self.borders, self(found, level))

    def log_density(self, found: Tensor, level: Tensor, y: Tensor) -> Tensor:
        density = self.density(found, level)
        return (density if y.ndim == 2 else density[:, :, None]).log_density(y)


class MixtureHead(nn.Module):
    """K bucket masses from M Gaussians that are placed relative to the curve's last level.

    Neighbouring buckets then need not be learnt one by one, and training touches only the bucket that was hit.
    The outer buckets take all of the mixture that lies beyond b_1 and b_{K-1}.
    """

    def __init__(self, width: int, components: int, borders: Tensor):
        super().__init__()
        M = components
        self.wide, self.out = nn.Linear(width, 2 * width), nn.Linear(2 * width, 3 * M)
        self.borders: Tensor
        self.register_buffer("borders", borders, persistent=False)
        with (
            torch.no_grad()
        ):  # spread the components, from wide to narrow, so that they need not be told apart first
            self.out.weight.mul_(0.3)
            self.out.bias.copy_(
                torch.cat([torch.zeros(M), torch.linspace(-0.1, 0.1, M), torch.linspace(-1.5, -4, M)])
            )

    def mixture(self, found: Tensor, level: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """-> log weights, means, scales, each (B, Q, M)"""
        log_w, shift, log_s = _single(self.out(F.gelu(self.wide(found)))).chunk(3, -1)
        return log_w.log_softmax(-1), level[..., None] + shift, log_s.clamp(-9, 2).exp()

    def density(self, found: Tensor, level: Tensor) -> MixtureBars:
        return MixtureBars(self.borders, *self.mixture(found, level))

    def forward(self, found: Tensor, level: Tensor) -> Tensor:
        return self.density(found, level).log_masses()  # (B, Q, K)

    def log_density(self, found: Tensor, level: Tensor, y: Tensor) -> Tensor:
        """Of one value a query (B, Q), or of several (B, Q, S)."""
        density = self.density(found, level)
        of_each = density if y.ndim == 2 else density[:, :, None]
        return of_each.log_density(y, floor=not self.training)  # a floor has no slope to learn from


class SpreadHead(MixtureHead):
    """Half of the components are placed in units of the curve's own spread, the others as they are in MixtureHead."""

    def __init__(self, width: int, components: int, borders: Tensor):
        super().__init__(width, components, borders)
        M, self.own = components, components // 2
        with torch.no_grad():
            self.out.bias[M : M + self.own] = torch.linspace(-0.5, 0.5, self.own)
            self.out.bias[2 * M : 2 * M + self.own] = torch.linspace(1.5, -1, self.own)

    def mixture(self, found: Tensor, stand: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        level, spread = stand.split(1, dim=1)
        log_w, shift, log_s = _single(self.out(F.gelu(self.wide(found)))).chunk(3, -1)
        unit = torch.cat([spread.expand(-1, self.own), torch.ones_like(shift[:, 0, self.own :])], 1)[:, None]
        scales = (unit * log_s.clamp(-9, 4).exp()).clamp(4e-5, 8)  # (B, Q, M)
        return log_w.log_softmax(-1), level[..., None] + (unit * shift).clamp(-3, 3), scales


def _single(found: Tensor) -> Tensor:
    """At least float32: half precision is for products, not for densities."""
    return found.to(torch.promote_types(found.dtype, torch.float32))
