"""A training on runs with gaps, with and without their planned rates, that end where they end.

Groups, cutoffs and queries are as in batches.py. Curves of the paper's prior lend one another endings (endings.py), as their
likelihood is known. Whoever is shown so many epochs is asked for later ones of a run that goes on, up to its end.
Shapes: n = curves of a group, T = epochs, T' = cutoff, Q = queries.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from curvecast.curves import run_prior
from curvecast.curves.prior import PriorConfig
from curvecast.curves.run_prior import RunPrior, Runs
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import batches, endings
from curvecast.training.batches import Batch, TrainConfig, logged_epochs, seed_of
from curvecast.training.endings import Stock

BEHAVIOUR = 1  # raise by hand when the same config gives other batches

CHUNK = 8192  # curves that are drawn together, and lend one another endings


@dataclass(frozen=True)
class RunTraining(TrainConfig):
    model: Any = ModelConfig(96, 3, 4, features="planned", hedge=0.003)
    prior: Any = RunPrior()
    bars: BarsConfig = BarsConfig(buckets=2000)
    curves: int = 786_432

    def label(self) -> str:
        return f"runs-{self.model.label}-{self.curves // 1000}k"

    def behaviour(self) -> dict[str, int]:
        own = {"runs": BEHAVIOUR, "gaps": batches.GAPS, "endings": endings.BEHAVIOUR}
        return super().behaviour() | own

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        size = self.batch * max(1, min(CHUNK, self.curves) // self.batch)
        number, place = divmod(step * self.batch, size)
        chunk, stock = _chunk(self.prior, self.seed, size, number, device)
        generator = torch.Generator().manual_seed(seed_of(self.seed, "runs", step))
        n, T = self.batch // self.cutoffs, chunk.noisy.shape[1]
        shares = torch.rand(self.cutoffs, generator=generator)
        for i in reversed(range(self.cutoffs)):  # longest first, as in batches.py
            cutoff = 1 + min(int((i + shares[i]) / self.cutoffs * (T - 1)), T - 2)
            rows = going_on(chunk.end, place + i * n, n, cutoff, generator)
            logged = logged_epochs(cutoff, generator).to(device)
            later = asked(chunk.end[rows].cpu(), cutoff, self.queries, generator).to(device)
            y, rate = chunk.noisy[rows], chunk.rate[rows]
            epochs = (logged + 1.0).expand(n, -1)
            x = torch.stack([epochs, rate[:, logged]], -1)
            x_query = torch.stack([later + 1.0, rate.gather(1, later)], -1)
            seed = seed_of(self.seed, f"endings/{step}", i)
            yield Batch(x, y[:, logged], x_query, y.gather(1, later), None, stock, seed, chunk.of_paper[rows])


@functools.lru_cache(maxsize=2)  # for trainings that alternate
def _chunk(prior: RunPrior, seed: int, size: int, number: int, device: str) -> tuple[Runs, Stock]:
    generator = torch.Generator(device).manual_seed(seed_of(seed, "runs/curves", number))
    chunk = run_prior.runs(prior, size, generator)
    return chunk, Stock(PriorConfig(length=prior.length), chunk.clean[chunk.of_paper])


def going_on(end: Tensor, first: int, n: int, cutoff: int, generator: torch.Generator) -> Tensor:
    """Which n of the chunk's curves: the next ones, and for each that has ended by the cutoff another one that has not."""
    rows = torch.arange(first, first + n)
    ended = (end[rows] <= cutoff).cpu()
    others = (end > cutoff).cpu().nonzero()[:, 0]
    rows[ended] = others[torch.randint(len(others), (n,), generator=generator)][ended]
    return rows.to(end.device)


def asked(end: Tensor, cutoff: int, q: int, generator: torch.Generator) -> Tensor:
    """Indices of q later epochs of each curve, one from each q-th of what remains to its end.  (n,) -> (n, Q)"""
    left = (end - cutoff)[:, None]  # 1 or more
    share = (torch.arange(q) + torch.rand(len(end), q, generator=generator)) / q
    return cutoff + (share * left).long().minimum(left - 1)
