"""Scaling curves of the benchmark of NSL-PFN: each with the points that are given, and those that are asked for.

Images and language come from `revisiting_neural_scaling_laws`, losses of language models from ColPret. As in the benchmark's
own code, half of the points of a curve of double descent or of ColPret are given, and six of seven widths of nanoGPT.
"""

import csv
import pickle
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import as_text, packed
from curvecast.ground import whole_file
from curvecast.ground.errors import demand

ORIGIN = origin.of("scaling_laws")
COLUMNS = ("part", "task", "model", "step", "value", "given", "licence")
PARTS = {"IC": "images", "NMT": "translation", "LM": "language models", "BB": "BIG-Bench"}
DOUBLE_DESCENT, NANO, COLPRET = "double descent", "nanoGPT", "ColPret"
WIDTHS = (6, 12, 24, 48, 96, 192, 384)
OF_NUMPY = {("numpy.core.multiarray", "_reconstruct"), ("numpy", "ndarray"), ("numpy", "dtype")}


class Scaled(NamedTuple):
    part: str
    task: str
    model: str
    steps: np.ndarray  # (n,) rising
    values: np.ndarray  # (n,)
    given: int  # the first so many points


def read(clone: Path) -> Iterator[Scaled]:
    yield from _tables(clone)
    path = _file(clone, "dd_data.pkl")
    with ORIGIN.layout(path), path.open("rb") as file:
        for task, axis, _, steps, values in sorted(_OfNumpy(file).load(), key=lambda curve: curve[0]):
            yield _curve(DOUBLE_DESCENT, task, axis, steps, values, _half(len(steps)))
    for kind in ("min", "final"):
        path = _file(clone, f"{kind}_val_loss_over_n_embd.npy")
        with ORIGIN.layout(path):
            for number, values in enumerate(np.load(path)):
                setting, values = f"setting {number}", values[: len(WIDTHS)]
                yield _curve(NANO, f"{kind} loss", setting, np.array(WIDTHS), values, 6)
    path = _file(clone, "colpret.npz")
    with ORIGIN.layout(path), np.load(path) as models:
        for model in sorted(models):
            steps, values = models[model]
            yield _curve(COLPRET, "training", model, steps, values, _half(len(steps)))


def _file(clone: Path, name: str) -> Path:
    (path,) = ORIGIN.inside(clone, name)
    return path


def _tables(clone: Path) -> Iterator[Scaled]:
    points: dict[tuple[str, str, str], list[tuple[bool, float, float]]] = defaultdict(list)
    for name in ("benchmark.vision.csv", "benchmark.lang.csv"):
        path = _file(clone, name)
        with ORIGIN.layout(path), path.open(encoding="utf-8", newline="") as table:
            for line in csv.DictReader(table):
                key = PARTS[line["Domain"]], line["Task"], line["Model"]
                point = line["Training"] == "0", float(line["Seen Examples"]), float(line["Loss"])
                points[key].append(point)
    for key in sorted(points):
        some = sorted(points[key])  # those given first
        steps, values = np.array(some)[:, 1:].T
        yield _curve(*key, steps, values, sum(not asked for asked, _, _ in some))


class _OfNumpy(pickle.Unpickler):
    """Containers, texts and arrays: whatever else a pickle may ask for is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in OF_NUMPY:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def _half(n: int) -> int:
    return max(3, min(int(0.5 * n + 0.5), n - 1))


def _curve(part: str, task: str, model: str, steps: Any, values: Any, given: int) -> Scaled:
    steps, values = np.asarray(steps, float), np.asarray(values, float)
    return Scaled(part, task, model, steps, values, given)


class Written(NamedTuple):
    curves: int
    points: int
    repeated: int  # points that stand in the benchmark twice
    as_published: bool


def convert(clone: Path, out: Path) -> Written:
    """All curves as one table: a line a point. -> how many, and whether it is the published table"""
    demand(clone.is_dir(), f"there is no folder {clone}: {ORIGIN.to_clone}")
    curves = list(read(clone))
    rows = []
    for one in curves:
        for i, (step, value) in enumerate(zip(one.steps, one.values, strict=True)):
            cells = (*one[:3], f"{step:.10g}", f"{value:.10g}", int(i < one.given), ORIGIN.licence)
            rows.append(dict(zip(COLUMNS, cells, strict=True)))
    text = as_text(COLUMNS, rows)
    whole_file.write(out / ORIGIN.file, packed(text), make_folder=True)
    repeated = sum(len(one.steps) - len(set(zip(one.steps, one.values, strict=True))) for one in curves)
    return Written(len(curves), len(rows), repeated, sha256(text).hexdigest() == ORIGIN.sha256)
