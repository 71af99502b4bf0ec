"""A log that is one JSON document.

records   [{"step": 1, "value": 0.5}, ...], or these under "log_history", as in Hugging Face's trainer_state.json, which
          also tells the last step that was planned
lists     {"loss": [2.1, 1.7], "val_accuracy": [0.4, 0.5]}, a run each, as Keras keeps them; steps are 1, 2, 3, ...
          {"valid": {"auc": [0.7, 0.8]}}, as XGBoost and LightGBM keep them, whose run is called valid-auc
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.arrangement import all_known, known, step_name, wanted, wide
from curvecast.logs.checked_points import NoLog, Points
from curvecast.logs.columns import STEPS, Options
from curvecast.logs.json_lines import LARGEST, NOT_WHOLE, RECORD, Record, gather, number_of, parsed

PLANNED = {"step": "max_steps", "epoch": "num_train_epochs"}  # of trainer_state.json, by the key of the step


def meant(record: Any) -> bool:
    """Does the first line begin one document, and not JSON lines?"""
    return not isinstance(record, dict) or "log_history" in record or _lists(_flat(record))


def read(lines: Iterator[str], start: int, points: Points, stem: str, options: Options, first: Any) -> None:
    """first: the first line, as it was parsed."""
    document = _flat(_loaded(lines, start, points, first))
    points.unit = "entry"
    planned = None
    if isinstance(document, dict) and "log_history" in document:
        told = document.get(PLANNED.get(options.step or "step", ""))
        if isinstance(told, int | float) and not isinstance(told, bool) and 0 < told < 1e15:
            planned = float(told)  # 0 and less stand for nothing
        document = document["log_history"]
    if isinstance(document, list):
        _records(document, points, stem, options)
        points.runs = {name: replace(run, planned=planned) for name, run in points.runs.items()}
        return
    if not isinstance(document, dict) or not _lists(document):
        wrong = "is one JSON object without a list of values: write one object on each line"
        raise NoLog(f"{points.where} {wrong}")
    _columns(document, points, options)


def _loaded(lines: Iterator[str], start: int, points: Points, first: Any) -> Any:
    """All lines as JSON; of a single one it is known."""
    text, size = [], 0
    for line in lines:
        text.append(line)
        size += len(line)
        if size > LARGEST:
            break  # which is refused
    alone = first is not NOT_WHOLE and not any(line.strip() for line in text[1:])
    document = first if alone else parsed("".join(text), points.where)
    wrong = "is not a whole JSON object: write one object on each line, or one valid document"
    demand(document is not NOT_WHOLE, f"{points.place(start)} {wrong}")
    return document


def _records(document: list[Any], points: Points, stem: str, options: Options) -> None:
    demand(document, f"{points.where} is an empty list: write a record for each step")
    for entry, record in enumerate(document, 1):
        if not isinstance(record, dict) or not record:
            raise UserError(f"{points.place(entry)} is no record: write objects such as {RECORD}")
    keys = {key: None for record in document for key in record}  # of all records, in their order
    if not options.value:
        known(list(keys), "value", "value", points.where)
    gather(enumerate(document, 1), points, stem, options)


def _flat(document: Any) -> Any:
    """Lists by data set and metric as lists by both; anything else as it is."""
    sets = document.items() if isinstance(document, dict) else ()
    if not sets or not all(isinstance(own, dict) and _lists(own) for _, own in sets):
        return document
    return {f"{name}-{metric}": values for name, own in sets for metric, values in own.items()}


def _lists(record: Record) -> bool:
    return bool(record) and all(isinstance(v, list) for v in record.values())


def _columns(document: dict[str, list[Any]], points: Points, options: Options) -> None:
    """A list a run, and perhaps one of steps."""
    names, where = list(document), points.where
    all_known(names, options, where)
    demand(not options.run, f"{where} has a list for each run: leave --run away")
    stepped = options.step or any(name.lower() in STEPS for name in names)
    step = step_name(names, options.step, where) if stepped else None
    runs = wanted(names, step, options, where)
    read = document
    if step is not None:
        read, most = {name: document[name] for name in (step, *runs)}, len(document[step])
        for name in runs:
            more = f"has more values than there are steps ({most:,}): write a step for each value"
            demand(len(read[name]) <= most, f"{where}: '{printable(name)}' {more}")
    rows = (dict(zip(read, cells, strict=True)) for cells in zip_longest(*read.values()))
    wide(points, enumerate(rows, 1), number_of(points), step, runs)
