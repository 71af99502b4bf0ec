"""Taskset in the version of DyHPO: text classifiers on IMDB, 12 tasks of 1,000 settings, curves averaged over five seeds.

The files have 51 values and no steps; by the protocol of Taskset these span 10,000 iterations.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("taskset")
FAMILY = "FixedTextRNNClassification_"
EVERY = 200  # iterations between two values


def shortest(value: float) -> str:
    """The fewest digits that reproduce the float32."""
    return str(np.float32(value))


LOSS = Measure("valid_loss", higher_is_better=False, step_unit="optimiser iterations", digits=shortest)


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, f"{FAMILY}*.json"):
        task, runs = path.stem.removeprefix(FAMILY), ORIGIN.json(path)
        with ORIGIN.layout(path):
            for number, run in enumerate(runs):
                losses, name = run["valid"]["loss"], f"{task}/{number:04}"
                steps = range(0, EVERY * len(losses), EVERY)
                yield Curve(name, steps, losses, task, task, LOSS, run["hp"], untrained=True)
