"""Which later points of which curves are asked for: curves of the prior and of others put alike.

Shapes: n = curves, T = points of the longest, B = curves with equally many observed points, Q = queries.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from reproduce.priors.many_passes.passes import Asked
from reproduce.protocols.benchmarks import ROWS, chosen

SEEN = (10, 20, 40)  # per cent of a curve
GROUPS = 10


class Curves(NamedTuple):
    y: Tensor  # (n, T), 0 behind the end of a curve
    length: Tensor  # (n,)
    group: np.ndarray  # (n,)

    def cutoff(self, seen: int) -> Tensor:  # (n,)
        return (self.length * seen / 100).round().clamp(min=1).long()


def of_one_length(y: Tensor) -> Curves:
    """In ten groups, which tell how much the choice of curves matters."""
    return Curves(y, torch.full((len(y),), y.shape[1]), np.arange(len(y)) % GROUPS)


def real(side: str, most: int, seed: int) -> dict[str, Curves]:
    """By benchmark, at most so many curves of each; three sources have no tuning set."""
    found = {}
    for row in ROWS:
        y = [torch.from_numpy(one.trial.seen).float() for one in chosen(row, side, most, seed)]
        if y:
            length = torch.tensor([len(one) for one in y])
            found[row] = Curves(pad_sequence(y, batch_first=True), length, np.zeros(len(y), int))
    return found


def portions(curves: Curves, seen: int, points: int) -> Iterator[tuple[Tensor, Asked]]:
    """Which curves have equally many observed points, and what of them is shown and asked; later points evenly spread."""
    cutoffs, epochs = curves.cutoff(seen), torch.arange(1.0, curves.y.shape[1] + 1)
    for cutoff in cutoffs.unique().tolist():
        which = (cutoffs == cutoff).nonzero()[:, 0]
        y, last = curves.y[which], curves.length[which, None] - 1
        index = cutoff + (torch.linspace(0, 1, points) * (last - cutoff)).round().long()  # (B, Q)
        yield which, Asked(epochs[:cutoff].expand(len(y), -1), y[:, :cutoff], index + 1.0, y.gather(1, index))
