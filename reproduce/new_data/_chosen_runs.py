"""Our own runs as forecasters get them: a benchmark is a metric and what a step is."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduce._press.where import Rows
from reproduce.new_data import _kinds
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import Trial, trial_of

TITLES = {
    "accuracy-epoch": "accuracy by epoch", "loss-epoch": "log-loss by epoch", "accuracy-tree": "accuracy by tree",
    "loss-tree": "log-loss by tree", "accuracy-rows": "accuracy by training rows", "loss-rows": "log-loss by training rows",
}  # fmt: skip


class ChosenRun(NamedTuple):
    run: OwnRun
    kind: str
    trial: Trial


def put(rows: Rows, row: str, most: int, seed: int) -> list[ChosenRun]:
    """At most so many runs of a benchmark, in random order: fewer are the first of more."""
    metric, _, x = row.partition("-")
    pairs = [pair for pair in _kinds.pairs(own_runs(rows)) if pair.accuracy.x == x]
    order = np.random.default_rng([seed, list(TITLES).index(row)]).permutation(len(pairs))
    tried = ((getattr(pairs[i], metric), _kinds.kind(pairs[i])) for i in order)
    found = ((run, kind, trial_of(run)) for run, kind in tried)
    return [ChosenRun(run, kind, one) for run, kind, one in found if one is not None][:most]


def about(row: str, found: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, run.name, run.learner, run.task, run.group, kind, one.learns(), len(one.values), one.clipped)
         for i, (run, kind, one) in enumerate(found)],
        columns=["row", "curve", "run", "learner", "task", "group", "kind", "learns", "points", "clipped"],
    )  # fmt: skip


def titles(rows: Rows) -> dict[str, str]:
    """Of the benchmarks that were measured."""
    there = set(rows["curves"]["row"]) if "curves" in rows else set()
    return {row: title for row, title in TITLES.items() if row in there}
