"""The runs of the chapter's questions as arrays: a value for each epoch, of every technique and seed."""

from collections.abc import Iterator
from string import Formatter
from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduce._press.where import Rows, where

SOURCES = {  # question: the name of a technique, from the columns that tell its techniques apart
    "overfitting": "{technique}",
    "rates": "rate {rate:g}, {schedule}, batch {batch}",
    "ladder": "{rung}",
    "starts": "{depth} {unit}, {start}, {norm} norm, rate {rate:g}",
    "steppers": "{method}",
    "cliff": "rate {rate:g}, {clipping}",
}
TABLE = {"rates": "rows", "ladder": "rows", "starts": "runs", "steppers": "network", "cliff": "curves"}
OTHER_NAMES = {"step": "epoch", "loss": "test_cost"}  # the cliff's curves are means over blocks of steps


class Run(NamedTuple):
    source: str
    technique: str
    seed: int
    metric: str
    values: np.ndarray  # (epochs,), finite


def runs(source: str, read: Rows | pd.DataFrame, metrics: tuple[str, ...], least: int) -> Iterator[Run]:
    """From the first epoch to where a run diverges, if these are enough; of a vote, its first network alone."""
    rows = read[TABLE[source]] if isinstance(read, dict) else read
    rows = where(rows, member=0) if "member" in rows else rows
    rows = rows if "epoch" in rows else rows.rename(columns=OTHER_NAMES)
    columns = [name for _, name, _, _ in Formatter().parse(SOURCES[source]) if name]
    for technique, some in rows[rows["epoch"] > 0].groupby(columns, sort=False):
        named = SOURCES[source].format(**dict(zip(columns, technique, strict=True)))
        for seed, one in some.groupby("seed"):
            for metric in (metric for metric in metrics if metric in one):
                values = one.sort_values("epoch")[metric].to_numpy()
                bad = np.flatnonzero(~np.isfinite(values))
                values = values[: bad[0]] if len(bad) else values
                if len(values) >= least:
                    yield Run(source, named.replace(", none norm", ""), int(str(seed)), metric, values)
