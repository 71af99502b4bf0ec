"""All eleven basis curves of the paper's code: each curve is a sum of three of them, drawn anew.

The released model uses pow3, ilog2 and Janoschek alone. Names, formulas and laws of the other eight are those of its
code; weights, rejection and noise are as in the paper. A sum of all eleven passes once in a thousand draws.
Shapes: n curves, T epochs; parameters are columns (n, 1).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.other_priors.exact_predictive import accepted
from curvecast.curves.prior import BASIS, WEIGHT, Basis, Curves, Law

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves

Formula = Callable[..., Tensor]  # of ln x (T,) and the parameters -> (n, T)


def normal(mean: float, sd: float) -> Law:
    return Law("normal", mean, sd)


def uniform(low: float, high: float) -> Law:
    return Law("uniform", low, high)


EIGHT: dict[str, tuple[tuple[Law, ...], Formula]] = {
    "log-power": ((normal(0.8, 0.1), normal(1, 1), uniform(-3, 0)), lambda t, a, b, c: a / (1 + (c * (t - b)).exp())),
    "Weibull": (
        (uniform(0, 1.5), uniform(0, 1), normal(-2, 1), normal(0, 0.5)),
        lambda t, a, b, log_k, log_d: a - (a - b) * (-(log_d.exp() * (log_k + t)).exp()).exp(),
    ),
    "MMF": (
        (normal(0.8, 0.1), normal(0.2, 0.1), normal(0, 2), normal(0, 1)),
        lambda t, a, b, log_k, log_d: a - (a - b) / (1 + (log_d.exp() * (log_k + t)).exp()),
    ),
    "vapour pressure": (
        (uniform(-2, 0), uniform(-4, 0), uniform(-8, 0)), lambda t, a, b, log_c: (a + b * (-t).exp() + log_c.exp() * t).exp()
    ),
    "log-log-linear": (
        (normal(-2, 1), uniform(0, 1)), lambda t, log_a, log_b: (log_a.exp() * t + log_b.exp()).log()
    ),
    "exp4": (
        (normal(0.8, 0.1), normal(-2, 1), normal(0, 1), normal(0, 0.5)),
        lambda t, c, log_a, log_e, log_b: c - (log_b.exp() - (log_a + log_e.exp() * t).exp()).exp(),
    ),
    "pow4": (
        (uniform(-5, 0), normal(-3, 2), normal(0, 1), uniform(0, 1)),
        lambda t, log_rest, log_a, log_e, log_b: 1
        - log_rest.exp()
        - (-log_e.exp() * ((log_a + t).exp() + log_b.exp()).log()).exp(),
    ),
    "Hill3": (
        (normal(0.8, 0.1), normal(1, 1), normal(1, 2)),
        lambda t, theta, log_e, log_k: theta * (log_e.exp() * (t - log_k)).sigmoid(),
    ),
}  # fmt: skip


def _of_the_paper(basis: Basis) -> Formula:
    def formula(t: Tensor, *p: Tensor) -> Tensor:
        level, amplitude = basis.level_amplitude(*p)
        return level - amplitude * basis.shape(t.exp(), *p)

    return formula


ELEVEN = {name: (basis.laws, _of_the_paper(basis)) for name, basis in BASIS.items()} | EIGHT


@dataclass(frozen=True)
class BasisCurves:
    families: tuple[str, ...] = tuple(ELEVEN)
    terms: int = 3  # different families in a curve
    length: int = 100
    log_sigma_mean: float = -4.0
    log_sigma_sd: float = 1.0

    def behaviour(self) -> dict[str, int]:
        return {"basis_curves": BEHAVIOUR}

    def sample(self, n: int, generator: Generator) -> Curves:
        draw = Draw(generator)
        noise = self.log_sigma_mean, self.log_sigma_sd
        return accepted("basis curves", lambda count: self._propose(count, draw), n, self.length, draw, noise)

    def _propose(self, n: int, draw: Draw) -> Callable[[Tensor, Tensor], Tensor]:
        """Each family is computed only for the curves that contain it."""
        level = torch.stack([draw.uniform(0, 1, n) for _ in self.families], 1)  # (n, families)
        order = level.argsort(1)
        terms = []  # of each family: the rows (m,) that contain it, its formula, weight (m, 1), parameters (m, 1) each
        for place, name in enumerate(self.families):
            rows = (order[:, : self.terms] == place).any(1).nonzero()[:, 0]
            weight, *parameters = (law.draw(draw, len(rows))[:, None] for law in (WEIGHT, *ELEVEN[name][0]))
            terms.append((rows, ELEVEN[name][1], weight, parameters))

        def f(x: Tensor, some: Tensor) -> Tensor:
            t = x.log().to(level.dtype)
            total = torch.zeros(len(some), len(t), dtype=t.dtype, device=t.device)
            place = torch.full((n,), -1, device=t.device)
            place[some] = torch.arange(len(some), device=t.device)
            for rows, formula, weight, parameters in terms:
                asked = place[rows] >= 0
                value = weight[asked] * formula(t, *(each[asked] for each in parameters))
                total.index_add_(0, place[rows[asked]], value)
            return total

        return f
