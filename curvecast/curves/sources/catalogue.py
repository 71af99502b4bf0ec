"""All sources that have a converter, in the order of the index: a paragraph each, and the table that it becomes."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha1, sha256
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from curvecast.curves.sources.origin import Origin, objects, of
from curvecast.curves.sources.uniform_table import Curve, Measure, kept, write
from curvecast.ground.errors import demand

TEST_ACCURACY = Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1)
STEPS = "optimiser steps"

# -----------------------------------------------------------------------------------------------------------
# Taskset in the version of DyHPO: text classifiers on IMDB, 12 tasks of 1,000 settings, curves averaged over five seeds.
#
# The files have 51 values and no steps; by the protocol of Taskset these span 10,000 iterations.


def shortest(value: float) -> str:
    """The fewest digits that reproduce the float32."""
    return str(np.float32(value))


TASKSET = of("taskset")
TASKSET_LOSS = Measure("valid_loss", False, "optimiser iterations", digits=shortest)
FAMILY = "FixedTextRNNClassification_"
EVERY = 200  # iterations between two values


def taskset(clone: Path) -> Iterator[Curve]:
    for path in TASKSET.inside(clone, f"{FAMILY}*.json"):
        task, runs = path.stem.removeprefix(FAMILY), TASKSET.json(path)
        with TASKSET.layout(path):
            for number, run in enumerate(runs):
                losses, name = run["valid"]["loss"], f"{task}/{number:04}"
                steps = range(0, EVERY * len(losses), EVERY)
                yield Curve(name, steps, losses, task, task, TASKSET_LOSS, run["hp"], untrained=True)


# -----------------------------------------------------------------------------------------------------------
# AlgoPerf: submissions to the MLCommons benchmark, five studies of five trials each, one metric for each workload.

ALGOPERF = of("algoperf")
WORKLOADS = {
    "imagenet_resnet": Measure("validation/accuracy", higher_is_better=True, step_unit=STEPS, high=1),
    "ogbg": Measure("validation/mean_average_precision", higher_is_better=True, step_unit=STEPS, high=1),
    "wmt": Measure("validation/accuracy", higher_is_better=True, step_unit=STEPS, high=1),
    "librispeech_conformer": Measure("validation/wer", higher_is_better=False, step_unit=STEPS),
}


def algoperf(clone: Path) -> Iterator[Curve]:
    for path in ALGOPERF.inside(clone, "*/*/*/*/eval_measurements.csv"):
        submission, study, task, trial = path.relative_to(clone / ALGOPERF.folder).parts[:4]
        workload, _, framework = task.rpartition("_")
        if workload in WORKLOADS and framework in ("jax", "pytorch"):
            about = {"board": "v05", "framework": framework, "ruleset": "external"}
            config = about | {"study": study, "submission": submission, "trial": trial}
            measure, group = WORKLOADS[workload], f"{workload}/{submission}"
            with ALGOPERF.layout(path), path.open(encoding="utf-8", newline="") as file:
                rows = [row for row in csv.DictReader(file) if row[measure.metric]]
                steps = [int(float(row["global_step"])) for row in rows]
                values = [float(row[measure.metric]) for row in rows]
            name = f"v05/external/{task}/{submission}/{study}/{trial}"
            yield Curve(name, steps, values, task, group, measure, config, untrained=True)


# -----------------------------------------------------------------------------------------------------------
# DeepOBS: three optimisers on a grid of 36 learning rates, and nine more seeds at the best one.

DEEPOBS = of("deepobs")
PROBLEMS = ("cifar100_allcnnc", "cifar10_3c3d", "fmnist_2c2d", "tolstoi_char_rnn")
SETTINGS = ("optimizer", "learning_rate", "random_seed", "batch_size")


def deepobs(clone: Path) -> Iterator[Curve]:
    for problem in PROBLEMS:
        for path in DEEPOBS.inside(clone, f"{problem}/*/*/*.json"):
            run = DEEPOBS.json(path)
            with DEEPOBS.layout(path):
                optimiser, rate, seed, size = (run[name] for name in SETTINGS)
                told = {"batch_size": size, "learning_rate": rate, "optimizer": optimiser, "seed": seed}
                name, group = f"{problem}/{optimiser}/lr{rate:.3g}/seed{seed}", f"{problem}/{optimiser}"
                values, config = run["test_accuracies"], run["hyperparams"] | told
                epochs = range(len(values))
                yield Curve(name, epochs, values, problem, group, TEST_ACCURACY, config, untrained=True)


# -----------------------------------------------------------------------------------------------------------
# LCDB 1.1: the error of classifiers against the size of their training set, the mean over up to 25 splits.
#
# Of its 265 data sets 117 are used, chosen by a hash of their OpenML id; the dummy classifier is skipped.

LCDB = of("lcdb11")
ERROR = Measure("validation_error_rate", higher_is_better=False, step_unit="training-set size", high=1)
MEAN, VALIDATION = 0, 1  # indices in [learner][mean, standard error][size][train, validation, test]


def lcdb11(clone: Path) -> Iterator[Curve]:
    """No curve if nothing was measured, or if a size in between is missing."""
    meta, names = (LCDB.json(*LCDB.inside(clone, f"{name}.json")) for name in ("meta", "names"))
    for path in sorted(LCDB.inside(clone, "er/*.json"), key=lambda path: int(path.stem)):
        number, sizes = path.stem, meta["anchors"]
        if int(sha1(f"lcdb11-{number}".encode()).hexdigest(), 16) % 10 >= 5:
            continue
        learners = LCDB.json(path)
        with LCDB.layout(path):
            for learner, stats in zip(meta["learners"], learners, strict=True):
                errors = [splits[VALIDATION] for splits in stats[MEAN]]
                there = [i for i, error in enumerate(errors) if error is not None]
                if learner == "DummyClassifier" or not there or len(there) < there[-1] - there[0] + 1:
                    continue
                config = {"dataset": names[number], "learner": learner, "openml_id": int(number)}
                yield Curve(
                    f"{number}/{learner.replace(' ', '')}", [sizes[i] for i in there], [errors[i] for i in there],
                    f"openml-{number} {names[number]}", f"openml-{number}", ERROR, config,
                )  # fmt: skip


# -----------------------------------------------------------------------------------------------------------
# AdaBelief: the test accuracy of three networks and nine optimisers on CIFAR-10. The rate drops by ten at epoch 150.

ADABELIEF = of("adabelief")
HEADER = 3  # objects of the old torch format before the saved one: magic number, version, machine


def adabelief(clone: Path) -> Iterator[Curve]:
    for path in ADABELIEF.inside(clone, "*-*-lr*"):
        with ADABELIEF.layout(path):
            network, optimiser = path.name.split("-")[:2]
            values = [percent / 100 for percent in objects(path)[HEADER]["test_acc"]]
            config = {"arch": network, "optimizer": optimiser, "run": path.name}
            name, group = f"{network}/{optimiser}", f"cifar10/{network}"
            yield Curve(name, range(1, len(values) + 1), values, "cifar10", group, TEST_ACCURACY, config)


# -----------------------------------------------------------------------------------------------------------
# modded-nanogpt: the validation loss of a GPT-2 with 124M weights, from text logs of two thirds of the folders (by a hash).
#
# Logs of several runs, and logs with more than 400 values, are skipped.

NANOGPT = of("modded_nanogpt")
NANOGPT_LOSS = Measure("val_loss", higher_is_better=False, step_unit=STEPS)
LINE = re.compile(r"^step:(\d+)/\d+ val_loss:(\S+)", re.MULTILINE)
MOST_POINTS = 400


def modded_nanogpt(clone: Path) -> Iterator[Curve]:
    task = "track_3_optimization"
    for path in NANOGPT.inside(clone, "*/**/*.txt"):
        folder, inside = path.relative_to(clone / NANOGPT.folder).parts[0], path.relative_to(clone).as_posix()
        if int(sha1(f"nano-{folder}".encode()).hexdigest(), 16) % 3 == 0:
            continue
        with NANOGPT.layout(path):
            pairs = LINE.findall(path.read_text(encoding="utf-8", errors="replace"))
            steps, values = [int(step) for step, _ in pairs], [float(value) for _, value in pairs]
        rising = all(before <= after for before, after in pairwise(steps))  # a log of one run
        if rising and 0 < len(steps) <= MOST_POINTS:
            name = f"t3_optimization/{folder}/{sha1(inside.encode()).hexdigest()[:10]}"
            group, config, untrained = f"{task}/{folder}", {"path": inside}, steps[0] == 0
            yield Curve(name, steps, values, task, group, NANOGPT_LOSS, config, untrained)


# -----------------------------------------------------------------------------------------------------------
# Pythia: zero-shot accuracies of seven language models at 27 checkpoints; `mmlu_macro` is the plain mean over 57 exams.

PYTHIA = of("pythia")
PYTHIA_ACCURACY = Measure("accuracy", higher_is_better=True, step_unit=STEPS, high=1)
MODELS = ("160m", "160m-deduped", "1b-deduped", "410m", "410m-deduped", "70m", "70m-deduped")
TASKS = ("arc_challenge", "arc_easy", "lambada_openai", "logiqa", "piqa", "sciq", "winogrande", "wsc")
EXAMS, EXAM = 57, "hendrycksTest-"  # of MMLU


def pythia(clone: Path) -> Iterator[Curve]:
    for model in MODELS:
        checkpoints = [_checkpoint(path) for path in PYTHIA.inside(clone, f"pythia-{model}/zero-shot/*.json")]
        steps = [step for step, _ in checkpoints]
        for task in sorted((*TASKS, "mmlu_macro")):
            values = [scores[task] for _, scores in checkpoints]
            name, group = f"{model}/{task}", f"pythia-{model}"
            config = {"few_shot": 0, "model": group, "task": task}
            yield Curve(name, steps, values, task, group, PYTHIA_ACCURACY, config, untrained=True)


def _checkpoint(path: Path) -> tuple[int, dict[str, float]]:
    """The step of a checkpoint, and its accuracy on each task."""
    results = PYTHIA.json(path)
    with PYTHIA.layout(path):
        told = results["results"].items()
        accuracies = {task: metrics["acc"] for task, metrics in told if "acc" in metrics}
        exams = [value for task, value in accuracies.items() if task.startswith(EXAM)]
        demand(len(exams) == EXAMS, f"{path} has {len(exams)} of {EXAMS} exams: {PYTHIA.to_clone}")
        scores = {task: accuracies[task] for task in TASKS} | {"mmlu_macro": fmean(exams)}
        return int(re.findall(r"step(\d+)$", path.stem)[0]), scores


# -----------------------------------------------------------------------------------------------------------
# From a clone to a table.


class Source(NamedTuple):
    origin: Origin
    read: Callable[[Path], Iterator[Curve]]


SOURCES = {  # in the order of the index
    "taskset": Source(TASKSET, taskset), "algoperf": Source(ALGOPERF, algoperf), "deepobs": Source(DEEPOBS, deepobs),
    "lcdb11": Source(LCDB, lcdb11), "adabelief": Source(ADABELIEF, adabelief),
    "modded_nanogpt": Source(NANOGPT, modded_nanogpt), "pythia": Source(PYTHIA, pythia),
}  # fmt: skip
ORDER = [source.origin.file for source in SOURCES.values()]


class Converted(NamedTuple):
    origin: Origin
    curves: int
    points: int
    left_out: Counter[str]
    sha256: str

    @property
    def as_published(self) -> bool:
        """Is the table identical to the one behind the published numbers?"""
        return self.sha256 == self.origin.sha256


def convert(name: str, clone: Path, out: Path) -> Converted:
    demand(clone.is_dir(), f"there is no folder {clone}: {SOURCES[name].origin.to_clone}")
    origin, read = SOURCES[name]
    left_out: Counter[str] = Counter()
    curves = list(kept(read(clone), left_out))
    demand(curves, f"{clone} has no curve of {name} to keep: {origin.to_clone}")
    text = write(out, origin, curves, ORDER)
    n = sum(len(curve.points()) for curve in curves)
    return Converted(origin, len(curves), n, left_out, sha256(text).hexdigest())
