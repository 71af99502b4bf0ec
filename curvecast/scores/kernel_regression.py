"""Regression by a kernel: what was not seen is a weighted sum of what was, and the kernel says how much each counts.

    Nadaraya-Watson     w_i = k(x, x_i) / sum_j k(x, x_j)        attention, where k = exp(q . k_i / sqrt(d))
    kernel ridge        w   = (K + l I)^-1 k(x)                  may be negative, and sum to anything
    Gaussian process    the same weights, where l is the variance of the noise, and a variance beside the mean

With l -> infinity, ridge weights divided by their sum are those of Nadaraya and Watson. Nothing here is trained.

Shapes: T = observed points, Q = queries, B = curves, L = levels of noise.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.scores.baselines import Gaussian


def nadaraya_watson(k: Tensor) -> Tensor:
    """Kernel of queries and points (Q, T) -> weights (Q, T), which sum to 1"""
    return k / k.sum(-1, keepdim=True)


def kernel_ridge(K: Tensor, k: Tensor, ridge: float) -> Tensor:
    """Kernel of points (T, T), of queries and points (Q, T) -> weights (Q, T)"""
    return torch.linalg.solve(K + ridge * torch.eye(len(K), dtype=K.dtype), k.T).T


@dataclass(frozen=True)
class CurveKernel:
    """Of two epochs of one curve: a level that all share, and exponential decays of every rate, mixed by a gamma law.

        k(t, t') = level^2 + size^2 (b / (t + t' + b))^a

    Decays that die out: far from the beginning two epochs are as alike as their level makes them.
    """

    mean: float = 0.7
    level: float = 0.25
    size: float = 0.3
    a: float = 0.6
    b: float = 2.0
    noise: tuple[float, ...] = (0.002, 0.005, 0.012, 0.03, 0.08)  # which of them, the curve itself says

    def __call__(self, s: Tensor, t: Tensor) -> Tensor:
        """Epochs (S,), (T,) -> (S, T)"""
        decays = (self.b / (s[:, None] + t[None] + self.b)) ** self.a
        return self.level**2 + self.size**2 * decays


class Mixture(NamedTuple):
    log_w: Tensor  # (B, L)
    mean: Tensor  # (B, L, Q)
    sd: Tensor  # (L, Q)

    def log_density(self, y: Tensor) -> Tensor:
        """Of y (B, Q) -> (B, Q)"""
        z = (y[:, None] - self.mean) / self.sd
        each = -0.5 * z.square() - self.sd.log() - 0.5 * math.log(2 * math.pi)  # (B, L, Q)
        return (self.log_w[..., None] + each).logsumexp(1)


def gaussian_process(kernel: CurveKernel, x: Tensor, y: Tensor, x_query: Tensor) -> Mixture:
    """Curves y (B, T), all seen at epochs x (T,), asked at x_query (Q,): one process for each level of noise.

    How much a level counts for a curve is how likely it makes what was seen of it.
    """
    x, y, x_query = x.double(), y.double() - kernel.mean, x_query.double()
    K, k = kernel(x, x), kernel(x_query, x)  # (T, T), (Q, T)
    evidence, means, sds = [], [], []
    for sigma in kernel.noise:
        L = torch.linalg.cholesky(K + sigma**2 * torch.eye(len(x), dtype=x.dtype))
        white = torch.linalg.solve_triangular(L, y.T, upper=False)  # (T, B)
        reach = torch.linalg.solve_triangular(L, k.T, upper=False)  # (T, Q)
        evidence.append(-0.5 * white.square().sum(0) - L.diagonal().log().sum())  # (B,), but for a constant
        means.append(kernel.mean + (reach.T @ white).T)  # (B, Q)
        left = kernel(x_query, x_query).diagonal() - reach.square().sum(0)
        sds.append((left.clamp(min=0) + sigma**2).sqrt())  # (Q,)
    return Mixture(torch.stack(evidence, 1).log_softmax(1), torch.stack(means, 1), torch.stack(sds))


def ridge_regression(kernel: CurveKernel, x: Tensor, y: Tensor, x_query: Tensor) -> Gaussian:
    """Each curve with the ridge whose forecasts of left-out points are best; their mean square is the variance."""
    x, y, x_query = x.double(), y.double() - kernel.mean, x_query.double()
    K, k = kernel(x, x), kernel(x_query, x)  # (T, T), (Q, T)
    errors, means = [], []
    for sigma in kernel.noise:
        inverse = torch.linalg.inv(K + sigma**2 * torch.eye(len(x), dtype=x.dtype))
        weighted = y @ inverse  # (B, T)
        errors.append((weighted / inverse.diagonal()).square().mean(1))  # of each point, from all others
        means.append(kernel.mean + weighted @ k.T)  # (B, Q)
    error, best = torch.stack(errors).min(0)  # (B,)
    mean = torch.stack(means)[best, torch.arange(len(y))]
    return Gaussian(mean, error.sqrt()[:, None].expand_as(mean))
