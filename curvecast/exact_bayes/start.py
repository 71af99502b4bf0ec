"""Where chains begin, as in the paper: each family alone by least squares, all weights equal, a ball around that point.

A family is linear in its level and its amplitude; only its exponents are searched, on a grid that zooms in on its
best point. A level or amplitude outside its law is brought back to the edge: without that two starts of three would be
outside the prior. Where the curve breaks a rule all the same, a default takes its place: that of Domhan's program.

Shapes: P = observed curves, D = dimensions of theta, T' = observed epochs, G = points of a grid, W = walkers.
"""

from itertools import product

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, PriorConfig
from curvecast.exact_bayes import posterior
from curvecast.ground.errors import UserError

DEFAULT = {  # in the order of each family's laws, exponents as logarithms
    "pow3": (0.84, 0.52, -4.6),
    "ilog2": (0.78, 0.43),
    "janoschek": (0.73, 0.07, -1.04, -0.78),
}
GRID, ZOOMS = 15, 6  # points along each exponent; each zoom looks at a fourth of the width
MARGIN = 0.01  # of a law's width, between its edge and what is brought back: walkers need room
FEW = 3  # points that every family meets, whatever its exponents: they say nothing of them
SD_FLOOR = 1e-3  # two points are met exactly: nobody believes that there is no noise


def point(config: PriorConfig, y: Tensor) -> Tensor:
    """Observed beginnings (P, T') at epochs 1, 2, ... -> one point of theta for each, (P, D), where the prior has mass."""
    posterior.check(config, y)
    fitted = torch.cat([_least_squares(config, name, y) for name in config.curves], 1)  # (P, D - 1)
    default = torch.cat([torch.tensor([1 / len(config.curves), *DEFAULT[name]]) for name in config.curves])
    theta = _with_noise(config, fitted, y)
    legal = torch.isfinite(posterior.log_posterior(config, theta[:, None], y)) & (y.shape[1] > FEW)
    return torch.where(legal, theta, _with_noise(config, default.expand_as(fitted), y))


def ball(
    config: PriorConfig, y: Tensor, walkers: int, generator: torch.Generator, radius: float = 1e-4
) -> Tensor:
    """Walkers (P, W, D) in a normal ball around the point, all of them where the prior has mass."""
    centre = point(config, y)[:, None]  # (P, 1, D)
    theta = centre.repeat(1, walkers, 1)
    outside = torch.ones(theta.shape[:2], dtype=torch.bool)
    for _ in range(100):
        tried = centre + radius * torch.randn(theta.shape, generator=generator)
        theta = torch.where(outside[..., None], tried, theta)
        outside = ~torch.isfinite(posterior.log_posterior(config, theta, y))
        if not outside.any():
            return theta
    raise UserError(f"no room for {walkers} walkers within {radius} of the start: take a smaller radius")


def _least_squares(config: PriorConfig, name: str, y: Tensor) -> Tensor:
    """Weight 1 / K and the parameters of one family that alone fit y best.  -> (P, 1 + parameters)"""
    laws = [law for law in BASIS[name].laws if law.kind == "normal"]
    middle = torch.tensor([law.a for law in laws]).expand(len(y), -1)  # (P, B), B = 0, 1 or 2 exponents
    reach = torch.tensor([3.0 * law.b for law in laws])
    line = torch.linspace(-1, 1, GRID).tolist()
    steps = torch.tensor(list(product(line, repeat=len(laws))))  # (G, B)
    for _ in range(ZOOMS):
        bends = middle[:, None] + reach * steps  # (P, G, B)
        linear, squares = _level_and_amplitude(config, name, bends, y)
        best = squares.argmin(1)[:, None, None]  # (P, 1, 1)
        middle = bends.gather(1, best.expand(-1, -1, len(laws)))[:, 0]
        reach = reach / 4
    values = linear.gather(1, best.expand(-1, -1, 2))[:, 0].to(y)
    ends = torch.tensor([(law.a, law.b) for law in BASIS[name].laws if law.kind == "uniform"])
    room = MARGIN * (ends[:, 1] - ends[:, 0])
    values = torch.minimum(torch.maximum(values, ends[:, 0] + room), ends[:, 1] - room)
    return torch.cat([torch.full((len(y), 1), 1 / len(config.curves)), values, middle], 1)


def _level_and_amplitude(config: PriorConfig, name: str, bends: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The two linear parameters at each point of the grid, by regression on the shape.  -> (P, G, 2), (P, G)"""
    P, G, _ = bends.shape
    basis, x = BASIS[name], torch.arange(1.0, y.shape[1] + 1)
    exponents = bends.reshape(P * G, -1, 1).unbind(1)
    flat = torch.zeros(P * G, 1)  # the shape does not depend on the linear parameters
    shape = basis.shape(x, flat, flat, *exponents).expand(P * G, -1).view(P, G, -1).double()
    centred = shape - shape.mean(2, keepdim=True)
    target = (y.double() - y.double().mean(1, keepdim=True))[:, None]
    slope = (centred * target).sum(2) / centred.square().sum(2).clamp(min=1e-12)  # (P, G)
    squares = (target - slope[..., None] * centred).square().sum(2)
    level = y.double().mean(1)[:, None] - slope * shape.mean(2)
    exponents_do_not_enter = [0.0] * bends.shape[2]
    units = [basis.level_amplitude(*unit, *exponents_do_not_enter) for unit in ((1.0, 0.0), (0.0, 1.0))]
    solved = torch.stack([level, -slope], -1) @ torch.linalg.inv(torch.tensor(units).double())
    return solved, squares


def _with_noise(config: PriorConfig, theta: Tensor, y: Tensor) -> Tensor:
    """theta without ln sigma (P, D - 1) -> with that of its residuals (P, D)"""
    x = torch.arange(1.0, y.shape[1] + 1)
    padded = torch.cat([theta, torch.zeros(len(theta), 1)], 1)
    sd = (posterior.curves(config, padded, x) - y).square().mean(1).sqrt().clamp(min=SD_FLOOR)
    return torch.cat([theta, sd.log()[:, None]], 1)
