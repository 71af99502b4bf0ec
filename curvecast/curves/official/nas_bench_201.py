"""NAS-Bench-201: 15,625 cells on three image data sets, 200 epochs, up to three seeds.

Out of the .pth of its authors, or of NATS-Bench: one .pickle.pbz2, or the folder of a file a cell, which needs least memory.
Only cifar10-valid has a validation accuracy of each epoch; the others have one of validation and test data together.
"""

import bz2
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from curvecast.curves import plain_pickle
from curvecast.curves.official.download import Official, numbers
from curvecast.curves.official.loaded import Loaded, loaded
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError

NAS_BENCH_201 = Official(
    file="nas_bench_201.csv.gz",
    source="nas_bench_201",
    licence="MIT",
    copyright="Copyright (c) Xuanyi Dong [GitHub D-X-Y]",
    citation="nasbench201",
    name="NAS-Bench-201-v1_1-096897.pth",
    address="the links of https://github.com/D-X-Y/NAS-Bench-201, or NATS-tss-v1_0-3ffb9-simple.tar, unpacked, of "
    "https://github.com/D-X-Y/NATS-Bench",
    size="about 13 GB of memory once open",
    md5="55e847143ce1f7c2d89b676f6b096897",
)
VALIDATION = Measure("valid_accuracy", higher_is_better=True, step_unit="epochs", high=1)
TOGETHER = Measure("valid_and_test_accuracy", higher_is_better=True, step_unit="epochs", high=1)
SPLITS = {
    "cifar10-valid": ("x-valid", VALIDATION), "cifar100": ("ori-test", TOGETHER),
    "ImageNet16-120": ("ori-test", TOGETHER),
}  # fmt: skip
LONG, EPOCHS = ("200", "full"), 200  # what NATS-Bench and the .pth call the long training


def load(path: Path, dataset: str = "cifar10-valid", any_checksum: bool = False) -> Loaded:
    return loaded(NAS_BENCH_201, read(path, dataset, any_checksum))


def read(path: Path, dataset: str = "cifar10-valid", any_checksum: bool = False) -> Iterator[Curve]:
    if dataset not in SPLITS:
        raise UserError(f"NAS-Bench-201 has no data set {dataset!r}: take one of {', '.join(SPLITS)}")
    path = NAS_BENCH_201.checked(path, any_checksum)
    for place, number, cell in _cells(path):
        with NAS_BENCH_201.layout(f"{place}, cell {number}"):
            (trained,) = (cell[name] for name in LONG if name in cell)
            for (trained_on, seed), run in sorted(trained["all_results"].items()):
                if trained_on == dataset:
                    yield _curve(number, dataset, seed, trained["arch_str"], run["eval_acc1es"])


def _cells(path: Path) -> Iterator[tuple[Path, int, dict]]:
    if path.is_dir():
        found = sorted(path.glob("[0-9]*.pickle.pbz2"))
        if not found:
            NAS_BENCH_201.checked(path / "000000.pickle.pbz2")
        for one in found:
            yield one, int(one.name.split(".")[0]), _opened(one)
        return
    with NAS_BENCH_201.layout(path):
        cells = _opened(path)["arch2infos"]
        every = sorted(cells.items())
    for number, cell in every:
        yield path, number, cell


def _opened(path: Path) -> Any:
    """What was saved; of the old format of torch the fourth object."""
    with NAS_BENCH_201.layout(path):
        if path.suffix == ".pbz2":
            with bz2.open(path) as packed:
                return plain_pickle.list_of(packed, path)[0]
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                (name,) = (name for name in archive.namelist() if name.endswith("/data.pkl"))
                with archive.open(name) as inside:
                    return plain_pickle.list_of(cast(plain_pickle.File, inside), path)[0]
        return plain_pickle.objects(path)[3]


def _curve(number: int, dataset: str, seed: int, cell: str, accuracies: dict[str, float]) -> Curve:
    """A value that was not recorded is nan, so that the curve is left out and counted."""
    split, measure = SPLITS[dataset]
    values = [value / 100 for value in numbers(accuracies.get(f"{split}@{epoch}") for epoch in range(EPOCHS))]
    return Curve(
        f"{dataset}/{number:05}/{seed}", range(1, EPOCHS + 1), values, dataset, f"{dataset}/{number:05}",
        measure, {"arch": cell, "seed": seed},
    )  # fmt: skip
