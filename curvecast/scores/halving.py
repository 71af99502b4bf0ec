"""Rules that compare runs at the same epochs, the rungs, and keep the best few: successive halving, Hyperband, ASHA.

Each gives the places that are trained, in turn, until all runs had their chance. The first two train a bracket of runs
together and go on with the best; a run waits meanwhile and goes on where it was. ASHA decides about one run at a time, by
the runs that came before, and what it stops never goes on.

Shapes: n runs, m epochs of a whole run. A place is run * m + epoch, an index of y.flatten(). Rungs are numbers of epochs.
"""

import math

import torch
from torch import Tensor

ETA = 3  # one in so many goes on


def rungs(m: int) -> list[int]:
    """m, a third of it, a ninth, ... rounded, as long as that is two epochs or more; in rising order."""
    ends = [m]
    while (shorter := round(m / ETA ** len(ends))) >= 2:
        ends.append(shorter)
    return ends[::-1]


def successive_halving(y: Tensor, order: Tensor) -> Tensor:
    """One bracket after the other, each so large that one run of it comes to its end.  y (n, m), order (n,) -> (epochs,)"""
    ends = rungs(y.shape[1])
    return _in_turn(y, order, [(ETA ** (len(ends) - 1), ends)])


def hyperband(y: Tensor, order: Tensor) -> Tensor:
    """Brackets that begin at each of the rungs in turn, the later the fewer runs.  y (n, m), order (n,) -> (epochs,)"""
    ends = rungs(y.shape[1])
    most = len(ends) - 1
    brackets = [(math.ceil((most + 1) / (s + 1) * ETA**s), ends[most - s :]) for s in range(most, -1, -1)]
    return _in_turn(y, order, brackets)


def asha(y: Tensor, order: Tensor) -> Tensor:
    """A run goes on from a rung if it is among the best third of those that came there so far.  -> (epochs,)"""
    ends = rungs(y.shape[1])
    m, seen, trained = y.shape[1], {end: list[float]() for end in ends}, []
    own = y.cummax(1).values  # (n, m)
    for run in order.tolist():
        for begin, end in zip([0, *ends], ends, strict=False):
            trained.append(run * m + torch.arange(begin, end))
            value = float(own[run, end - 1])
            seen[end].append(value)
            if value < sorted(seen[end], reverse=True)[max(1, len(seen[end]) // ETA) - 1]:
                break
    return torch.cat(trained)


def _in_turn(y: Tensor, order: Tensor, brackets: list[tuple[int, list[int]]]) -> Tensor:
    """Brackets of so many runs and these rungs, over and over, until the runs are used up.  -> (epochs,)"""
    trained, left, number = [], order, 0
    while len(left):
        size, ends = brackets[number % len(brackets)]
        runs, begin = left[:size], 0
        for end in ends:  # all of them to the first rung, the best third of them to the next, and so on
            trained += [run * y.shape[1] + torch.arange(begin, end) for run in runs.tolist()]
            best = y[runs, :end].max(1).values.argsort(descending=True, stable=True)
            runs, begin = runs[best[: max(1, len(runs) // ETA)]], end
        left, number = left[size:], number + 1
    return torch.cat(trained)
