"""A gzipped CSV table: its columns as text or as numbers, or one sentence that says what is wrong.

It is unpacked while it is read, up to LARGEST bytes: a small gzip may unpack to an enormous file.
"""

import csv
import gzip
from pathlib import Path

import numpy as np
import pandas as pd

from curvecast.ground.errors import UserError, demand, reading

LARGEST = 100_000_000  # bytes of an unpacked file
MOST_CELLS = 4_000_000  # each is a text of its own at first
HEADER = 100_000  # most bytes that are read of the first line


class _LimitedGzip(gzip.GzipFile):
    def read(self, size: int | None = -1) -> bytes:
        self._check_length()
        return super().read(size)

    def read1(self, size: int = -1) -> bytes:
        self._check_length()
        return super().read1(size)

    def _check_length(self) -> None:
        way = "this is not a table of curves"
        demand(self.tell() <= LARGEST, f"{self.name} unpacks to more than {LARGEST / 1e6:g} MB: {way}")


def read(path: Path, texts: tuple[str, ...], numbers: tuple[str, ...] = ()) -> pd.DataFrame:
    """Only these columns: texts unchanged, numbers as finite floats."""
    columns = [*texts, *numbers]
    most = MOST_CELLS // len(columns)
    with reading(path, "cannot be read as a gzipped table of comma-separated values", "is it cut off?"):
        with _LimitedGzip(path) as file:
            names = next(csv.reader([file.readline(HEADER).decode("utf-8-sig")]), [])
            if lacking := [name for name in columns if name not in names]:
                raise UserError(f"{path} has no column {lacking[0]!r}; it has {', '.join(names)[:300]}")
            # names are given: pandas would make those that come twice differ, which takes for ever where they are many
            rows = pd.read_csv(
                file, names=names, header=None, usecols=columns, index_col=False, nrows=most + 1,
                dtype=str, keep_default_na=False, skip_blank_lines=False,
            )  # fmt: skip
        demand(len(rows) <= most, f"{path} has more than {most:,} rows: this is not a table of curves")
    return rows.assign(**{column: _numbers(path, rows[column]) for column in numbers})


def _numbers(path: Path, texts: pd.Series) -> np.ndarray:
    try:
        numbers = texts.to_numpy(dtype=object).astype(float)
    except ValueError:
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)  # slow; NaN where it fails
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        i = int(bad[0])
        raise UserError(f"{path}, line {i + 2}: {texts.name} is {texts.iat[i]!r}, not a finite number")
    return numbers
