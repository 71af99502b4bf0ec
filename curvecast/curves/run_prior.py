"""A prior of runs with planned rates: curves of three kinds, the plans of some, and where each run ends.

paper      the paper's prior, as at a constant rate: none of its curves leaps
real_runs  the laws of release 0.2, whose schedules are drawn by chance; their plans are unknown
planned    runs whose planned rate has its effects: laws/planned_runs.py
Shapes: n curves, T epochs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.curves.counter import Draw, Generator
from curvecast.curves.laws import planned_runs, rates, real_runs
from curvecast.curves.laws.growth import Dice
from curvecast.curves.laws.planned_runs import Shares
from curvecast.curves.prior import Curves, PriorConfig

BEHAVIOUR = 2  # raise by hand when the same generator gives other curves

UNKNOWN = 0.0  # in place of a rate


@dataclass(frozen=True)
class RunPrior:
    paper: float = 0.45  # share of the curves
    real: float = 0.15
    told: float = 0.75  # share of the plans that are told
    shares: Shares = Shares()
    length: int = 100

    def behaviour(self) -> dict[str, int]:
        return {
            "prior": prior.BEHAVIOUR, "laws": real_runs.BEHAVIOUR, "planned_runs": planned_runs.BEHAVIOUR,
            "run_prior": BEHAVIOUR,
        }  # fmt: skip

    def sample(self, n: int, generator: Generator) -> Curves:
        return Curves(*runs(self, n, generator)[:3])


class Runs(NamedTuple):
    clean: Tensor  # (n, T)
    noisy: Tensor  # (n, T)
    sigma: Tensor  # (n,)
    rate: Tensor  # (n, T) relative to the highest planned one, or UNKNOWN
    end: Tensor  # (n,) the last epoch
    of_paper: Tensor  # (n,) is its likelihood known?


def runs(config: RunPrior, n: int, generator: Generator) -> Runs:
    """In random order."""
    draw = Draw(generator)
    n_paper, n_real = round(config.paper * n), round(config.real * n)
    of_paper = _of_paper(config, n_paper, generator)
    real = Curves(*real_runs.real_runs(n_real, config.length, (), generator))
    by_laws = _whole(real, torch.full_like(real.clean, UNKNOWN), of_paper=False)
    made = planned_runs.planned_runs(config.shares, n - n_paper - n_real, config.length, generator)
    kinds = of_paper, by_laws, Runs(*made[:4], made.end, torch.zeros_like(made.end).bool())
    whole = Runs(*(torch.cat(parts) for parts in zip(*kinds, strict=True)))
    told = draw.uniform(0, 1, n)[:, None] < config.told
    order = draw.uniform(0, 1, n).argsort()
    return Runs(*(part[order] for part in whole._replace(rate=torch.where(told, whole.rate, UNKNOWN))))


def _of_paper(config: RunPrior, n: int, generator: Generator) -> Runs:
    curves = prior.sample(PriorConfig(length=config.length), n, generator)
    dice = Dice(n, generator)
    x = torch.arange(1.0, config.length + 1, dtype=curves.clean.dtype, device=curves.clean.device)[None]
    span = torch.full_like(curves.sigma[:, None], config.length)
    rate, _ = rates.rates(x, span, 1.0, 0.0, config.shares.milestones, dice)
    return _whole(curves, rate, of_paper=True)


def _whole(curves: Curves, rate: Tensor, of_paper: bool) -> Runs:
    length = torch.full_like(curves.sigma, curves.clean.shape[1]).long()
    return Runs(*curves, rate, length, torch.full_like(length, of_paper).bool())
