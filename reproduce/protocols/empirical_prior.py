"""An empirical prior: a training on real curves of the tuning set, from all sources but one.

A group of a batch draws its curves from each source with the same probability, and changes them a little: their level and
height, how densely they are logged, where they end, their noise. Curves keep their own length, so contexts are padded.
Shapes: N curves in the pool, B = curves of a group, T points at most, Q = queries.
"""

import functools
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from curvecast.curves import real_table
from curvecast.curves.laws.growth import Dice
from curvecast.curves.real_table import TUNING
from curvecast.ground.errors import demand
from curvecast.training.batches import Batch, TrainConfig, seed_of
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.real_curve import POINTS

ALONE = ("adabelief", "nanogpt", "pythia")  # benchmarks without curves in the tuning set

BEHAVIOUR = 1  # raise by hand when the same config trains to other weights

SCALED, MOVED = 0.35, 0.1  # log of the largest change of height; the largest change of level
DENSER, SHORTER, NOISY = 0.3, 0.3, 0.5  # shares of the curves that are thinned, cut off, made noisier
LEAST = 20  # points that are left


@dataclass(frozen=True)
class EmpiricalConfig(TrainConfig):
    rows: tuple[str, ...] = tuple(ROWS)  # of the report, from whose tables the curves are
    left_out: str = ""  # the table that is not read
    share: float = 1.0  # of the groups; the others are of the prior

    def label(self) -> str:
        return f"measured-{self.model.label}"

    def behaviour(self) -> dict[str, int]:
        """The curves are an input like any code: other tables, other weights."""
        return super().behaviour() | {"measured": BEHAVIOUR, "tables": _tables()}

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        """Kinds take turns, so that short and long contexts are of both."""
        real = round(self.share * self.cutoffs)
        for place, group in enumerate(super().batches(step, device)):
            if (place + step) * real % self.cutoffs < real:
                generator = torch.Generator().manual_seed(seed_of(self.seed, f"measured/{step}", place))
                group = _to(measured(pool(self.rows, self.left_out), group, generator), device)
            yield group


def empirical(config: TrainConfig, rows: tuple[str, ...], row: str | None, share: float) -> EmpiricalConfig:
    """Without the table of this row, if a curve of it is there at all."""
    left_out = "" if row is None or row in ALONE else ROWS[row].file
    return EmpiricalConfig(**vars(config), rows=rows, left_out=left_out, share=share)


class Pool(NamedTuple):
    y: Tensor  # (N, T), as networks see curves; behind its end a curve stays where it was
    length: Tensor  # (N,)
    table: Tensor  # (N,) which table a curve is from: 0, 1, ...


@functools.lru_cache(maxsize=2)
def pool(rows: tuple[str, ...], left_out: str) -> Pool:
    names = [row for row in rows if row not in ALONE and ROWS[row].file != left_out]
    none = f"of {', '.join(rows)} without {left_out} no curve may be looked at: add a row of another table"
    demand(bool(names), none)
    files = sorted({ROWS[row].file for row in names})
    by_row = {row: chosen(row, TUNING, sys.maxsize, 0) for row in names}
    pairs = [(one.trial.seen, files.index(ROWS[row].file)) for row, own in by_row.items() for one in own]
    curves = [np.pad(seen, (0, POINTS - len(seen)), mode="edge") for seen, _ in pairs]
    length, table = torch.tensor([(len(seen), table) for seen, table in pairs]).T
    return Pool(torch.from_numpy(np.stack(curves)).float(), length, table)


def measured(pool: Pool, like: Batch, generator: torch.Generator) -> Batch:
    """As many curves and queries as another group has, and the same share of each curve observed."""
    (B, T), Q = like.x.shape, like.x_query.shape[1]
    which = drawn(pool, B, generator)
    y, length = moved(pool.y[which], pool.length[which], generator)
    length = length[:, None]
    cutoff = (length * T / POINTS).round().long().clamp(min=1).minimum(length - 1)  # (B, 1)
    share = (torch.arange(Q) + torch.rand(B, Q, generator=generator)) / Q
    index = (cutoff + (share * (length - cutoff)).long()).minimum(length - 1)
    longest = int(cutoff.max())
    x = torch.arange(1.0, longest + 1).expand(B, -1)
    return Batch(x, y[:, :longest], index + 1.0, y.gather(1, index), torch.arange(longest) < cutoff)


def drawn(pool: Pool, n: int, generator: torch.Generator) -> Tensor:
    """Numbers of n curves: first a table, each with the same chance, then a curve of it."""
    weight = 1 / pool.table.bincount()[pool.table]
    return torch.multinomial(weight, n, replacement=True, generator=generator)


def moved(y: Tensor, length: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Curves (B, T) and their lengths (B,), changed a little each; values stay between 0 and 1."""
    dice = Dice(len(y), generator)
    length = length[:, None]
    shorter = (LEAST + dice.uniform(0, 1) * (length + 1 - LEAST)).long()
    length = torch.where(dice.happens(SHORTER) & (length > LEAST), shorter, length)
    step = torch.where(dice.happens(DENSER) & (length >= 2 * LEAST), 2, 1)
    place = (torch.arange(y.shape[1]) * step).minimum(length - 1)
    y, length = y.gather(1, place), (length - 1) // step + 1
    low, high = y.amin(1, keepdim=True), y.amax(1, keepdim=True)
    height = dice.uniform(-SCALED, SCALED).exp().minimum(1 / (high - low).clamp(min=1e-6))
    level = (low + dice.uniform(-MOVED, MOVED)).clamp(min=0).minimum(1 - height * (high - low))
    y = level + height * (y - low)
    size = torch.where(dice.happens(NOISY), dice.normal(-7, 1).exp(), 0.0)
    return (y + size * torch.randn(y.shape, generator=generator)).clamp(0, 1), length[:, 0]


def _to(batch: Batch, device: str) -> Batch:
    there: Any = (one.to(device) if isinstance(one, Tensor) else one for one in batch)
    return Batch(*there)


def _tables() -> int:
    """What lies in the folder, as a number; 0 where there is none."""
    where = real_table.folder()
    return _digest(where) if where and where.is_dir() else 0


@functools.lru_cache(maxsize=1)
def _digest(where: Path) -> int:
    files = sorted({row.file for row in ROWS.values()} & {path.name for path in where.iterdir()})
    whole = hashlib.sha256(b"".join((where / file).read_bytes() for file in files))
    return int.from_bytes(whole.digest()[:4])
