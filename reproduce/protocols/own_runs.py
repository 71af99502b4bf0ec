"""The rows of own_curves as runs: an array of values for each run and metric, with bounds, direction, group and settings.

A run of another question gets them through `reads`. The untrained value is apart, since it is no observation.
"""

import json
import math
from typing import Any, NamedTuple

import numpy as np

from presswork.estimates import Rows

BOUNDS = {"accuracy": (0.0, 1.0), "loss": (0.0, math.inf)}
LEAST = 20  # points: boosting that has learnt all may end after a few trees


class OwnRun(NamedTuple):
    name: str
    learner: str
    task: str
    group: str  # runs that differ in nothing but the seed
    metric: str  # accuracy or loss, on held-out rows
    low: float
    high: float
    minimise: bool
    x: str  # what a step is: epoch, tree or rows (of training)
    steps: np.ndarray  # (n,), rising
    values: np.ndarray  # (n,), finite
    untrained: float | None  # before the first epoch, where it is known
    broke: int | None  # the first step whose outputs were not finite
    classes: int
    guess: float  # the accuracy of always naming the commonest class
    settings: dict[str, Any]


def own_runs(rows: Rows, metrics: tuple[str, ...] = ("accuracy", "loss"), least: int = LEAST) -> list[OwnRun]:
    """All runs with at least so many points, metric by metric, in the order of the plan."""
    columns = ["step", *BOUNDS]
    points = {
        run: {column: own[column].to_numpy() for column in columns}  # thousands of runs are slow as tables
        for run, own in rows["rows"].groupby("run", sort=False)
    }
    return [
        _run(row, points[row["run"]], metric)
        for metric in metrics
        for row in rows["runs"].to_dict("records")
        if (points[row["run"]]["step"] > 0).sum() >= least
    ]


def _run(row: dict[str, Any], points: dict[str, np.ndarray], metric: str) -> OwnRun:
    after = points["step"] > 0
    before = points[metric][points["step"] == 0]
    low, high = BOUNDS[metric]
    return OwnRun(
        row["run"], row["learner"], row["task"], row["group"], metric, low, high, metric == "loss", row["x"],
        points["step"][after], points[metric][after], float(before[0]) if len(before) else None,
        None if math.isnan(row["broke"]) else int(row["broke"]), row["classes"], row["guess"], json.loads(row["settings"]),
    )  # fmt: skip
