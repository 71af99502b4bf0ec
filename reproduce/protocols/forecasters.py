"""Who forecasts: each shows later values of normalised curves as densities, and may refuse curves with a UserError.

A forecaster is called with y (B, T), seen at epochs 1 .. T, and a number of epochs ahead, A.  -> a density (B, A)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import exact, mcmc
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.exact_bayes.moves import Cloud
from curvecast.scores import baselines
from curvecast.scores.baselines import sum_of_families
from curvecast.training.train import Forecaster

PRIOR = PriorConfig()  # the paper's, in which the judge and the chains believe


class Density(Protocol):
    def log_density(self, y: Tensor) -> Tensor: ...
    def quantile(self, level: float) -> Tensor: ...


Ask = Callable[[Tensor, int], Density]


@dataclass(frozen=True)
class ChainsConfig:
    """The paper's chains, all curves at once."""

    walkers: int = 100
    steps: int = 2000  # of which the first half is forgotten
    every: int = 50  # of the others


def simple() -> dict[str, Ask]:
    last = partial(baselines.ahead_of, "last value")
    return {"last": last, "best": baselines.best_so_far, "steps": baselines.own_steps}


def fits() -> dict[str, Ask]:
    """Of one family, and of the sum of the prior's own."""
    return {**fits_of_one_family(), "sum": lambda y, ahead: sum_of_families(PRIOR, y, ahead)}


def fits_of_one_family() -> dict[str, Ask]:
    return {name: partial(baselines.ahead_of, name) for name in ("pow3", "pow4", "mmf4")}


def network(forecaster: Forecaster) -> Ask:
    def ask(y: Tensor, ahead: int) -> Density:
        x = torch.arange(1.0, y.shape[1] + ahead + 1).expand(len(y), -1)
        return forecaster.predict(x[:, : y.shape[1]], y.float(), x[:, y.shape[1] :])

    return ask


def exact_posterior(how: PosteriorConfig, seed: int) -> "Callable[[Tensor, int], Drawn]":
    generator = torch.Generator().manual_seed(seed)
    bank = exact.bank(PRIOR, how.bank, generator)

    def ask(y: Tensor, ahead: int) -> Drawn:
        sampled = exact.exact_posterior(PRIOR, y.float(), bank, generator, how)
        return Drawn(sampled.cloud.later(y.shape[1], ahead), generator, sampled.ess)

    return ask


def chains(how: ChainsConfig, seed: int) -> Ask:
    generator = torch.Generator().manual_seed(seed)

    def ask(y: Tensor, ahead: int) -> Density:
        y = y.float()
        half = how.steps // 2
        chain = mcmc.chains(PRIOR, y, how.walkers, half, generator, burn_in=half, thin=how.every)
        cloud = mcmc.cloud(PRIOR, chain.theta.transpose(0, 1).flatten(1, 2))  # (B, S W, D)
        return Drawn(cloud.later(y.shape[1], ahead), generator)

    return ask


class Drawn:
    """A cloud whose quantiles are those of one value drawn from each member, which is a thousand times faster."""

    def __init__(self, cloud: Cloud, generator: torch.Generator, ess: Tensor | None = None):
        self.cloud = cloud
        self.ess = ess  # (B,) effective size, where it is known
        noise = torch.randn(cloud.f.shape, generator=generator)
        self.values = (cloud.f + cloud.sigma * noise).sort(1).values  # (B, N, A)

    def log_density(self, y: Tensor) -> Tensor:
        return self.cloud.log_density(y.float())

    def quantile(self, level: float) -> Tensor:
        place = level * (self.values.shape[1] - 1)
        low, part = int(place), place % 1
        high = min(low + 1, self.values.shape[1] - 1)
        return torch.lerp(self.values[:, low], self.values[:, high], part)
