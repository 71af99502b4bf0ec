"""JSON lines: one point a line, {"run": "a", "step": 1, "value": 0.5}; without "run" all lines are one run."""

import json
from collections import Counter
from collections.abc import Iterator
from math import inf
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Points, printable
from curvecast.logs.columns import Options, known, step_name

LARGEST = 30_000_000  # characters of a document: half a million values need less
MOST_PARTS = 2_000_000  # of one document: each may take a hundred bytes of memory
NOT_WHOLE = object()
Record = dict[str, Any]


def read(lines: Iterator[str], start: int, points: Points, stem: str, options: Options) -> None:
    """One point a line."""
    texts = ((line, text) for line, text in enumerate(lines, start) if text.strip())
    gather(((line, _record(text, points, line)) for line, text in texts), points, stem, options)


def gather(records: Iterator[tuple[int, Record]], points: Points, stem: str, options: Options) -> None:
    """Points of records, each with its number; a record without the chosen key of the value, or with null there, has none."""
    run, value = options.run or "run", options.value or "value"
    step, first, named, found = "", 0, False, False
    keys: dict[str, None] = {}  # of all records, in their order
    for line, record in records:
        keys |= dict.fromkeys(record)
        if not step:
            known(list(record), options.run, "run", points.place(line))
            step, named, first = (
                step_name(list(record), options.step, points.place(line)),
                run in record,
                line,
            )
            needed = (
                {step: "step"} | ({run: "run"} if named else {}) | ({} if options.value else {value: "value"})
            )
        if not record.keys() >= needed.keys():
            for key, option in needed.items():
                known(list(record), key, option, points.place(line))
        if run in record and not named:
            raise UserError(
                f"{points.place(line)} names a run, and {points.unit} {first} does not: name it everywhere or nowhere"
            )
        name = _name(record[run], run, points, line) if named else stem
        points.declare(name, what=value)
        if record.get(value) is not None:
            at = number(record[step], step, points, line)
            points.add(name, at, number(record[value], value, points, line), line)
        found = found or value in record
    if not found:
        known(list(keys), value, "value", points.where)


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
    record = parsed(text, points.place(line))
    if record is NOT_WHOLE:
        place = points.place(line)
        raise UserError(f"{place} is not a whole JSON object: write one object on each line")
    if not isinstance(record, dict):
        wanted = '{"step": 1, "value": 0.5}'
        raise UserError(f"{points.place(line)} is not a JSON object: write {wanted} on each line")
    return record


def _name(name: Any, key: str, points: Points, line: int) -> str:
    if isinstance(name, bool) or not isinstance(name, (str, int)) or not str(name).strip():
        raise UserError(f"{points.place(line)}: '{printable(key)}' is not a name: write text in quotes")
    return str(name)


def number(found: Any, key: str, points: Points, line: int) -> float:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        wrong = f"'{printable(str(found))}' of '{printable(key)}' is not a number"
        raise UserError(
            f"{points.place(line)}: {wrong}: write it in digits without quotes, or take the line away"
        )
    try:
        return float(found)
    except OverflowError:
        return inf  # as 1e999 is read
