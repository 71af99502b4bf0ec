"""What two cells of the experiment with encodings differ by: on the same curves, after the same seeds.

An interval has two parts: seed-to-seed variation, by Student's t since there are few seeds, and sampling of the curves.
"""

import math

import pandas as pd

from reproduce._press.intervals import Interval, student
from reproduce._press.where import Rows
from reproduce.encoding._cell_names import Cell

Kind = tuple[str, bool]  # name of an encoding, is the epoch given?

RAW: Kind = ("none", True)  # as LC-PFN: the epoch as a number and nothing else


def cells(rows: Rows) -> list[tuple[str, str, bool]]:
    """Network, encoding and whether the epoch is given, of all that have a seed, in the order in which they were measured."""
    return list(dict.fromkeys(Cell.of(part)[:3] for part in dict.fromkeys(rows["each"]["part"])))


def kinds(rows: Rows) -> list[Kind]:
    return [(name, fed) for _, name, fed in cells(rows)]


def scores(rows: Rows, kind: Kind, tasks: list[str], network: str = "pfn") -> pd.DataFrame:
    """Mean log-likelihood over the tasks: one row a curve, one column a seed."""
    each = rows["each"]
    found = {}
    for part in dict.fromkeys(each["part"]):
        cell = Cell.of(part)
        if (cell.network, cell.name, cell.fed) == (network, *kind) and set(tasks) <= set(each):
            found[cell.seed] = each[each["part"] == part].set_index("curve")[tasks].mean(axis=1, skipna=False)
    return pd.DataFrame(found).dropna(axis=1)


def gap(
    rows: Rows, ours: Kind, theirs: Kind, tasks: list[str], other: list[str] | None = None,
    networks: tuple[str, str] = ("pfn", "pfn"),
) -> Interval | None:  # fmt: skip
    """Nats per point by which `ours` is above `theirs` (there on `other` tasks, if named); None with fewer than two seeds."""
    mine, yours = scores(rows, ours, tasks, networks[0]), scores(rows, theirs, other or tasks, networks[1])
    shared = [seed for seed in mine if seed in yours]
    return interval(mine[shared] - yours[shared]) if len(shared) > 1 else None


def interval(values: pd.DataFrame) -> Interval:
    """The mean of a table of curves by seeds (at least two)."""
    seeds, curves = values.mean(), values.mean(axis=1)
    between_seeds = student(len(seeds)) * seeds.sem()
    return Interval.around(seeds.mean(), math.hypot(between_seeds, 1.96 * curves.sem()))
