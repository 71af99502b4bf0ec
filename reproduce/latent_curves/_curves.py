"""Curves to train codes on, in batches, and real runs with as many points."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.curves.prior import Curves, PriorConfig
from curvecast.latent.fit import Batch
from presswork.estimates import Rows
from reproduce.protocols.own_runs import own_runs

FIRST_SEED = 71_000  # of numpy's generator, the same on every machine; not a seed of a test set
TYPICAL_NOISE = 0.0183  # exp(-4), the median of the prior's sigma


def training_curves(n: int, seed: int) -> Curves:
    drawn = prior.sample(PriorConfig(), n, np.random.default_rng(FIRST_SEED + seed))
    return Curves(*(part.float() for part in drawn))


def batches(inputs: Tensor, targets: Tensor, seed: int, size: int = 256) -> Batch:
    """As many curves at random in each step."""
    chance = torch.Generator().manual_seed(seed)

    def batch(step: int) -> tuple[Tensor, Tensor]:
        some = torch.randint(len(inputs), (size,), generator=chance)
        return inputs[some], targets[some]

    return batch


class RealRuns(NamedTuple):
    accuracy: Tensor  # (n, 100), on held-out rows
    task: np.ndarray  # (n,)


def real_runs(rows: Rows, each: int, points: int = 100) -> RealRuns:
    """The first runs of each task that have as many points as a curve of the prior."""
    by_task: dict[str, list[np.ndarray]] = {}
    for run in own_runs(rows, ("accuracy",)):
        of_task = by_task.setdefault(run.task, [])
        if len(run.values) == points and len(of_task) < each:
            of_task.append(run.values)
    task = np.repeat(list(by_task), [len(runs) for runs in by_task.values()])
    values = np.array([values for runs in by_task.values() for values in runs])
    return RealRuns(torch.from_numpy(values).float(), task)


def data_set(task: str) -> str:
    """What a task of our own runs is made of: "digits" of "digits_even"."""
    return task.split("_")[0]
