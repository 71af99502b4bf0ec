"""JSON lines: one point a line, {"run": "a", "step": 1, "value": 0.5}; without "run" all lines are one run."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from math import inf
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.arrangement import Number, Rows, known, long, step_name
from curvecast.logs.checked_points import Points
from curvecast.logs.columns import STEPS, Options

LARGEST = 30_000_000  # characters of a document: half a million values need less
MOST_PARTS = 2_000_000  # of one document: each may take a hundred bytes of memory
NOT_WHOLE = object()
LOOKED_AT = 1_000  # records whose keys a complaint lists
RECORD = '{"step": 1, "value": 0.5}'
Record = dict[str, Any]


def read(lines: Iterator[str], start: int, points: Points, stem: str, options: Options) -> None:
    texts = ((line, text) for line, text in enumerate(lines, start) if text.strip())
    gather(((line, _record(text, points, line)) for line, text in texts), points, stem, options)


def gather(records: Rows, points: Points, stem: str, options: Options) -> None:
    """Points of records: the first that has any says what the step is called, and whether runs are named."""
    run, value = options.run or "run", options.value or "value"
    keys: dict[str, None] = {}  # of all records, in their order

    def telling() -> Rows:
        """Without those that have neither the chosen value nor a step, such as the settings of a training."""
        for at, record in records:
            keys.update(dict.fromkeys(record))
            steps = {options.step} if options.step else {key for key in record if key.lower() in STEPS}
            if not options.value or value in record or steps & record.keys():
                yield at, record

    rest = telling()
    line, first = next(rest, (0, {}))
    if value not in first and not (options.value and first):
        for _ in islice(rest, LOOKED_AT):
            pass
        known([key for key in keys if key != value], value, "value", points.place(line or None))
    known(list(first), options.run, "run", points.place(line))
    step, named = step_name(list(first), options.step, points.place(line)), run in first
    needed = {step: "step"} | ({run: "run"} if named else {}) | ({} if options.value else {value: "value"})

    def checked() -> Rows:
        """A record without the chosen key of the value, or with null there, has none; but one of all has to have it."""
        for at, record in chain([(line, first)], rest):
            for key, option in needed.items():
                if key not in record:
                    known(list(record), key, option, points.place(at))
            if run in record and not named:
                before = f"and {points.unit} {line} does not: name it everywhere or nowhere"
                raise UserError(f"{points.place(at)} names a run, {before}")
            yield at, record
        known(list(keys), value, "value", points.where)

    long(points, checked(), number_of(points), run if named else None, step, value, stem)


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
