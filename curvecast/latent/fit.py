"""Trains a code: Adam with a cosine on batches that a function draws, or L-BFGS where all curves fit into one step."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.errors import demand
from curvecast.latent.principal import Principal

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
# Networks that see a curve as its coordinates along principal components, and draw it from them.
#
#     c = V (x - m)        curve = m + c V
#
# Shapes: n = curves, T = epochs, r = components.


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
