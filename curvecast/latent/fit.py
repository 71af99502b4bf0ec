"""Fits a code: principal components at once, a network by Adam with a cosine, or by L-BFGS on all curves at once.

Every code has encode, (n, T) -> (n, k), and decode, (n, k) -> (n, T); one that is trained has loss(x, target) as well.

Shapes: n = curves, T = epochs, k = numbers of a code, r = components.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from curvecast.ground.errors import demand

Batch = Callable[[int], tuple[Tensor, Tensor]]  # step -> inputs (n, T), targets (n, T)


@dataclass(frozen=True)
class Steps:
    steps: int = 3_000
    rate: float = 2e-3
    clip: float = 1.0


def fit(net: Any, batch: Batch, steps: Steps) -> Any:
    """The network itself, after all steps."""
    parameters = list(net.parameters())
    optimiser = torch.optim.Adam(parameters, steps.rate, betas=(0.9, 0.99))
    decline = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps.steps)
    for step in range(steps.steps):
        loss = net.loss(*batch(step))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, steps.clip)
        optimiser.step()
        decline.step()
    return finite(net, loss.item())


def fit_at_once(net: Any, x: Tensor, steps: int) -> Any:
    """L-BFGS on all curves x (n, T), in their precision: to the bottom of a smooth loss."""
    first = net.loss(x, x).item()
    optimiser = torch.optim.LBFGS(net.parameters(), max_iter=steps, max_eval=10 * steps, history_size=30,
                                  tolerance_grad=1e-10, tolerance_change=0, line_search_fn="strong_wolfe")  # fmt: skip

    def closure() -> Tensor:
        optimiser.zero_grad()
        loss: Tensor = net.loss(x, x) / first  # so that tolerances do not depend on the unit
        loss.backward()
        return loss

    optimiser.step(closure)
    return finite(net, net.loss(x, x).item())


def finite(net: Any, loss: float) -> Any:
    demand(math.isfinite(loss), f"the loss of {type(net).__name__} became {loss}: lower Steps.rate")
    return net.eval()


# -----------------------------------------------------------------------------------------------------------
# The score, the gradient of a log density, from a denoising autoencoder.
#
# A network r that was trained to undo noise of standard deviation sigma knows the score of the noisy density (Tweedie):
#
#     score(x) = (r(x) - x) / sigma^2


def score(denoised: Callable[[Tensor], Tensor], x: Tensor, sigma: float) -> Tensor:
    """Of noisy curves (n, T).  -> (n, T)"""
    return (denoised(x) - x) / sigma**2


def of_gaussian(mean: Tensor, covariance: Tensor, x: Tensor, sigma: float) -> Tensor:
    """The score of a normal law to which noise was added, in closed form.  (n, T) -> (n, T)"""
    noisy = covariance + sigma**2 * torch.eye(len(covariance), dtype=covariance.dtype)
    return torch.linalg.solve(noisy, (mean - x).mT).mT


# -----------------------------------------------------------------------------------------------------------
# Principal components, which are the best linear code, and the angle between two subspaces.


class Principal(NamedTuple):
    mean: Tensor  # (T,)
    directions: Tensor  # (k, T), orthonormal, the direction of most variance first, its largest entry above 0
    spread: Tensor  # (k,) standard deviation along each

    @property
    def epochs(self) -> int:
        return len(self.mean)

    def encode(self, x: Tensor) -> Tensor:
        return (x - self.mean) @ self.directions.T

    def decode(self, code: Tensor) -> Tensor:
        return code @ self.directions + self.mean

    def first(self, k: int) -> "Principal":
        return Principal(self.mean, self.directions[:k], self.spread[:k])


def principal(x: Tensor, k: int) -> Principal:
    """The first k principal components of curves (n, T); in float64, since later ones are small."""
    mean = x.double().mean(0)
    _, sizes, directions = torch.linalg.svd(x.double() - mean, full_matrices=False)
    directions = directions[:k]
    largest = directions.gather(1, directions.abs().argmax(1, keepdim=True))
    directions = directions * largest.sign()  # which the decomposition leaves open
    return Principal(mean.to(x), directions.to(x), (sizes[:k] / len(x) ** 0.5).to(x))


def largest_angle(a: Tensor, b: Tensor) -> Tensor:
    """Degrees by which the span of the rows of b (..., k, T) leaves that of a; by its sine, exact for small angles."""
    across, along = (torch.linalg.qr(rows.double().mT).Q for rows in (a, b))  # (..., T, k)
    outside = along - across @ (across.mT @ along)
    return torch.linalg.matrix_norm(outside, 2).clamp(max=1).asin().rad2deg()


def rms(x: Tensor, target: Tensor) -> Tensor:
    """Root mean squared difference of each curve.  -> (n,)"""
    return (x - target).square().mean(-1).sqrt()


# -----------------------------------------------------------------------------------------------------------
# Networks that see a curve as its coordinates along principal components, and draw it from them.
#
#     c = V (x - m)        curve = m + c V


class OnCoordinates(nn.Module):
    mean: Tensor
    directions: Tensor
    spread: Tensor

    def __init__(self, basis: Principal):
        super().__init__()
        self.epochs = basis.epochs
        for name, values in zip(("mean", "directions", "spread"), basis, strict=True):
            self.register_buffer(name, values)

    def coordinates(self, x: Tensor) -> Tensor:
        return (x - self.mean) @ self.directions.T  # (n, r)

    def curve(self, c: Tensor) -> Tensor:
        return self.mean + c @ self.directions  # (n, T)
