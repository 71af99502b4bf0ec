"""The runs of the chapter's questions as arrays: a value for each epoch, of every technique and seed."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduce._press.where import Rows, where

SOURCES = {  # question: the columns that tell its techniques apart
    "overfitting": ("technique",), "rates": ("rate", "schedule", "batch"), "ladder": ("rung",),
}  # fmt: skip


class Run(NamedTuple):
    source: str
    technique: str
    seed: int
    metric: str
    values: np.ndarray  # (epochs,), finite


def runs(source: str, read: Rows | pd.DataFrame, metrics: tuple[str, ...], least: int) -> Iterator[Run]:
    """From the first epoch to where a run diverges, if these are enough; of a vote, its first network alone."""
    rows = read["rows"] if isinstance(read, dict) else read
    rows = where(rows, member=0) if "member" in rows else rows
    for technique, some in rows[rows["epoch"] > 0].groupby(list(SOURCES[source]), sort=False):
        for seed, one in some.groupby("seed"):
            for metric in metrics:
                values = one.sort_values("epoch")[metric].to_numpy()
                bad = np.flatnonzero(~np.isfinite(values))
                values = values[: bad[0]] if len(bad) else values
                if len(values) >= least:
                    yield Run(source, _name(technique), int(str(seed)), metric, values)


def _name(technique: object) -> str:
    if not isinstance(technique, tuple) or len(technique) == 1:
        return str(technique[0] if isinstance(technique, tuple) else technique)
    rate, schedule, batch = technique
    return f"rate {rate:g}, {schedule}, batch {batch}"
