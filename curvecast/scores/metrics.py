"""Arrays in, numbers out: how good are densities of later points?

Shapes: n curves, Q queries. Whatever is judged is a density with `log_density`, `cdf`, `quantile` and `crps`: the bars
of a PFN, or the Gaussian of a baseline. Everything is first averaged over a curve's points, then over curves, since
points of one curve are not independent: standard errors are over curves.
"""

from typing import NamedTuple, Protocol

import torch
from torch import Tensor


class Density(Protocol):
    def log_density(self, y: Tensor) -> Tensor: ...
    def quantile(self, level: float) -> Tensor: ...
    def crps(self, y: Tensor) -> Tensor: ...


class Estimate(NamedTuple):
    value: float
    se: float  # standard error over curves


def scores(density: Density, noisy: Tensor, clean: Tensor | None = None) -> dict[str, Tensor]:
    """Per-curve means (n,) over the queries of noisy (n, Q); `clean` is the curve without noise, where it is known."""
    median = density.quantile(0.5)  # (n, Q)
    per_point = {
        "ll": density.log_density(noisy),
        "crps": density.crps(noisy),
        "mse_noisy": (median - noisy).square(),
        "cover50": inside(density, noisy, 0.5),
        "cover90": inside(density, noisy, 0.9),
    }
    if clean is not None:
        per_point["mse_clean"] = (median - clean).square()
    return {name: values.double().mean(1) for name, values in per_point.items()}


def inside(density: Density, y: Tensor, share: float) -> Tensor:
    """1 where y lies in the central interval that should hold `share` of all points."""
    low, high = density.quantile(0.5 - share / 2), density.quantile(0.5 + share / 2)
    return ((y >= low) & (y <= high)).double()


def estimate(per_curve: Tensor) -> Estimate:
    """Mean and standard error of (n,); one curve has no standard error."""
    values = torch.as_tensor(per_curve).double()
    se = values.std().item() / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return Estimate(values.mean().item(), se)


def paired(ours: Tensor, theirs: Tensor) -> Estimate:
    """Mean difference on the same curves: the luck of the draw cancels, so it is far sharper than two means."""
    return estimate(torch.as_tensor(ours).double() - torch.as_tensor(theirs).double())


def against_oracle(ll: Tensor, oracle: Tensor, expected: float) -> Estimate:
    """Log-likelihood with the luck of this test set removed as far as it shows in the oracle's (a control variate)."""
    ll, oracle = torch.as_tensor(ll).double(), torch.as_tensor(oracle).double()
    slope = ((ll - ll.mean()) * (oracle - oracle.mean())).sum() / (oracle - oracle.mean()).square().sum()
    return estimate(ll - slope * (oracle - expected))
