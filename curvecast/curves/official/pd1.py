"""PD1: networks of Google's, each tuned in four numbers, out of the folder `pd1` of the archive.

A line a trial, in four files: matched (the same settings for every task) or not, and two phases.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.official.download import Official, numbers
from curvecast.curves.official.loaded import Loaded, loaded
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError

PD1 = Official(
    file="pd1.csv.gz",
    source="pd1",
    licence="CC-BY-4.0",
    copyright="Zi Wang, George E. Dahl, Kevin Swersky, Chansoo Lee, Zachary Nado, Justin Gilmer, Jasper Snoek, "
    "Zoubin Ghahramani",
    citation="pd1",
    name="pd1.tar.gz, unpacked",
    address="http://storage.googleapis.com/gresearch/pint/pd1.tar.gz",
)
PARTS = [
    f"pd1_{matched}_phase{phase}_results.jsonl" for matched in ("matched", "unmatched") for phase in (0, 1)
]
METRICS = {
    "valid/error_rate": Measure(
        "valid_error_rate", higher_is_better=False, step_unit="optimiser steps", high=1
    ),
    "valid/ce_loss": Measure("valid_ce_loss", higher_is_better=False, step_unit="optimiser steps"),
}
USUAL = "valid/error_rate"
LONGEST = 10_000_000  # characters of a line: a gzip may unfold without end
TUNED = (
    "hps.lr_hparams.initial_value", "hps.lr_hparams.power", "hps.lr_hparams.decay_steps_factor",
    "hps.opt_hparams.momentum",
)  # fmt: skip


def load(folder: Path, metric: str = USUAL) -> Loaded:
    return loaded(PD1, read(folder, metric))


def read(folder: Path, metric: str = USUAL) -> Iterator[Curve]:
    if metric not in METRICS:
        raise UserError(f"PD1 has no metric {metric!r} here: take one of {', '.join(METRICS)}")
    for part in PARTS:
        path = folder / f"{part}.gz"
        path = PD1.checked(path if path.exists() or not (folder / part).exists() else folder / part)
        with PD1.layout(path):
            for line, text in enumerate(_lines(path), 1):
                with PD1.layout(f"{path}, line {line}"):
                    yield _curve(part.split("_results")[0].removeprefix("pd1_"), json.loads(text), metric)


def _lines(path: Path) -> Iterator[str]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as file
    ):
        while text := file.readline(LONGEST):
            if len(text) == LONGEST:
                raise ValueError(f"a line of more than {LONGEST:,} characters")
            yield text


def _curve(part: str, trial: dict, metric: str) -> Curve:
    """Lists may be null or short where a trial diverged: then there are few points, or none."""
    steps = [int(step) for step in trial["global_step"] or []]
    values = numbers(trial[metric] or [])
    steps, values = steps[: len(values)], values[: len(steps)]
    task = f"{trial['dataset']}/{trial['model']}/bs{trial['hps.batch_size']}"
    config = {name: trial[name] for name in TUNED} | {"part": part, "status": trial["status"]}
    return Curve(
        f"{part}/{trial['trial_dir']}", steps, values, task, task, METRICS[metric], config,
        untrained=steps[:1] == [0],
    )  # fmt: skip
