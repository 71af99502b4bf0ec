"""When is a run hopeless? When no later epoch is likely to beat the best value that any run has reached so far.

The paper's rule: after T epochs, stop if P(y_t' > y_best | y_1..y_T) <= delta for every later t'. Such a chance is at
most delta just where y_best is no lower than the (1 - delta)-quantile of y_t'. So one number says it all, the reach of
the run: the highest of these quantiles. A run ends once the best so far is no lower than its reach. The best so far
counts the run's own values: a leader who is unlikely to improve on itself is stopped too.

Simpler rules are tables of reaches as well: infinite where a run goes on whatever the best so far is, minus infinity
where it ends. Values are better the higher they are, and what was stopped never goes on.

Shapes: n runs, m epochs of a whole run, K orderings of the runs, B runs at once, Q later epochs.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad

from curvecast.scores.metrics import Density

AT_ONCE = 100  # runs
LOOKS = 6  # later epochs that a forecast is asked about: it changes little from one to the next


Predict = Callable[[Tensor, Tensor, Tensor], Density]  # x (B, T), y (B, T), later (B, Q) -> densities (B, Q)


def reach(density: Density, delta: float) -> Tensor:
    """What no single later epoch exceeds with a chance of more than delta.  (B, Q) -> (B,)"""
    return density.quantile(1 - delta).max(1).values


def reaches(
    predict: Predict, y: Tensor, when: Sequence[int], delta: float, floor: Tensor | None = None
) -> Tensor:
    """The reach of runs y (n, m) after each of the epochs `when`, in rising order.  -> (n, m)

    `floor` (n,) is what the best so far is certain to be when a run begins. Once that, or the run's own best, has
    ended it, no further forecast is made: most of the work is saved, and no decision changes.
    """
    m = y.shape[1]
    table, best = always(y), y.cummax(1).values  # (n, m)
    if floor is not None:
        best = torch.maximum(best, floor[:, None])
    alive = torch.arange(len(y))
    for T in when:
        x, later = torch.arange(1.0, T + 1), ahead(T, m, LOOKS)
        for some in alive.split(AT_ONCE) if len(alive) else ():
            B = len(some)
            density = predict(x.expand(B, -1), y[some, :T], later.expand(B, -1))
            table[some, T - 1] = reach(density, delta).to(y.dtype)
        alive = alive[best[alive, T - 1] < table[alive, T - 1]]
    return table


def ahead(T: int, m: int, looks: int) -> Tensor:
    """At most so many of the epochs T + 1 .. m, the last among them, denser where curves bend.  -> (Q,)"""
    return torch.logspace(math.log10(m), math.log10(T + 1), looks).round().unique()


def certain(y: Tensor, orders: Tensor, least: int) -> Tensor:
    """The floor of `reaches`, where every run gets `least` epochs: orders (K, n) -> (n,), the lowest of all orders.

    When a run begins, the runs before it have shown their first epochs, and nobody can take these away.
    """
    shown = y[:, :least].max(1).values[orders]  # (K, n), in the order in which runs come
    before = pad(shown, (1, 0), value=-math.inf).cummax(1).values[:, :-1]
    return torch.empty_like(before).scatter_(1, orders, before).min(0).values


def fine(m: int) -> list[int]:
    """After every epoch from the second on."""
    return list(range(2, m))


def coarse(m: int) -> list[int]:
    """After a tenth, a fifth, two fifths and four fifths of a run."""
    return [-(-m * tenths // 10) for tenths in (1, 2, 4, 8)]


def always(y: Tensor) -> Tensor:
    """No stopping: every run goes on to its end."""
    return pad(torch.full_like(y[:, :-1], math.inf), (0, 1), value=-math.inf)


def patience(y: Tensor, k: int) -> Tensor:
    """A run ends after k epochs without a new best of its own; k = 0 ends each after its first epoch."""
    fresh = y > pad(y, (1, 0), value=-math.inf).cummax(1).values[:, :-1]  # (n, m) a new best
    epoch = torch.arange(y.shape[1]).expand_as(y)
    since = epoch - torch.where(fresh, epoch, 0).cummax(1).values
    return always(y).masked_fill(since >= k, -math.inf)


def hindsight(y: Tensor) -> Tensor:
    """Of one who knows the future, noise and all: the best value that is still to come."""
    return pad(y.flip(1).cummax(1).values.flip(1)[:, 1:], (0, 1), value=-math.inf)


def play(y: Tensor, table: Tensor, orders: Tensor) -> Tensor:
    """Runs come one after the other, in each of the orders (K, n).  -> (K, n), the epochs that the i-th to come gets"""
    own = y.cummax(1).values  # (n, m)
    best = torch.full((len(orders), 1), -math.inf, dtype=y.dtype)  # (K, 1)
    epochs = []
    for run in orders.unbind(1):  # (K,)
        ends = torch.maximum(own[run], best) >= table[run]  # (K, m)
        last = ends.int().argmax(1, keepdim=True)  # (K, 1), the first epoch that ends it
        best = torch.maximum(best, own[run].gather(1, last))
        epochs.append(last + 1)
    return torch.cat(epochs, 1)


# -----------------------------------------------------------------------------------------------------------
# Rules that compare runs at the same epochs, the rungs, and keep the best few: successive halving, Hyperband, ASHA.
#
# Each gives the places that are trained, in turn, until all runs had their chance. The first two train a bracket of runs
# together and go on with the best; a run waits meanwhile and goes on where it was. ASHA decides about one run at a time, by
# the runs that came before, and what it stops never goes on.
#
# Shapes: n runs, m epochs of a whole run. A place is run * m + epoch, an index of y.flatten(). Rungs are numbers of epochs.

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
