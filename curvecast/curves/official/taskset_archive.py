"""Taskset: npz files of Google's bucket with five seeds a setting, or the JSON files of DyHPO with their mean.

Shapes: n settings, 5 seeds, 51 values of which the first is untrained, S splits: 0 training, 1 validation.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from curvecast.curves.official.download import Official
from curvecast.curves.official.loaded import Loaded, loaded
from curvecast.curves.sources import taskset
from curvecast.curves.sources.taskset import EVERY, FAMILY, LOSS
from curvecast.curves.sources.uniform_table import Curve

TASKSET = Official(
    file="taskset_archive.csv.gz",
    source="taskset_archive",
    licence="Apache-2.0",
    copyright="TaskSet, Google LLC",
    citation="taskset",
    name="<task>/<optimiser>_10000_replica5.npz",
    address="gs://gresearch/task_set_data/, for instance gsutil -m cp -r "
    f"'gs://gresearch/task_set_data/{FAMILY}*' .",
)
ENDING = f"_{10_000}_replica5"
VALIDATION = 1


def load(path: Path, each_seed: bool = False) -> Loaded:
    files = _files(path)
    terms = taskset.ORIGIN if files[0].suffix == ".json" else TASKSET
    return loaded(terms, (curve for one in files for curve in read(one, each_seed)))


def _files(path: Path) -> list[Path]:
    """The file, or all of a task's folder."""
    if not path.is_dir():
        return [TASKSET.checked(path)]
    return sorted(path.glob("*.npz")) or sorted(path.glob("*.json")) or [TASKSET.checked(path / "….npz")]


def read(path: Path, each_seed: bool = False) -> Iterator[Curve]:
    """The mean over the seeds; or, of npz files, each of them, as the paper has it."""
    for one in _files(path):
        yield from taskset.of_file(one) if one.suffix == ".json" else _archive(one, each_seed)


def _archive(path: Path, each_seed: bool) -> Iterator[Curve]:
    task, optimiser = path.parent.name.removeprefix(FAMILY), path.stem.removesuffix(ENDING)
    with TASKSET.layout(path):
        losses, steps = _losses(path)  # (n, seeds, 51), (51,)
        for number, seeds in enumerate(losses):
            name = f"{task}/{optimiser}/{number:04}"
            config = {"optimizer": optimiser, "setting": number}
            if not each_seed:
                yield _curve(name, steps, seeds.mean(axis=0), task, config)
                continue
            for seed, values in enumerate(seeds):
                yield _curve(f"{name}/seed{seed}", steps, values, task, config | {"seed": seed})


def _losses(path: Path) -> tuple[np.ndarray, list[int]]:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        ys, xs = arrays["ys"], arrays["xs"]
    if ys.ndim != 4 or ys.shape[2] != len(xs) or ys.shape[3] <= VALIDATION:
        raise ValueError(f"ys has the shape {ys.shape}, xs {xs.shape}")
    steps = range(0, EVERY * len(xs), EVERY)  # the protocol's, whether xs counts iterations or values
    return ys[..., VALIDATION].astype(np.float32), list(steps)


def _curve(name: str, steps: list[int], values: np.ndarray, task: str, config: dict) -> Curve:
    return Curve(name, steps, values.tolist(), task, task, LOSS, config, untrained=True)
