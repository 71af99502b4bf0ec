"""Beliefs about learning curves, and the trainings that are compared: one network, one budget, one grid of buckets. Of many
comparisons, those that are still clear after Holm's correction."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pandas as pd
import scipy.stats
import torch
from torch import Tensor, nn

from curvecast.curves.other_priors.basis_curves import BasisCurves
from curvecast.curves.other_priors.causal_graph import CausalGraphs
from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.other_priors.random_network import RandomNetwork
from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import make_borders
from curvecast.networks.layer import Visibility
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import CHUNK, Batch, TrainConfig, seed_of
from presswork.intervals import Key, holm
from reproduce.protocols.empirical_prior import empirical
from reproduce.trainings import SMALL, TINIEST

BEHAVIOUR = 1  # raise by hand when the same weights give other logits, or a config trains otherwise

PRIORS: dict[str, Any] = {
    "paper": PriorConfig(),
    "eleven": BasisCurves(),
    "process": GaussianProcess(first=0.4, last=0.65, level=0.2, rise=0.12, log_sigma_sd=1.0),
    "network": RandomNetwork(),
    "graph": CausalGraphs(),
    "laws": PriorConfig(real=1.0),
}
EVEN = Mixture(tuple(PRIORS.values()), (1 / len(PRIORS),) * len(PRIORS))
MEASURED, MIXED, NAMED, LONGER = "measured", "mixture", "named", "longer"
TITLES = {
    "paper": "paper’s prior", "eleven": "eleven basis curves", "process": "Gaussian process",
    "network": "random networks", "graph": "causal graphs", "laws": "run simulator", MEASURED: "real curves",
    MIXED: "mixture of six", NAMED: "mixture, prior given", LONGER: "mixture, longer training",
}  # fmt: skip
TIMES_LONGER = 4


@dataclass(frozen=True)
class Networks:
    """Which networks are compared: all of one size and budget."""

    names: tuple[str, ...]
    size: str = "1x64"
    curves: int = 60_032  # of a training
    seeds: tuple[int, ...] = (0, 1, 2)
    benchmarks: tuple[str, ...] = ()  # whose curves of the tuning set are a belief of their own

    def parts(self) -> dict[str, dict[str, Any]]:
        pairs = product(self.names, self.seeds)
        return {f"{name}-{seed}": {"name": name, "seed": seed} for name, seed in pairs}

    def training(self, name: str, seed: int = 0) -> TrainConfig:
        small = (SMALL | TINIEST)[self.size]
        bars = replace(small.bars, buckets=2 * small.bars.buckets)  # real curves are smooth
        model: Any = replace(small.model, features="spread")
        if name == NAMED:
            model = NamedConfig(model)
        curves = self.curves * (TIMES_LONGER if name == LONGER else 1)
        prior = PRIORS.get(name, EVEN)
        one = replace(small, model=model, prior=prior, bars=bars, seed=seed, curves=curves)
        if name == MEASURED:
            return empirical(one, self.benchmarks, None, 1.0)
        return (WithNames if name == NAMED else OneGrid)(**vars(one))


@dataclass(frozen=True)
class OneGrid(TrainConfig):
    """A training whose buckets are those of the mixture: densities of all beliefs then have one resolution."""

    grid: Any = EVEN

    def network(self) -> Any:
        torch.manual_seed(self.seed)
        return self.model.network(make_borders(self.bars, self.grid))


class WithNames(OneGrid):
    """The mixture's curves, each with the number of its prior beside every epoch."""

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        size = self.batch * max(1, CHUNK // self.batch)
        number, place = divmod(step * self.batch, size)
        generator = torch.Generator(device).manual_seed(seed_of(self.seed, "curves", number))
        which = self.prior.numbers(size, generator)[place:]  # as the curves of this chunk were drawn
        for group in super().batches(step, device):
            own, which = which[: len(group.x)], which[len(group.x) :]
            yield group._replace(x=beside(group.x, own), x_query=beside(group.x_query, own))


def beside(x: Tensor, which: Tensor) -> Tensor:
    """Epochs and the number of a prior.  (B, T), (B,) -> (B, T, 2)"""
    return torch.stack([x, which[:, None].expand_as(x).to(x.dtype)], -1)


@dataclass(frozen=True)
class NamedConfig:
    model: ModelConfig
    names: int = len(PRIORS)

    @property
    def label(self) -> str:
        return f"named-{self.model.label}"

    def behaviour(self) -> dict[str, int]:
        return self.model.behaviour() | {"named": BEHAVIOUR}

    def network(self, borders: Tensor) -> "NamedNetwork":
        return NamedNetwork(self, borders)


class NamedNetwork(PFN):
    """A PFN that is given the number of the curve's prior: a vector for it is added to every token."""

    def __init__(self, config: NamedConfig, borders: Tensor):
        super().__init__(config.model, borders)
        self.name = nn.Embedding(config.names, config.model.width)

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As the PFN's, but x (B, T, 2) and x_query (B, Q, 2); all epochs are observed."""
        which, x, x_query = x[:, 0, 1].long(), x[..., 0], x_query[..., 0]
        stand = self.inputs.stand(x, y, mask)
        tokens = self.inputs(x, y, x_query, stand) + self.name(which)[:, None]  # (B, T + Q, d)
        visibility = Visibility.of(x, x_query, mask, None, self.config.query_sees_itself)
        return self.through(tokens, visibility), stand


# ------------------------------------------------------------------------------------------------- many comparisons


def p_value(apart: pd.DataFrame) -> float:
    """Two-sided, of a mean of zero, where seeds (lines) and curves (columns) both vary: Welch's degrees of freedom."""
    means = apart.mean(axis=1), apart.mean(axis=0)
    squares, freedoms = [float(one.sem()) ** 2 for one in means], [one.count() - 1 for one in means]
    total = sum(squares)
    spread = sum(square**2 / freedom for square, freedom in zip(squares, freedoms, strict=True) if freedom)
    freedom = total**2 / spread if spread > 0 else math.inf
    return float(2 * scipy.stats.t.sf(abs(means[0].mean()) / math.sqrt(total), freedom)) if total > 0 else 1.0


def clearly_above(found: Mapping[Key, pd.DataFrame]) -> dict[Key, bool]:
    """Which differences are above zero at 5 %, corrected for all of them."""
    adjusted = holm({key: p_value(apart) for key, apart in found.items()})
    return {key: p < 0.05 and float(found[key].to_numpy().mean()) > 0 for key, p in adjusted.items()}
