"""AlgoPerf: submissions to the MLCommons benchmark, five studies of five trials each, one metric for each workload."""

import csv
from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("algoperf")
STEPS = "optimiser steps"
ACCURACY = Measure("validation/accuracy", higher_is_better=True, step_unit=STEPS, high=1)
PRECISION = Measure("validation/mean_average_precision", higher_is_better=True, step_unit=STEPS, high=1)
WORD_ERROR = Measure("validation/wer", higher_is_better=False, step_unit=STEPS)
WORKLOADS = {
    "imagenet_resnet": ACCURACY,
    "ogbg": PRECISION,
    "wmt": ACCURACY,
    "librispeech_conformer": WORD_ERROR,
}


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, "*/*/*/*/eval_measurements.csv"):
        submission, study, task, trial = path.relative_to(clone / ORIGIN.folder).parts[:4]
        workload, _, framework = task.rpartition("_")
        if workload in WORKLOADS and framework in ("jax", "pytorch"):
            config = {
                "board": "v05",
                "framework": framework,
                "ruleset": "external",
                "study": study,
                "submission": submission,
                "trial": trial,
            }
            measure, group = WORKLOADS[workload], f"{workload}/{submission}"
            with ORIGIN.layout(path), path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.DictReader(file) if row[measure.metric]]
                steps = [int(float(row["global_step"])) for row in rows]
                values = [float(row[measure.metric]) for row in rows]
            name = f"v05/external/{task}/{submission}/{study}/{trial}"
            yield Curve(name, steps, values, task, group, measure, config, untrained=True)
