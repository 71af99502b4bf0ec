"""Least squares with the sum of a prior's own families, for curves (B, T) at epochs 1, 2, ..., T: the nearest curve of
the prior, carried on.

A Gaussian around it, as around the other fits (see baselines), but that nine parameters through ten points leave nearly
all of them open. So the laws of the parameters are asked as well, as in Laplace's approximation:
    sd^2 = s^2 (1 + g' (J'J + s^2 P)^-1 g)
g: derivatives of the value ahead by the parameters; J: those of the values seen; P: 1 / variance of each law.
"""

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import nearest
from curvecast.scores import baselines
from curvecast.scores.baselines import SD_FLOOR, STEPS_WORTH, Gaussian


def sum_of_families(config: PriorConfig, y: Tensor, ahead: int) -> Gaussian:
    """Densities (B, ahead) of the next epochs."""
    seen = y.shape[1]
    x = torch.arange(1.0, seen + ahead + 1)
    last = baselines.forecast("last value", x[:seen], y, x[seen:])
    curve, slopes = nearest.with_derivatives(config, nearest.fitted(config, y), seen + ahead)
    v = last.sd[:, 0].square() / 2  # (B,)
    left = (curve[:, :seen] - y.double()).square().sum(1)
    freedom = max(seen - slopes.shape[2], 1)
    s2 = ((left + STEPS_WORTH * v) / (freedom + STEPS_WORTH)).clamp(min=SD_FLOOR**2)
    g = slopes[:, seen:]  # (B, ahead, D)
    J = slopes[:, :seen]
    laws = nearest.laws(config)
    variances = [(law.b - law.a) ** 2 / 12 if law.kind == "uniform" else law.b**2 for law in laws]
    P = torch.diag(torch.tensor([1 / variance for variance in variances]).double())
    inverse = torch.linalg.inv(J.mT @ J + s2[:, None, None] * P)  # (B, D, D)
    leverage = torch.einsum("bad,bde,bae->ba", g, inverse, g).clamp(min=0)
    sd = (s2[:, None] * (1 + leverage)).sqrt()
    return Gaussian(curve[:, seen:], sd)
