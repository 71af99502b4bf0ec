"""Races on a quadratic bowl: how many steps does each method need to the bottom?

The bowl is (x - low)' A (x - low) / 2, and a race starts from x = 0 and ends when the cost has fallen to a given share. A is
turned at random, so that no axis is a direction of A, and its eigenvalues lie from 1 to the condition number at equal ratios.
The lowest point is not 0, to which AdamW's decay pulls. A race is a list: the share of cost left after each step.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.sparse.linalg import cg
from torch import Tensor
from torch.optim import SGD, Adam, AdamW, Optimizer, RMSprop

Make = Callable[..., Optimizer]  # of parameters and lr
DESCENT, MOMENTUM, NESTEROV = "gradient descent", "momentum", "Nesterov"
OPTIMISERS: dict[str, Make] = {
    DESCENT: SGD,
    MOMENTUM: partial(SGD, momentum=0.9),
    NESTEROV: partial(SGD, momentum=0.9, nesterov=True),
    "RMSprop": RMSprop,
    "Adam": Adam,
    "AdamW": AdamW,
}
NEWTON, CG, SEARCHED_CG, BFGS = "Newton", "conjugate gradients", "the same with line searches", "BFGS"
WITH_CURVATURE = (NEWTON, CG, SEARCHED_CG, BFGS)


@dataclass(frozen=True)
class Bowl:
    a: Tensor  # (d, d)
    low: Tensor  # (d,)

    def cost(self, x: Tensor) -> Tensor:
        return (x - self.low) @ self.a @ (x - self.low) / 2


def bowl(dimensions: int, condition: float, seed: int) -> Bowl:
    chance = torch.Generator().manual_seed(seed)
    turn = torch.linalg.qr(torch.randn(dimensions, dimensions, generator=chance).double()).Q
    steepness = torch.logspace(0, math.log10(condition), dimensions).double()
    return Bowl(turn * steepness @ turn.T, torch.randn(dimensions, generator=chance).double())


def best(losses: Mapping[float, tuple[float, ...]]) -> float:
    """The rate of the least losses, of which the first counts and the next decides between equals."""
    return min(losses, key=losses.__getitem__)


def tuned(condition: float) -> dict[str, tuple[Make, float]]:
    """With the rates and momenta that theory finds best, for eigenvalues from 1 to the condition number."""
    root = math.sqrt(condition)
    less = (root - 1) / (root + 1)
    return {
        DESCENT: (SGD, 2 / (1 + condition)),
        MOMENTUM: (partial(SGD, momentum=less**2), 4 / (root + 1) ** 2),
        NESTEROV: (partial(SGD, momentum=less, nesterov=True), 1 / condition),
    }


def adaptive(rates: tuple[float, ...], on: Bowl, steps: int, goal: float) -> dict[str, tuple[Make, float]]:
    """With the rate of the shortest race on this bowl; of races that end too early, that which ends lowest."""
    chosen = {}
    for name in ("RMSprop", "Adam", "AdamW"):
        raced = {rate: by_gradients(on, OPTIMISERS[name], rate, steps, goal) for rate in rates}
        chosen[name] = OPTIMISERS[name], best({rate: (len(race), race[-1]) for rate, race in raced.items()})
    return chosen


def by_gradients(on: Bowl, make: Make, rate: float, steps: int, goal: float) -> list[float]:
    x = torch.nn.Parameter(torch.zeros_like(on.low))
    optimiser, race = make([x], lr=rate), list[float]()
    first = float(on.cost(x.detach()))
    while True:
        cost = on.cost(x)
        race.append(cost.item() / first)
        if race[-1] <= goal or len(race) > steps:
            return race
        optimiser.zero_grad()
        cost.backward()
        optimiser.step()


def with_curvature(on: Bowl, name: str, goal: float) -> list[float]:
    """Newton's method solves for its step; the others are scipy's."""
    start, race = np.zeros(len(on.low)), [1.0]

    def cost(x: np.ndarray) -> float:
        return float(on.cost(torch.from_numpy(x)))

    def slope(x: np.ndarray) -> np.ndarray:
        return (on.a @ (torch.from_numpy(x) - on.low)).numpy()

    def record(x: np.ndarray) -> None:
        if race[-1] > goal:
            race.append(cost(x) / cost(start))

    if name == NEWTON:
        record(start - np.linalg.solve(on.a.numpy(), slope(start)))
    elif name == CG:
        cg(on.a.numpy(), -slope(start), rtol=0, atol=1e-14, callback=record)
    else:
        method = "BFGS" if name == BFGS else "CG"
        minimize(cost, start, jac=slope, method=method, callback=record, options={"gtol": 1e-12})
    return race
