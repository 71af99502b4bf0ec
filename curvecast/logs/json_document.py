"""A log that is one JSON document.

records   [{"step": 1, "value": 0.5}, ...], or these under "log_history", as in Hugging Face's trainer_state.json, which
          also tells the last step that was planned
lists     {"loss": [2.1, 1.7], "val_accuracy": [0.4, 0.5]}, a run each, as Keras keeps them; steps are 1, 2, 3, ...
          {"valid": {"auc": [0.7, 0.8]}}, as XGBoost and LightGBM keep them, whose run is called valid-auc
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Points, printable
from curvecast.logs.columns import STEPS, Options, known, listed
from curvecast.logs.json_lines import LARGEST, NOT_WHOLE, Record, gather, number, parsed

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
        planned = _planned(document, options.step or "step")
        document = document["log_history"]
    if isinstance(document, list):
        records = list(_records(document, points))
        keys = {key: None for _, record in records for key in record}  # of all records, in their order
        if not options.value:
            known(list(keys), "value", "value", points.where)
        gather(iter(records), points, stem, options)
        points.runs = {name: replace(run, planned=planned) for name, run in points.runs.items()}
    elif isinstance(document, dict) and _lists(document):
        _columns(document, points, options)
    else:
        raise UserError(
            f"{points.where} is one JSON object without a list of values: write one object on each line"
        )


def _planned(document: Record, step: str) -> float | None:
    """The last step of the training, where the log says it: 0 and less stand for nothing."""
    told = document.get(PLANNED.get(step, ""))
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return float(told) if 0 < told < 1e15 else None


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
    if document is NOT_WHOLE:
        raise UserError(
            f"{points.place(start)} is not a whole JSON object: write one object on each line, or one valid document"
        )
    return document


def _records(document: list[Any], points: Points) -> Iterator[tuple[int, Record]]:
    if not document:
        raise UserError(f"{points.where} is an empty list: write a record for each step")
    for entry, record in enumerate(document, 1):
        if not isinstance(record, dict) or not record:
            wanted = '{"step": 1, "value": 0.5}'
            raise UserError(f"{points.place(entry)} is no record: write objects such as {wanted}")
        yield entry, record


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
    for option in ("run", "step", "value"):
        known(names, getattr(options, option), option, where)
    if options.run:
        raise UserError(f"{where} has a list for each run: leave --run away")
    step = _step(names, options, where)
    wanted = [options.value] if options.value else [name for name in names if name != step]
    if step is not None and wanted in ([], [step]):
        raise UserError(f"{where} has no list beside '{printable(step)}': add one a run")
    if step is None:
        longest = max(len(values) for values in document.values())
        steps = [float(i) for i in range(1, longest + 1)]
    else:
        steps = [number(at, step, points, i) for i, at in enumerate(document[step], 1)]
    points.expect(len(wanted))
    for name in wanted:
        _add(points, name, steps, document[name])


def _step(names: list[str], options: Options, where: str) -> str | None:
    """The name of the steps, if there are any; other steps are no runs, unless --value asks for them."""
    found = [name for name in names if name.lower() in STEPS]
    if options.step:
        further = [name for name in found if name != options.step]
        if further and options.value is None:
            which = printable(further[0])
            raise UserError(
                f"{where} has a further list of steps, '{which}': pass --value NAME, or take that list away"
            )
        return options.step
    if len(found) > 1:
        raise UserError(
            f"{where} has several kinds of steps ({listed(found)}): pass --step NAME and --value NAME"
        )
    return found[0] if found else None


def _add(points: Points, name: str, steps: list[float], values: list[Any]) -> None:
    points.declare(name, steps)
    if len(values) > len(steps):
        more = f"'{printable(name)}' has more values than there are steps ({len(steps):,})"
        raise UserError(f"{points.where}: {more}: write a step for each value")
    for i, (at, value) in enumerate(zip(steps, values, strict=False), 1):
        if value is not None:
            points.add(name, at, number(value, name, points, i), i)
