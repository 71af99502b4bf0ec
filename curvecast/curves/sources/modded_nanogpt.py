"""modded-nanogpt: the validation loss of a GPT-2 with 124M weights, from text logs of two thirds of the folders (by a hash).

Logs of several runs, and logs with more than 400 values, are skipped.
"""

import re
from collections.abc import Iterator
from hashlib import sha1
from itertools import pairwise
from pathlib import Path

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="nanogpt_val_loss.csv.gz",
    source="modded_nanogpt",
    licence="MIT",
    copyright="Copyright (c) 2024 Keller Jordan",
    citation="moddednanogpt",
    repository="KellerJordan/modded-nanogpt",
    commit="f411b3d346aa52d3504324ca93c230fd84c6c07f",
    folder="records/track_3_optimization/results",
    megabytes=26,
    sha256="165c053758538606427ba31b4716f2781bad751f2369a373f5996e7c9061c6fb",
)
LOSS = Measure("val_loss", higher_is_better=False, step_unit="optimiser steps")
LINE = re.compile(r"^step:(\d+)/\d+ val_loss:(\S+)", re.MULTILINE)
MOST_POINTS = 400


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, "*/**/*.txt"):
        folder = path.relative_to(clone / ORIGIN.folder).parts[0]
        if _is_used(folder):
            with ORIGIN.layout(path):
                pairs = LINE.findall(path.read_text(encoding="utf-8", errors="replace"))
                steps, values = [int(step) for step, _ in pairs], [float(value) for _, value in pairs]
            rising = all(before <= after for before, after in pairwise(steps))  # a log of one run
            if rising and 0 < len(steps) <= MOST_POINTS:
                yield _curve(folder, path.relative_to(clone).as_posix(), steps, values)


def _is_used(folder: str) -> bool:
    return int(sha1(f"nano-{folder}".encode()).hexdigest(), 16) % 3 != 0


def _curve(folder: str, inside: str, steps: list[int], values: list[float]) -> Curve:
    task, name = "track_3_optimization", sha1(inside.encode()).hexdigest()[:10]
    return Curve(
        f"t3_optimization/{folder}/{name}",
        steps,
        values,
        task,
        f"{task}/{folder}",
        LOSS,
        {"path": inside},
        untrained=steps[0] == 0,
    )
