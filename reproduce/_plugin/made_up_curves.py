"""A folder of MADE-UP curves in the layout of the real ones: they are no measurement of anything.

Questions that need a folder of tables run on this one at smoke scale and in tests. The same seed gives the same curves.
Each table has two tasks, one in the tuning and one in the test set (except for sources that are only in the test set).
Most curves improve by a power law; one in four (in the second task one in two) learns nothing, some losses diverge, and
some runs end early.
"""

import atexit
import functools
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np

from curvecast.curves import real_table
from curvecast.curves.sources import catalogue, scaling_laws
from curvecast.curves.sources.catalogue import ORDER, SOURCES
from curvecast.curves.sources.uniform_table import Curve, Measure, as_text, packed, six_digits
from curvecast.curves.sources.uniform_table import write as write_table
from curvecast.ground import whole_file

MEASURES = {  # of each table
    "taskset": [catalogue.TASKSET_LOSS],
    "algoperf": [catalogue.WORKLOADS[name] for name in ("imagenet_resnet", "ogbg", "librispeech_conformer")],
    "deepobs": [catalogue.TEST_ACCURACY],
    "lcdb11": [catalogue.ERROR],
    "adabelief": [catalogue.TEST_ACCURACY],
    "modded_nanogpt": [catalogue.NANOGPT_LOSS],
    "pythia": [catalogue.PYTHIA_ACCURACY],
}
FROM_UNTRAINED = (catalogue.TASKSET_LOSS, catalogue.TEST_ACCURACY)  # whose curves begin before the first step
TASKS, GROUPS, RUNS = 2, 30, 2  # of each measure, of a task, of a group
LENGTHS = (30, 36, 40, 30, 36, 40, 21)  # points
DIVERGED = 1e9


def write(folder: Path, seed: int = 0) -> Path:
    """The tables and their index."""
    for number, (name, measures) in enumerate(MEASURES.items()):
        terms = replace(SOURCES[name].origin, licence="made up")
        numbered = enumerate(measures)
        curves = [curve for i, measure in numbered for curve in _curves(measure, [seed, number, i])]
        write_table(folder, terms, curves, ORDER)
    whole_file.write(folder / scaling_laws.ORIGIN.file, packed(as_text(scaling_laws.COLUMNS, _scaling(seed))))
    return folder


def _scaling(seed: int) -> list[dict[str, object]]:
    """Power laws with a floor: of two parts, the first twelve points of each curve given."""
    rng, points = np.random.default_rng([seed, 99]), range(20)
    found: list[dict[str, object]] = []
    for part in ("images", scaling_laws.COLPRET):
        for task in range(4):
            floor, slope = rng.uniform(0.02, 0.2), rng.uniform(0.2, 0.6)
            steps = 100 * 1.5 ** np.arange(len(points))
            values = (floor + (steps / 50) ** -slope) * np.exp(rng.normal(0, 0.005, len(points)))
            found += [
                dict(zip(scaling_laws.COLUMNS, (part, f"task {task}", f"model {task}", f"{steps[i]:g}", f"{values[i]:.6g}",
                                                int(i < 12), "made up"), strict=True))
                for i in points
            ]  # fmt: skip
    return found


@functools.cache
def folder() -> Path:
    """Written once for each process, and removed when it ends."""
    made = tempfile.TemporaryDirectory(prefix="made-up-curves-")
    atexit.register(made.cleanup)
    return write(Path(made.name))


def named() -> AbstractContextManager[object]:
    """CURVECAST_DATA and CURVECAST_SCALING name them, whatever they named before."""
    return patch.dict(os.environ, dict.fromkeys((real_table.VARIABLE, "CURVECAST_SCALING"), str(folder())))


def _curves(measure: Measure, seed: list[int]) -> Iterator[Curve]:
    rounded = replace(measure, digits=six_digits)
    for task in range(TASKS):
        for run in range(GROUPS * RUNS):
            learns = run % (4, 2)[task] != 1
            values = _values(measure, run, learns, np.random.default_rng([*seed, task, run]))
            name = f"{measure.metric} task {task}"
            yield Curve(
                f"{name} run {run}", range(len(values)), values, name, f"{name} group {run // RUNS}",
                rounded, {"made up": True}, measure in FROM_UNTRAINED,
            )  # fmt: skip


def _values(measure: Measure, run: int, learns: bool, rng: np.random.Generator) -> list[float]:
    x = np.arange(1.0, LENGTHS[run % len(LENGTHS)] + 1)
    first, gain = rng.uniform(0.1, 0.3), rng.uniform(0.3, 0.6)
    better = first + learns * gain * (1 - x ** -rng.uniform(0.4, 1.2))
    y = np.clip(better + rng.normal(0, 0.003, len(x)), 0, 1)  # more is better
    y = y if measure.higher_is_better else 1 - y
    if measure.high is None:
        y = math.e * y
        if run % 10 == 4:
            y[len(y) // 2 :] = DIVERGED
    return [float(value) for value in y]
