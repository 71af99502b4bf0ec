"""The part of the posterior that is linear: a curve is linear in levels, amplitudes and weights, not in exponents.

Shapes: P = observed curves, N = population of each, T = epochs, T' = observed, m = linear parameters of a block.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, Basis, PriorConfig


class Linear(NamedTuple):
    """Parameters that enter the curve linearly: f = rest + sum of value_j column_j."""

    places: list[int]  # in theta
    columns: Tensor  # (P, N, m, T)
    low: Tensor  # (m,) bounds of their uniform laws
    width: Tensor  # (m,)

    def curve(self, theta: Tensor) -> Tensor:
        return (theta[..., None, self.places] @ self.columns)[..., 0, :]

    def conditional_normal(self, y: Tensor, sigma: Tensor) -> tuple[Tensor, Tensor]:
        """What observed points y (P, T') say of the values: Cholesky root of the precision, and the mean.

        The bounds enter as a normal of their width, which keeps a direction of which y says nothing finite."""
        seen = self.columns[..., : y.shape[1]].double()  # (P, N, m, T'): nearly collinear early on
        width = 12 / self.width.double().square()
        precision = seen @ seen.mT / sigma[..., None].double().square() + torch.diag(width)
        push = (seen @ y[:, None, :, None].double())[..., 0] / sigma.square()
        push = push + width * (self.low + self.width / 2)
        root = torch.linalg.cholesky(precision)
        return root, torch.cholesky_solve(push[..., None], root)[..., 0]


class Family(NamedTuple):
    """Where the numbers of one family stand in theta. Those with a uniform law come first and are linear."""

    basis: Basis
    weight: int
    linear: list[int]
    bends: list[int]


def families(config: PriorConfig) -> list[Family]:
    all_families, i = [], 0
    for name in config.curves:
        laws = BASIS[name].laws
        uniform = sum(law.kind == "uniform" for law in laws)
        places = list(range(i + 1, i + 1 + len(laws)))
        all_families.append(Family(BASIS[name], i, places[:uniform], places[uniform:]))
        i += 1 + len(laws)
    return all_families


def levels(config: PriorConfig, theta: Tensor, x: Tensor) -> Linear:
    """Levels and amplitudes of all families, given their weights."""
    columns, places = [], []
    for family in families(config):
        shape = _shape(family, theta, x)
        for place in family.linear:
            unit = [float(place == other) for other in family.linear]
            level, amplitude = family.basis.level_amplitude(*unit, *family.bends)  # the bends do not enter
            columns.append(theta[..., family.weight, None] * (level - amplitude * shape))
        places += family.linear
    laws = [law for name in config.curves for law in BASIS[name].laws if law.kind == "uniform"]
    low, high = torch.tensor([float(law.a) for law in laws]), torch.tensor([float(law.b) for law in laws])
    return Linear(places, torch.stack(columns, 2), low, high - low)


def weights(config: PriorConfig, theta: Tensor, x: Tensor) -> Linear:
    """The weights of all families, given everything else."""
    columns = []
    for family in families(config):
        values = [theta[..., place, None] for place in family.linear]
        level, amplitude = family.basis.level_amplitude(*values, *family.bends)
        columns.append(level - amplitude * _shape(family, theta, x))
    places = [family.weight for family in families(config)]
    return Linear(places, torch.stack(columns, 2), torch.zeros(len(places)), torch.ones(len(places)))


def _shape(family: Family, theta: Tensor, x: Tensor) -> Tensor:
    own = theta[..., family.linear + family.bends]
    return family.basis.shape(x, *own.reshape(-1, own.shape[-1], 1).unbind(1)).view(*theta.shape[:-1], -1)
