"""Which curves of which tables: the nine benchmarks (a source and a metric), and a random choice of the curves of a side."""

from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from curvecast.curves.real_table import RealCurve
from presswork.estimates import Rows
from reproduce.protocols import tables_of_others
from reproduce.protocols.real_curve import Trial, trial_of


class Row(NamedTuple):
    title: str
    source: str  # the table
    metric: str

    @property
    def file(self) -> str:
        return tables_of_others.FILES[self.source]


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


class Chosen(NamedTuple):
    curve: RealCurve
    trial: Trial


def chosen(row: str, which: str, most: int, seed: int) -> list[Chosen]:
    """At most so many curves of a benchmark on a side, in random order: fewer are the first of more."""
    _, source, metric = ROWS[row]
    there = [one for one in tables_of_others.of_side(source, which) if one.metric == metric]
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
    fingerprint = tables_of_others.fingerprint(ROWS[row].source)
    read = pd.DataFrame([(row, ROWS[row].file, fingerprint, which, len(found))], columns=list(READ))
    return {"read": read, "curves": about(row, found).assign(side=which)}
