"""A network that reads the beginning of a curve and says how probable each prior of a mixture is.

It is a PFN with another head: the target of every query is the number of the prior that the curve was drawn from.
Shapes: B = curves, T = context points, Q = queries, d = width, P = priors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import Batch, TrainConfig, seed_of

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
    """A network config, see networks/query_network.py."""

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
