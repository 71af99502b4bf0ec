"""A folder of tables in the layout of the real ones, of MADE-UP curves: they are no measurement of anything."""

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from curvecast.curves.real_table import INDEX, INDEX_COLUMNS, POINTS


class Made(NamedTuple):
    file: str
    source: str
    task: str
    group: str
    metric: str
    minimise: bool
    most: float | str  # the highest value of the metric; "": there is no bound
    values: np.ndarray


def write(where: Path, made: Iterable[Made]) -> Path:
    """Each curve by its number; the folder itself."""
    points: dict[str, list[tuple]] = {}
    about = []
    for i, one in enumerate(made):
        steps = enumerate(one.values, 1)
        points.setdefault(one.file, []).extend((one.source, f"run {i}", step, value) for step, value in steps)
        about.append((one.file, one.source, f"run {i}", one.task, one.group, one.metric, int(not one.minimise),
                      len(one.values), 0, 0, one.most, "made up"))  # fmt: skip
    for name, lines, columns in [
        (INDEX, about, INDEX_COLUMNS),
        *((file, lines, POINTS) for file, lines in points.items()),
    ]:
        with gzip.open(where / name, "wt") as file:
            pd.DataFrame(lines, columns=list(columns)).to_csv(file, index=False)
    return where
