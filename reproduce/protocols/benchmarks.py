"""Curves that others measured, by table and side, in the folder that CURVECAST_DATA names; the nine benchmarks among them (a
source and a metric), and a random choice of the curves of a side."""

import functools
import gzip
import hashlib
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from curvecast.curves import real_table
from curvecast.curves.real_table import RealCurve, side
from curvecast.ground.errors import UserError
from presswork.estimates import Rows
from reproduce.protocols.real_curve import Trial, trial_of

FILES = {
    "adabelief": "adabelief_cifar10.csv.gz", "algoperf": "algoperf_v05_external.csv.gz",
    "deepobs": "deepobs_baselines.csv.gz", "lcdb11": "lcdb11_valid_error.csv.gz", "nanogpt": "nanogpt_val_loss.csv.gz",
    "pythia": "pythia_zero_shot.csv.gz", "taskset": "taskset_rnn12_valid_loss.csv.gz",
}  # fmt: skip


class Row(NamedTuple):
    title: str
    source: str  # the table
    metric: str

    @property
    def file(self) -> str:
        return FILES[self.source]


ROWS = {
    "adabelief": Row("AdaBelief, accuracy", "adabelief", "test_accuracy"),
    "algoperf": Row("AlgoPerf, accuracy", "algoperf", "validation/accuracy"),
    "precision": Row("AlgoPerf, average precision", "algoperf", "validation/mean_average_precision"),
    "words": Row("AlgoPerf, word error rate", "algoperf", "validation/wer"),
    "deepobs": Row("DeepOBS, accuracy", "deepobs", "test_accuracy"),
    "lcdb11": Row("LCDB 1.1, error rate", "lcdb11", "validation_error_rate"),
    "nanogpt": Row("modded-nanogpt, loss", "nanogpt", "val_loss"),
    "pythia": Row("Pythia, accuracy", "pythia", "accuracy"),
    "taskset": Row("TaskSet, loss", "taskset", "valid_loss"),
}
TITLES = {row: about.title for row, about in ROWS.items()}
SOURCES = {about.source: about.title.partition(",")[0] for about in ROWS.values()}  # with titles
READ = ("row", "file", "sha256", "side", "curves")
ABOUT = ("row", "curve", "source", "task", "group", "licence", "learns", "points", "clipped")


def of_side(source: str, which: str) -> list[RealCurve]:
    """The curves of a table that lie on a side, look or judge."""
    return [curve for curve in _read(folder(), FILES[source]) if side(curve.source, curve.group) == which]


def fingerprint(source: str) -> str:
    """sha256 of the table's text, which tells whether another folder holds the same, packed by whatever machine."""
    return hashlib.sha256(gzip.decompress((folder() / FILES[source]).read_bytes())).hexdigest()


def folder() -> Path:
    where = real_table.folder()
    if where is None:
        raise UserError(f"{real_table.VARIABLE} does not say where the tables of real curves are")
    return where


@functools.lru_cache(maxsize=len(FILES))  # who asks goes round all of them
def _read(where: Path, file: str) -> list[RealCurve]:
    return real_table.read(where, file)


# ---------------------------------------------------------------------------------------------- curves of a benchmark


class Chosen(NamedTuple):
    curve: RealCurve
    trial: Trial


def chosen(row: str, which: str, most: int, seed: int) -> list[Chosen]:
    """At most so many curves of a benchmark on a side, in random order: fewer are the first of more."""
    _, source, metric = ROWS[row]
    there = [one for one in of_side(source, which) if one.metric == metric]
    order = np.random.default_rng([seed, list(ROWS).index(row)]).permutation(len(there))
    tried = ((there[i], trial_of(there[i])) for i in order)
    return list(islice((Chosen(curve, one) for curve, one in tried if one is not None), most))


def about(row: str, found: list[Chosen]) -> pd.DataFrame:
    """A line for each curve, by its number; nothing of its values."""
    return pd.DataFrame(
        [(row, number, curve.source, curve.task, curve.group, curve.licence, one.learns(), len(one.values),
          round(one.clipped, 4)) for number, (curve, one) in enumerate(found)],
        columns=list(ABOUT),
    )  # fmt: skip


def listed(row: str, which: str, found: list[Chosen]) -> Rows:
    """Which curves were read on which side of which table."""
    about_table = row, ROWS[row].file, fingerprint(ROWS[row].source), which, len(found)
    read = pd.DataFrame([about_table], columns=list(READ))
    return {"read": read, "curves": about(row, found).assign(side=which)}
