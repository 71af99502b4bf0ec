"""Pythia: zero-shot accuracies of seven language models at 27 checkpoints.

`mmlu_macro` is the plain mean over the 57 exams of MMLU.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError

ORIGIN = Origin(
    file="pythia_zero_shot.csv.gz",
    source="pythia",
    licence="Apache-2.0",
    copyright="The authors of Pythia, EleutherAI",
    citation="pythia",
    repository="EleutherAI/pythia",
    commit="a19eecb807ec2c79a39ebf18108816e6ffffc1d5",
    folder="evals/pythia-v1",
    megabytes=16,
    sha256="72231fdd350330f43472186ac5fd4bf0ebb5cd50513dd5452d002f6725b16f09",
)
MODELS = ("160m", "160m-deduped", "1b-deduped", "410m", "410m-deduped", "70m", "70m-deduped")
TASKS = ("arc_challenge", "arc_easy", "lambada_openai", "logiqa", "piqa", "sciq", "winogrande", "wsc")
EXAMS, EXAM = 57, "hendrycksTest-"
ACCURACY = Measure("accuracy", higher_is_better=True, step_unit="optimiser steps", high=1)


def read(clone: Path) -> Iterator[Curve]:
    for model in MODELS:
        checkpoints = [_checkpoint(path) for path in ORIGIN.inside(clone, f"pythia-{model}/zero-shot/*.json")]
        steps = [step for step, _ in checkpoints]
        for task in sorted((*TASKS, "mmlu_macro")):
            values = [scores[task] for _, scores in checkpoints]
            config = {"few_shot": 0, "model": f"pythia-{model}", "task": task}
            yield Curve(
                f"{model}/{task}", steps, values, task, f"pythia-{model}", ACCURACY, config, untrained=True
            )


def _checkpoint(path: Path) -> tuple[int, dict[str, float]]:
    """The step of a checkpoint, and its accuracy on each task."""
    results = ORIGIN.json(path)
    with ORIGIN.layout(path):
        accuracies = {
            task: metrics["acc"] for task, metrics in results["results"].items() if "acc" in metrics
        }
        exams = [value for task, value in accuracies.items() if task.startswith(EXAM)]
        if len(exams) != EXAMS:
            raise UserError(f"{path} has {len(exams)} of {EXAMS} exams: {ORIGIN.to_clone}")
        scores = {task: accuracies[task] for task in TASKS} | {"mmlu_macro": fmean(exams)}
        return int(re.findall(r"step(\d+)$", path.stem)[0]), scores
