"""Which curves of which tables: the nine rows of the report, and a choice by chance of the curves of a side."""

import functools
import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from curvecast.curves import real_table
from curvecast.curves.look_and_judge import side
from curvecast.curves.real_table import RealCurve
from curvecast.ground.errors import UserError
from reproduce._press.where import Rows
from reproduce.new_data._protocol import Trial, trial


class Row(NamedTuple):
    title: str
    file: str
    metric: str


ROWS = {
    "adabelief": Row("adabelief, accuracy", "adabelief_cifar10.csv.gz", "test_accuracy"),
    "algoperf": Row("algoperf, accuracy", "algoperf_v05_external.csv.gz", "validation/accuracy"),
    "precision": Row("algoperf, average precision", "algoperf_v05_external.csv.gz", "validation/mean_average_precision"),
    "words": Row("algoperf, word error", "algoperf_v05_external.csv.gz", "validation/wer"),
    "deepobs": Row("deepobs, accuracy", "deepobs_baselines.csv.gz", "test_accuracy"),
    "lcdb11": Row("lcdb11, error", "lcdb11_valid_error.csv.gz", "validation_error_rate"),
    "nanogpt": Row("nanogpt, loss", "nanogpt_val_loss.csv.gz", "val_loss"),
    "pythia": Row("pythia, accuracy", "pythia_zero_shot.csv.gz", "accuracy"),
    "taskset": Row("taskset, loss", "taskset_rnn12_valid_loss.csv.gz", "valid_loss"),
}  # fmt: skip


def titles(rows: Rows) -> dict[str, str]:
    """Of the rows of the report that were measured, in its order."""
    there = set(rows["curves"]["row"]) if "curves" in rows else set()
    return {row: about.title for row, about in ROWS.items() if row in there}


class Chosen(NamedTuple):
    curve: RealCurve
    trial: Trial


def chosen(row: str, which: str, most: int, seed: int) -> list[Chosen]:
    """At most so many curves of a row that lie on a side, in an order by chance: fewer are the first of more."""
    there = [curve for curve in _read(_folder(), ROWS[row].file) if curve.metric == ROWS[row].metric]
    there = [curve for curve in there if side(curve.source, curve.group) == which]
    order = np.random.default_rng([seed, list(ROWS).index(row)]).permutation(len(there))
    tried = ((there[i], trial(there[i].values, *_metric(there[i]))) for i in order)
    return [Chosen(curve, one) for curve, one in tried if one is not None][:most]


def about(row: str, found: list[Chosen]) -> pd.DataFrame:
    """A line for each curve, by its number; nothing of its values."""
    return pd.DataFrame(
        [(row, number, curve.source, curve.task, curve.group, curve.licence, one.learns(), len(one.values), one.clipped)
         for number, (curve, one) in enumerate(found)],
        columns=["row", "curve", "source", "task", "group", "licence", "learns", "points", "clipped"],
    )  # fmt: skip


def fingerprint(row: str) -> str:
    """sha256 of the table, which tells whether another folder holds the same."""
    return hashlib.sha256((_folder() / ROWS[row].file).read_bytes()).hexdigest()


def _metric(curve: RealCurve) -> tuple[float, float, bool]:
    return curve.low, curve.high, curve.minimise


@functools.lru_cache(maxsize=2)
def _read(where: Path, file: str) -> list[RealCurve]:
    return real_table.read(where, file)


def _folder() -> Path:
    where = real_table.folder()
    if where is None:
        raise UserError(f"{real_table.VARIABLE} does not say where the tables of real curves are")
    return where
