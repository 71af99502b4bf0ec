"""modded-nanogpt: the validation loss of a GPT-2 with 124M weights, from text logs of two thirds of the folders (by a hash).

Logs of several runs, and logs with more than 400 values, are skipped.
"""

import re
from collections.abc import Iterator
from hashlib import sha1
from itertools import pairwise
from pathlib import Path

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("modded_nanogpt")
LOSS = Measure("val_loss", higher_is_better=False, step_unit="optimiser steps")
LINE = re.compile(r"^step:(\d+)/\d+ val_loss:(\S+)", re.MULTILINE)
MOST_POINTS = 400


def read(clone: Path) -> Iterator[Curve]:
    task = "track_3_optimization"
    for path in ORIGIN.inside(clone, "*/**/*.txt"):
        folder, inside = path.relative_to(clone / ORIGIN.folder).parts[0], path.relative_to(clone).as_posix()
        if int(sha1(f"nano-{folder}".encode()).hexdigest(), 16) % 3 == 0:
            continue
        with ORIGIN.layout(path):
            pairs = LINE.findall(path.read_text(encoding="utf-8", errors="replace"))
            steps, values = [int(step) for step, _ in pairs], [float(value) for _, value in pairs]
        rising = all(before <= after for before, after in pairwise(steps))  # a log of one run
        if rising and 0 < len(steps) <= MOST_POINTS:
            name = f"t3_optimization/{folder}/{sha1(inside.encode()).hexdigest()[:10]}"
            group, config, untrained = f"{task}/{folder}", {"path": inside}, steps[0] == 0
            yield Curve(name, steps, values, task, group, LOSS, config, untrained)
