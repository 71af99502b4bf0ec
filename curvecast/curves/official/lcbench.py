"""LCBench: 2,000 configurations of a network on each of 35 data sets, 50 epochs, out of data_2k_lw.zip or its JSON.

52 entries a curve: 0 is the untrained network, 51 an extra evaluation at the end; neither is an epoch.
"""

import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from curvecast.curves.official import streamed_json
from curvecast.curves.official.download import Official, numbers
from curvecast.curves.official.loaded import Loaded, loaded
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError

LCBENCH = Official(
    file="lcbench_2k.csv.gz",
    source="lcbench",
    licence="Apache-2.0",
    copyright="The authors of LCBench",
    citation="lcbench",
    name="data_2k_lw.zip",
    address="https://ndownloader.figshare.com/files/21188598 (doi 10.6084/m9.figshare.11662422.v1)",
    size="340 MB, its data_2k_lw.json 975 MB",
    md5="26c8493006358a15ce12041c0bfc12a2",
)
ENTRIES, EPOCHS = 52, slice(1, 51)
PERCENT = {"Train/val_accuracy", "Train/test_result", "Train/train_accuracy"}
TAGS = {
    "Train/val_accuracy": Measure("val_accuracy", higher_is_better=True, step_unit="epochs", high=1),
    "Train/val_balanced_accuracy": Measure(
        "val_balanced_accuracy", higher_is_better=True, step_unit="epochs", high=1
    ),
    "Train/test_result": Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1),
    "Train/train_accuracy": Measure("train_accuracy", higher_is_better=True, step_unit="epochs", high=1),
    "Train/val_cross_entropy": Measure("val_cross_entropy", higher_is_better=False, step_unit="epochs"),
    "Train/loss": Measure("train_loss", higher_is_better=False, step_unit="epochs"),
}
USUAL = "Train/val_accuracy"


def load(
    path: Path, tag: str = USUAL, datasets: Collection[str] | None = None, any_checksum: bool = False
) -> Loaded:
    return loaded(LCBENCH, read(path, tag, datasets, any_checksum))


def read(
    path: Path, tag: str = USUAL, datasets: Collection[str] | None = None, any_checksum: bool = False
) -> Iterator[Curve]:
    if tag not in TAGS:
        raise UserError(f"LCBench has no tag {tag!r} here: take one of {', '.join(TAGS)}")
    path = LCBENCH.checked(path, any_checksum)
    with LCBENCH.layout(path), _text(path) as file:
        for dataset, number, run in streamed_json.inner(file):
            if datasets is None or dataset in datasets:
                with LCBENCH.layout(f"{path}, {dataset}, configuration {number}"):
                    yield _curve(dataset, int(number), run, tag)


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    if path.suffix != ".zip":
        with path.open(encoding="utf-8") as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".json"))
        with archive.open(name) as inside:
            yield TextIOWrapper(inside, encoding="utf-8")


def _curve(dataset: str, number: int, run: dict, tag: str) -> Curve:
    entries = numbers(run["log"][tag])
    if len(entries) != ENTRIES:
        raise ValueError(f"{tag} has {len(entries)} entries, not {ENTRIES}")
    scale = 100 if tag in PERCENT else 1
    values = [value / scale for value in entries[EPOCHS]]
    config = {name: int(value) if value is True else value for name, value in run["config"].items()}
    return Curve(f"{dataset}/{number:04}", range(1, 51), values, dataset, dataset, TAGS[tag], config)
