"""Taskset in the version of DyHPO: text classifiers on IMDB, 12 tasks of 1,000 settings, curves averaged over five seeds.

The files have 51 values and no steps; by the protocol of Taskset these span 10,000 iterations.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="taskset_rnn12_valid_loss.csv.gz",
    source="taskset",
    licence="Apache-2.0",
    copyright="The authors of DyHPO; curves of TaskSet, Google LLC",
    citation="taskset",
    repository="releaunifreiburg/DyHPO",
    commit="cfba15aecf21e8c312c45d053f1ab6426a9973ce",
    folder="data/taskset",
    megabytes=37,
    sha256="1706661593caadb514b68693622337aeb9699bc55def6176d292173e006e49cc",
)
FAMILY = "FixedTextRNNClassification_"
EVERY = 200  # iterations between two values


def shortest(value: float) -> str:
    """The fewest digits that reproduce the float32."""
    return str(np.float32(value))


LOSS = Measure("valid_loss", higher_is_better=False, step_unit="optimiser iterations", digits=shortest)


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, f"{FAMILY}*.json"):
        yield from of_file(path)


def of_file(path: Path) -> Iterator[Curve]:
    """The curves of one task, one for each setting."""
    task = path.stem.removeprefix(FAMILY)
    runs = ORIGIN.json(path)
    with ORIGIN.layout(path):
        for number, run in enumerate(runs):
            losses = run["valid"]["loss"]
            steps = range(0, EVERY * len(losses), EVERY)
            yield Curve(f"{task}/{number:04}", steps, losses, task, task, LOSS, run["hp"], untrained=True)
