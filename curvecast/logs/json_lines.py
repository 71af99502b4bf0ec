"""JSON lines: one point a line, {"run": "a", "step": 1, "value": 0.5}; without "run" all are one run. Or one document."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, zip_longest
from math import inf
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs import columns
from curvecast.logs.checked_points import NoLog, Points
from curvecast.logs.columns import STEPS, Number, Options, Rows

LARGEST = 30_000_000  # characters of a document: half a million values need less
MOST_PARTS = 2_000_000  # of one document: each may take a hundred bytes of memory
NOT_WHOLE = object()
COUNTS = ("steps", "epochs", "iterations")  # which may as well say how many of them there will be
LOOKED_AT = 1_000  # records whose keys a complaint lists
RECORD = '{"step": 1, "value": 0.5}'
Record = dict[str, Any]


def read(lines: Iterator[str], start: int, points: Points, stem: str, options: Options) -> None:
    texts = ((line, text) for line, text in enumerate(lines, start) if text.strip())
    gather(((line, _record(text, points, line)) for line, text in texts), points, stem, options)


def gather(records: Rows, points: Points, stem: str, options: Options) -> None:
    """Points of records: the first that has any says what the step is called, and whether runs are named."""
    run, value = options.run or "run", options.value or "value"
    keys = Counter[str]()  # of all records, in their order

    def telling() -> Rows:
        """Without those that have neither the chosen value nor a step, such as the settings of a training."""
        for at, record in records:
            keys.update(record.keys())
            steps = {options.step} if options.step else {key for key in record if key.lower() in STEPS}
            if not options.value or value in record or steps & record.keys():
                yield at, record

    rest = telling()
    line, first = next(rest, (0, {}))
    if value not in first and not (options.value and first):
        for _ in islice(rest, LOOKED_AT):
            pass
        others, at = [key for key in keys if key != value], points.place(line or None)
        columns.known(others, value, "value", at, _fault(keys, value, options))
    columns.known(list(first), options.run, "run", points.place(line))
    step, named = columns.step_name(list(first), options.step, points.place(line)), run in first
    needed = {step: "step"} | ({run: "run"} if named else {}) | ({} if options.value else {value: "value"})

    def checked() -> Rows:
        """A record without the chosen key of the value, or with null there, has none; but one of all has to have it."""
        for at, record in chain([(line, first)], rest):
            for key, option in needed.items():
                if key not in record:
                    columns.known(list(record), key, option, points.place(at))
            if run in record and not named:
                before = f"and {points.unit} {line} does not: name it everywhere or nowhere"
                raise UserError(f"{points.place(at)} names a run, {before}")
            yield at, record
        columns.known(list(keys), value, "value", points.where, _fault(keys, value, options))

    columns.long(points, checked(), number_of(points), run if named else None, step, value, stem)


def _fault(keys: Counter[str], value: str, options: Options) -> type[UserError]:
    """Of records without the value: is it a log? Settings are one record, perhaps with a number of epochs."""
    counts = {key for key, often in keys.items() if often == 1 and key.lower() in COUNTS}
    steps = {key for key in keys if key.lower() in STEPS} - counts
    return UserError if steps or keys.keys() & {value, options.step} else NoLog


def parsed(text: str, where: str) -> Any:
    """JSON, or NOT_WHOLE. No key may be there twice in one object: the parser would silently keep the last."""

    def distinct(pairs: list[tuple[str, Any]]) -> Record:
        record = dict(pairs)
        if len(record) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise UserError(f"{where} has the key '{printable(twice)}' twice in one object: rename one")
        return record

    if len(text) > LARGEST or sum(map(text.count, ",[{")) > MOST_PARTS:
        raise UserError(f"{where} is too large for one JSON document: write one record on each line")
    try:
        return json.loads(text, object_pairs_hook=distinct)
    except UserError:
        raise
    except (ValueError, RecursionError):  # also numbers of thousands of digits, and brackets within brackets
        return NOT_WHOLE


def _record(text: str, points: Points, line: int) -> Record:
    place = points.place(line)
    record: Any = parsed(text, place)
    demand(record is not NOT_WHOLE, f"{place} is not a whole JSON object: write one object on each line")
    demand(isinstance(record, dict), f"{place} is not a JSON object: write {RECORD} on each line")
    return record


def number_of(points: Points) -> Number:
    def number(value: Any, key: str, line: int) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            wrong = f"'{printable(str(value))}' of '{printable(key)}' is not a number"
            way = "write it in digits without quotes, or take the line away"
            raise UserError(f"{points.place(line)}: {wrong}: {way}")
        try:
            return float(value)
        except OverflowError:
            return inf  # as 1e999 is read

    return number


# -----------------------------------------------------------------------------------------------------------
# A log that is one JSON document.
#
# records   [{"step": 1, "value": 0.5}, ...], or these under "log_history", as in Hugging Face's trainer_state.json, which
#           also tells the last step that was planned
# lists     {"loss": [2.1, 1.7], "val_accuracy": [0.4, 0.5]}, a run each, as Keras keeps them; steps are 1, 2, 3, ...
#           {"valid": {"auc": [0.7, 0.8]}}, as XGBoost and LightGBM keep them, whose run is called valid-auc

PLANNED = {"step": "max_steps", "epoch": "num_train_epochs"}  # of trainer_state.json, by the key of the step


def is_document(record: Any) -> bool:
    """Does the first line begin one document, and not JSON lines?"""
    return not isinstance(record, dict) or "log_history" in record or _lists(_flat(record))


def read_document(
    lines: Iterator[str], start: int, points: Points, stem: str, options: Options, first: Any
) -> None:
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
        columns.known(list(keys), "value", "value", points.where)
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
    columns.all_known(names, options, where)
    demand(not options.run, f"{where} has a list for each run: leave --run away")
    shared = any(name.lower() in STEPS for name in names)
    of_sets = [name for name in names if name.rpartition("-")[2].lower() in STEPS and name != options.step]
    if of_sets and not shared and not (options.step and options.value):
        way = f"pass --value and --step of one, such as --step {printable(of_sets[0])}"
        raise UserError(f"{where} has steps for each data set: {way}")
    stepped = options.step or shared
    step = columns.step_name(names, options.step, where) if stepped else None
    runs = columns.wanted(names, step, options, where)
    read = document
    if step is not None:
        read, most = {name: document[name] for name in (step, *runs)}, len(document[step])
        for name in runs:
            more = f"has more values than there are steps ({most:,}): write a step for each value"
            demand(len(read[name]) <= most, f"{where}: '{printable(name)}' {more}")
    rows = (dict(zip(read, cells, strict=True)) for cells in zip_longest(*read.values()))
    columns.wide(points, enumerate(rows, 1), number_of(points), step, runs)
