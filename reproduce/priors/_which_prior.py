"""Which prior of a mixture is a curve of? A network that names it, and the posterior by Bayes' rule while points come in.

The network is a PFN with another head: the target of every query is the number of the prior that the curve was drawn from.
Shapes: B, n = curves, T = observed points, Q = queries, d = width, P = priors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.prior import PriorConfig
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import Batch, TrainConfig, seed_of
from presswork import style, where
from reproduce.pictures.panels import legend, panels, ticks

NAMED = {  # name: (prior, weight)
    "smooth, little noise": (GaussianProcess(smooth=0.8, log_sigma_mean=-3.8), 0.4),
    "smooth, more noise": (GaussianProcess(smooth=0.8, log_sigma_mean=-3.0), 0.3),
    "wavy, little noise": (GaussianProcess(smooth=0.15, log_sigma_mean=-3.8), 0.2),
    "wavy, more noise": (GaussianProcess(smooth=0.15, log_sigma_mean=-3.0), 0.1),
}
MIXTURE = Mixture(tuple(prior for prior, _ in NAMED.values()), tuple(weight for _, weight in NAMED.values()))
NONE = "none of the four"  # a curve of the paper's prior, with its own noise
COLOURS = dict(zip(NAMED, ("ours", "paper", "new", "mcmc"), strict=True))
COMPARED = {"kl": "likelihood times prior", "without_prior": "likelihood alone"}
MOST_POINTS = 80  # of the curves that are drawn
BEHAVIOUR = 1  # raise by hand when the same config trains to other weights


class PriorHead(nn.Module):
    """From encoded queries to P logits, instead of a density."""

    def __init__(self, width: int, priors: int):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, priors))

    def forward(self, encoded: Tensor, level: Tensor) -> Tensor:
        return self.layers(encoded)  # (B, Q, P)

    def log_density(self, encoded: Tensor, level: Tensor, which: Tensor) -> Tensor:
        """The log probability of the prior of this number.  which (B, Q) -> (B, Q)"""
        return self(encoded, level).log_softmax(-1).gather(-1, which.long()[..., None])[..., 0]


@dataclass(frozen=True)
class PriorNamer:
    """A network config, see networks/heads.py."""

    pfn: ModelConfig
    priors: int

    @property
    def label(self) -> str:
        return f"names-{self.pfn.label}"

    def behaviour(self) -> dict[str, int]:
        return {"which_prior": BEHAVIOUR} | self.pfn.behaviour()

    def network(self, borders: Tensor) -> "NamingPFN":
        return NamingPFN(self, borders)


class NamingPFN(PFN):
    head: Any  # with the methods of a head that gives densities

    def __init__(self, config: PriorNamer, borders: Tensor):
        super().__init__(config.pfn, borders)
        self.head = PriorHead(config.pfn.width, config.priors)


class NamingConfig(TrainConfig):
    """The usual curves of a mixture, equal groups with a cutoff each; the target is the number of the curve's prior."""

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        generator = torch.Generator(device).manual_seed(seed_of(self.seed, "named", step))
        which, curves = self.prior.labelled(self.batch, generator)
        size, T = self.batch // self.cutoffs, self.prior.length
        ends = torch.Generator().manual_seed(seed_of(self.seed, "ends", step))
        for i, share in enumerate(torch.rand(self.cutoffs, generator=ends).tolist()):
            place = ((self.cutoffs - 1 - i + share) / self.cutoffs) ** self.early  # 0 .. 1
            cutoff = min(1 + int(place * (T - 1)), T - 1)
            part = slice(i * size, (i + 1) * size)
            x = torch.arange(1.0, cutoff + 1, device=device).expand(size, -1)
            last = torch.full_like(x[:, :1], float(T))  # a query needs an epoch, whichever
            yield Batch(x, curves.noisy[part, :cutoff], last, which[part, None], None)


def naming(config: TrainConfig) -> NamingConfig:
    """This training, with a head that names the prior."""
    asked = PriorNamer(config.model, len(config.prior.priors))
    return NamingConfig(**vars(config) | {"model": asked})


@torch.no_grad()
def log_probabilities(net: PFN, y: Tensor, length: int) -> Tensor:
    """Of each prior, given the first points y (B, T).  -> (B, P)"""
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    return net(x, y.float(), torch.full_like(x[:, :1], float(length)))[:, 0].log_softmax(-1)


def distances(net: Any, points: tuple[int, ...], scored: int, seed: int) -> pd.DataFrame:
    """How far the network's probabilities are from the posterior, KL in nats, and from likelihoods without the prior."""
    _, curves = MIXTURE.labelled(scored, torch.Generator().manual_seed(seed))
    own = []
    for n in points:
        x, y = torch.arange(1.0, n + 1), curves.noisy[:, :n]
        said = log_probabilities(net, y, MIXTURE.length).double()  # (n, P)
        likelihoods = MIXTURE.log_likelihoods(x, y).log_softmax(1)
        exact = {"kl": MIXTURE.log_posterior(x, y), "without_prior": likelihoods}
        found = {name: (log_p.exp() * (log_p - said)).sum(1) for name, log_p in exact.items()}
        own.append(pd.DataFrame({"points": n, "curve": range(len(y))} | found))
    return pd.concat(own)


def point_by_point(net: Any, seed: int) -> pd.DataFrame:
    """The probabilities of all priors, for a curve of each and a curve of none of them."""
    sources = {name: prior for name, (prior, _) in NAMED.items()} | {NONE: PriorConfig()}
    y = torch.cat([one.sample(1, torch.Generator().manual_seed(seed)).noisy for one in sources.values()])
    lines = []
    for points in range(1, MOST_POINTS + 1):
        exact = MIXTURE.log_posterior(torch.arange(1.0, points + 1), y[:, :points]).exp()
        said = log_probabilities(net, y[:, :points], MIXTURE.length).exp()
        lines += [
            {"case": case, "points": points, "prior": name, "exact": p, "network": q}
            for case, ps, qs in zip(sources, exact.tolist(), said.tolist(), strict=True)
            for name, p, q in zip(NAMED, ps, qs, strict=True)
        ]
    return pd.DataFrame(lines)


def draw(shown: pd.DataFrame, points: tuple[int, ...]) -> Figure:
    """A panel for each curve; dots of the network at these numbers of points."""
    cases, size, up = [*NAMED, NONE], (8.4, 4.8), "probability of each prior"
    figure, axes = panels([f"curve: {case}" for case in cases], size, 3, "observed points", up, sharey=True)
    for axis, case in zip(axes, cases, strict=True):
        for name, colour in COLOURS.items():
            own = where(shown, case=case, prior=name)
            axis.plot(own["points"], own["exact"], color=style.colour(colour), label=name)
            dots = own[own["points"].isin(points)]
            axis.plot(dots["points"], dots["network"], "o", color=style.colour(colour), markersize=4)
        axis.set(xscale="log", ylim=(-0.04, 1.04))
        ticks(axis, (1, 2, 5, 10, 20, 40, 80))
    axes[0].plot([], color=style.ink(), label="exact")
    axes[0].plot([], "o", color=style.ink(), markersize=4, label="network")
    legend(figure, axes, 3)
    return figure
