"""Curves that others measured, by table and side: the folder that CURVECAST_DATA names holds the tables."""

import functools
import gzip
import hashlib
from pathlib import Path

from curvecast.curves import real_table
from curvecast.curves.real_table import RealCurve, side
from curvecast.ground.errors import UserError

FILES = {
    "adabelief": "adabelief_cifar10.csv.gz", "algoperf": "algoperf_v05_external.csv.gz",
    "deepobs": "deepobs_baselines.csv.gz", "lcdb11": "lcdb11_valid_error.csv.gz", "nanogpt": "nanogpt_val_loss.csv.gz",
    "pythia": "pythia_zero_shot.csv.gz", "taskset": "taskset_rnn12_valid_loss.csv.gz",
}  # fmt: skip


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
