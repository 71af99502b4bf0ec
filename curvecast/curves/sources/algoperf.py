"""AlgoPerf: submissions to the MLCommons benchmark, five studies of five trials each, one metric for each workload."""

import csv
from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="algoperf_v05_external.csv.gz",
    source="algoperf",
    licence="Apache-2.0",
    copyright="The authors of the submissions and MLCommons",
    citation="algoperf",
    repository="mlcommons/submissions_algorithms",
    commit="12c8e4ea93dc41a1ff6abc3debba9accd8ac1e3a",
    folder="previous_leaderboards/algoperf_v05/logs/external_tuning",
    megabytes=613,
    sha256="7860f98578937c28e36e25d248ef229918a586d912c4e6e2ca8171ef56b83c70",
)
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
            measure = WORKLOADS[workload]
            steps, values = _columns(path, measure.metric)
            name = f"v05/external/{task}/{submission}/{study}/{trial}"
            yield Curve(
                name, steps, values, task, f"{workload}/{submission}", measure, config, untrained=True
            )


def _columns(path: Path, metric: str) -> tuple[list[int], list[float]]:
    """Steps and values; rows without the metric are skipped."""
    with ORIGIN.layout(path), path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[metric]]
        return [int(float(row["global_step"])) for row in rows], [float(row[metric]) for row in rows]
