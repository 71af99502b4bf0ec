"""Pythia: zero-shot accuracies of seven language models at 27 checkpoints.

`mmlu_macro` is the plain mean over the 57 exams of MMLU.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import demand

ORIGIN = origin.of("pythia")
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
            name, group = f"{model}/{task}", f"pythia-{model}"
            config = {"few_shot": 0, "model": group, "task": task}
            yield Curve(name, steps, values, task, group, ACCURACY, config, untrained=True)


def _checkpoint(path: Path) -> tuple[int, dict[str, float]]:
    """The step of a checkpoint, and its accuracy on each task."""
    results = ORIGIN.json(path)
    with ORIGIN.layout(path):
        told = results["results"].items()
        accuracies = {task: metrics["acc"] for task, metrics in told if "acc" in metrics}
        exams = [value for task, value in accuracies.items() if task.startswith(EXAM)]
        demand(len(exams) == EXAMS, f"{path} has {len(exams)} of {EXAMS} exams: {ORIGIN.to_clone}")
        scores = {task: accuracies[task] for task in TASKS} | {"mmlu_macro": fmean(exams)}
        return int(re.findall(r"step(\d+)$", path.stem)[0]), scores
