"""A project on a server of Weights & Biases, or one run of it, read through its own package: wandb:entity/project.

Values come with the whole history: rows that are asked for by key leave out what was logged since the last export.
"""

import math
import os
from itertools import islice
from typing import Any

from curvecast.ground.errors import UserError, demand, installed, printable
from curvecast.ground.from_outside import reading
from curvecast.logs.checked_points import MOST_VALUES, Points, Run
from curvecast.logs.columns import the_one
from curvecast.logs.wandb_file import TOO_MANY, Logged, arranged

BEGINS = "wandb:"
PATIENCE = 30  # seconds for an answer


def read(source: str, wanted: str | None) -> list[Run]:
    """The value `wanted` of each run; the only one needs no name."""
    where = printable(source, 200)
    parts = source.removeprefix(BEGINS).split("/")
    form = "write wandb:entity/project, or wandb:entity/project/run"
    demand(len(parts) in (2, 3) and all(parts), f"{where}: {form}")
    os.environ.setdefault("WANDB_SILENT", "true")  # its greetings would stand between the lines of a table
    points = Points(where, TOO_MANY)
    loaded: list[Logged] = []
    with reading(where, "cannot be fetched", "check its name, the network, and wandb login"):
        with installed(f"{where} is on a server: pip install wandb, then wandb login"):
            from wandb import Api  # its folder wandb, beside a training, can be imported too, and has none
        server, path = Api(timeout=PATIENCE), "/".join(parts)
        runs = (
            [server.run(path)] if len(parts) == 3 else list(islice(server.runs(path), points.most_runs + 1))
        )
        points.expect(len(runs), f"more than {points.most_runs:,}" if len(runs) > points.most_runs else "")
        for run in runs:
            loaded.append(_loaded(run, wanted, where))
            keys = set[str]().union(*(one.keys for one in loaded))
            if wanted is None and len(keys) > 1:  # which one? before all other runs are fetched
                the_one(sorted(keys), wanted, where, "value")
    return arranged(loaded, wanted, points)


def _loaded(run: Any, wanted: str | None, where: str) -> Logged:
    keys, values = set[str](), dict[float, float | None]()
    for row in run.scan_history():
        cells = ((key, _number(cell)) for key, cell in row.items() if key[0] != "_")
        numbers = {key: value for key, value in cells if value is not None}
        keys |= numbers.keys()
        wanted = wanted or next(iter(numbers), None)
        if wanted in numbers:
            values[float(row["_step"])] = numbers[wanted] if math.isfinite(numbers[wanted]) else None
        if max(len(values), len(keys)) > MOST_VALUES:
            raise UserError(f"{where} has more than {MOST_VALUES:,} values: name one run, or log fewer")
    return Logged(run.name or run.id, run.id, keys, values, 0)


def _number(cell: object) -> float | None:
    """NaN and infinity come as texts."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return float(cell)
    return float(cell) if cell in ("NaN", "Infinity", "-Infinity") else None
