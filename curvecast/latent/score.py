"""The score, the gradient of a log density, from a denoising autoencoder.

A network r that was trained to undo noise of standard deviation sigma knows the score of the noisy density (Tweedie):

    score(x) = (r(x) - x) / sigma^2
"""

from collections.abc import Callable

import torch
from torch import Tensor

from curvecast.ground.errors import demand


def score(denoised: Callable[[Tensor], Tensor], x: Tensor, sigma: float) -> Tensor:
    """Of noisy curves (n, T).  -> (n, T)"""
    demand(sigma > 0, f"a denoiser of noise {sigma} has no score: give a standard deviation above 0")
    return (denoised(x) - x) / sigma**2


def of_gaussian(mean: Tensor, covariance: Tensor, x: Tensor, sigma: float) -> Tensor:
    """The score of a normal law to which noise was added, in closed form.  (n, T) -> (n, T)"""
    noisy = covariance + sigma**2 * torch.eye(len(covariance), dtype=covariance.dtype)
    return torch.linalg.solve(noisy, (mean - x).mT).mT
