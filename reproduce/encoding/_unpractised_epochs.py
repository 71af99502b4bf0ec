"""The tests of a network with an encoding: the test set after some epochs, and grids of epochs that do not occur in training.

Trained on epochs 1..100 without a gap, it meets longer curves, epochs missing at random, and epochs that grow apart.
On the last two the encoding may be given the epochs, or the places of the points in the schedule.

Shapes: n = curves, T = observed points, Q = future points, S = T + Q = the schedule.
"""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.networks.added import Learned
from curvecast.networks.bars import Bars
from curvecast.networks.encodings import by_index
from reproduce.encoding._encoded_network import Encoded, log_density

GEOMETRIC = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91)  # about sqrt(2) apart, whole
DISTANCES = (1, 5, 10, 20, 40, 80)  # epochs ahead of the last of 20
AT_ONCE = 100  # curves


class Task(NamedTuple):
    """Curves observed at the epochs `seen` (n, T), forecast at `asked` (n, Q); `indexed`: the encoding counts points."""

    name: str
    noisy: Tensor  # (n, epochs)
    seen: Tensor
    asked: Tensor
    indexed: bool = False


def tasks(noisy: Tensor, cutoffs: tuple[int, ...], seed: int) -> Iterator[Task]:
    """All tests by log-likelihood, on as many curves as there are in `noisy`."""
    n, generator = len(noisy), torch.Generator().manual_seed(seed)
    for cutoff in cutoffs:
        yield Task(f"at{cutoff}", noisy, epochs(n, range(1, cutoff + 1)), epochs(n, range(cutoff + 1, 101)))
    twice = prior.sample(prior.PriorConfig(length=200), n, generator).noisy
    forty = epochs(n, range(1, 41))
    yield Task("within", twice, forty, epochs(n, range(41, 101, 4)))
    yield Task("beyond", twice, forty, epochs(n, range(101, 201, 6)))
    yield Task("longer", twice, epochs(n, range(1, 151)), epochs(n, range(151, 201, 4)))
    early, late = irregular(n, generator)
    few, many = epochs(n, GEOMETRIC[:8]), epochs(n, GEOMETRIC[8:])
    for indexed in (False, True):
        how = "index" if indexed else "epoch"
        yield Task(f"irregular_{how}", noisy, early, late, indexed)
        yield Task(f"geometric_{how}", noisy, few, many, indexed)


def irregular(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Epochs with gaps by chance: 20 of 1..60 (n, 20), and 10 of 61..100 (n, 10)."""
    early = torch.rand(n, 60, generator=generator).argsort(1)[:, :20].sort(1).values + 1.0
    return early, torch.rand(n, 40, generator=generator).argsort(1)[:, :10].sort(1).values + 61.0


def epochs(n: int, which: range | tuple[int, ...]) -> Tensor:
    return torch.tensor(list(which), dtype=torch.float32).expand(n, -1)


def likelihood(net: Encoded, task: Task) -> Tensor:
    """Mean log-density of each curve's future points (n,); NaN where a table has no row for an epoch."""
    if isinstance(net.encoding, Learned) and task.asked.max() > len(net.encoding.table):
        return torch.full((len(task.noisy),), torch.nan)
    means = []
    pairs = zip(*(t.split(AT_ONCE) for t in (task.noisy, task.seen, task.asked)), strict=True)
    for noisy, seen, asked in pairs:
        y, y_query = (noisy.gather(1, x.long() - 1) for x in (seen, asked))
        schedule = torch.cat([seen, asked], 1)
        places = (by_index(schedule, seen), by_index(schedule, asked)) if task.indexed else None
        means.append(log_density(net, seen, y, asked, y_query, places).double().mean(1))
    return torch.cat(means)


@torch.no_grad()
def horizon(net: Encoded, curves: prior.Curves) -> pd.DataFrame:
    """After 20 epochs: mean error of the median against the curve without noise, by distance."""
    ahead, errors = torch.tensor(DISTANCES), []
    torch.manual_seed(0)  # for scrambled tables
    for noisy, clean in zip(curves.noisy.split(AT_ONCE), curves.clean.split(AT_ONCE), strict=True):
        seen = epochs(len(noisy), range(1, 21))
        logits = net(seen, noisy[:, :20], (20.0 + ahead).expand(len(noisy), -1))  # (n, distances, K)
        errors.append((Bars(net.borders, logits).quantile(0.5) - clean[:, 19 + ahead]).abs())
    return pd.DataFrame({"ahead": DISTANCES, "error": torch.cat(errors).mean(0).numpy()})
