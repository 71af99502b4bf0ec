"""The only writer of answers. The folder figures/<question>/<scale>/ of an answer is always complete.

A part is several tables and a receipt, and the receipts of all parts share a file; a rename is atomic only for
one file. So, under the lock of the answer,

    1. write every table as .<name>.new            killed here: the leftovers are ignored, the old answer stands
    2. write the receipt as .receipt[.part].new    from here on the new part counts: the next process finishes it
    3. rename the tables; remove those that this part has no more
    4. write receipts.json anew with this receipt
    5. remove .receipt[.part].new                  killed in 3 to 5: `finish_interrupted` does these three again

A table above 16 kB is compressed, as <name>.csv.xz. The compressed bytes depend on the machine's library, so a receipt
names each table <name>.csv and lists the sha256 of the CSV itself. Tables that do not fit their receipt do not count.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from presswork.answers import packed
from presswork.answers.receipts import RECEIPTS, Receipt, apart, together
from presswork.ground.errors import UserError
from presswork.ground.files import held, write

if TYPE_CHECKING:  # reading receipts and claims needs no pandas
    from pandas import DataFrame

Tables = dict[str, "DataFrame"]

DRAWN = ("*.svg", "*.table.csv", "estimates.json", "claims.json")  # the last one is written last


def write_json(path: Path, content: Any) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write(path, f"{text}\n".encode())


def write_if_other(path: Path, data: bytes) -> None:
    """A file with this content already keeps its date."""
    if not path.is_file() or path.read_bytes() != data:
        write(path, data)


def csv(table: "DataFrame") -> bytes:
    return table.to_csv(index=False, float_format="%.6g", lineterminator="\n").encode()


def suffix(part: str, parts: list[str]) -> str:
    """What a file name carries for its part: nothing if there is only one."""
    return "" if parts == ["all"] else f".{part}"


def write_rows(folder: Path, tables: Tables, receipt: Receipt) -> None:
    """Put what was measured for one part in the place of what stood there before."""
    tail = suffix(receipt["part"], receipt["parts"])
    write_part(folder, {f"{name}{tail}.csv": csv(table) for name, table in sorted(tables.items())}, receipt)


def write_part(folder: Path, tables: dict[str, bytes], receipt: Receipt) -> None:
    """The tables of one part, as CSV, and its receipt, all or nothing."""
    receipt = receipt | {"files": {name: packed.sha256(data) for name, data in tables.items()}}
    with held(folder / ".lock"):
        _settle(folder)
        for leftover in folder.glob(".*.new"):  # of a process that was killed before its part counted
            leftover.unlink()
        for name, data in tables.items():
            large = len(data) > packed.PLAIN
            stored = packed.packed(data) if large else data
            write(folder / f".{name}{packed.SUFFIX * large}.new", stored)
        write_json(folder / f".receipt{suffix(receipt['part'], receipt['parts'])}.new", receipt)
        _settle(folder)


def finish_interrupted(folder: Path) -> None:
    """Finish what a kill interrupted. Of two processes that do so at once, the second finds it done."""
    if any(folder.glob(".receipt*.new")):
        with held(folder / ".lock"):
            _settle(folder)


def _settle(folder: Path) -> None:
    for new in sorted(folder.glob(".receipt*.new")):
        receipt = json.loads(new.read_text(encoding="utf-8"))
        others = receipts(folder)
        for name in receipt["files"]:
            packed.take_place(folder, name)
        for name in others.pop(receipt["part"], receipt)["files"].keys() - receipt["files"].keys():
            packed.remove(folder, name)
        write_json(folder / RECEIPTS, together([*others.values(), receipt]))
        new.unlink()


def receipts(folder: Path) -> dict[str, Receipt]:
    """By part. Complains of a file that cannot be read: to measure one part would overwrite the others' receipts."""
    path = folder / RECEIPTS
    try:
        return {receipt["part"]: receipt for receipt in apart(path.read_bytes())}
    except FileNotFoundError:
        return {}
    except ValueError as error:
        back = f"take it back with `git checkout -- {shown(path)}`, or remove it and measure again"
        raise UserError(f"{shown(path)} cannot be read ({error}): {back}.") from None


def whole(folder: Path, part: str, parts: list[str]) -> Receipt | None:
    """The receipt of a part if all its tables are there and match it."""
    finish_interrupted(folder)
    receipt = _of_today(folder, parts).get(part)
    if receipt and all(packed.fits(folder, name, digest) for name, digest in receipt["files"].items()):
        return receipt
    return None


def _of_today(folder: Path, parts: list[str]) -> dict[str, Receipt]:
    """The receipts of the parts that the question has today, with files named as they are today."""
    there = {part: one for part, one in receipts(folder).items() if part in parts}
    return {part: one for part, one in there.items() if suffix(part, one["parts"]) == suffix(part, parts)}


def check(folder: Path, parts: list[str] | None = None) -> None:
    """Complain of the first table of these parts, or of all, that does not fit its receipt. A part may be missing."""
    finish_interrupted(folder)
    for receipt in (receipts(folder) if parts is None else _of_today(folder, parts)).values():
        for name, digest in receipt["files"].items():
            if not packed.fits(folder, name, digest):
                path = shown(packed.path_of(folder, name))
                make = "Make" if "runs/" in path else f"Take it back with `git checkout -- {path}`, or make"
                wrong = f"{path} does not fit its receipt: it is cut off, changed or gone"
                raise UserError(f"{wrong}. {make} it again: {receipt['command']}")


def shown(path: Path) -> str:
    """As a person types it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def read(folder: Path, parts: list[str]) -> "tuple[DataFrame | Tables | None, int]":
    """What measure returned, read back: all complete parts, concatenated, and their number."""
    import pandas as pd

    pieces: dict[str, list[DataFrame]] = {}
    there = {part: receipt for part in parts if (receipt := whole(folder, part, parts))}
    for part, receipt in there.items():
        for name in receipt["files"]:
            path = packed.path_of(folder, name)
            rows = pd.read_csv(path, keep_default_na=False, na_values=["", "nan", "NaN"])  # "None" is a text
            if len(parts) > 1:
                rows.insert(0, "part", part)
            pieces.setdefault(name.removesuffix(f"{suffix(part, parts)}.csv"), []).append(rows)
    # an empty part has object columns; concatenated, it would turn the other parts' numbers into objects
    for name, rows_of_parts in pieces.items():
        pieces[name] = [rows for rows in rows_of_parts if len(rows)] or rows_of_parts[:1]
    tables = {name: pd.concat(pieces[name], ignore_index=True) for name in sorted(pieces)}
    return (tables["rows"] if set(tables) == {"rows"} else tables or None), len(there)


def drop_old_parts(folder: Path, parts: list[str]) -> None:
    """Remove what was measured for parts that the question no longer has."""
    with held(folder / ".lock"):
        _settle(folder)
        kept, before = _of_today(folder, parts), receipts(folder)
        if kept.keys() == before.keys():
            return
        stay = {name for receipt in kept.values() for name in receipt["files"]}
        for name in {name for receipt in before.values() for name in receipt["files"]} - stay:
            packed.remove(folder, name)
        write_json(folder / RECEIPTS, together(list(kept.values())))


def note_golden(folder: Path, lines: list[str], of_today: Callable[[Receipt], bool]) -> None:
    """In receipts of parts that are of today: the golden numbers that are kept from now on."""
    if (folder / RECEIPTS).is_file():
        with held(folder / ".lock"):
            before = [*receipts(folder).values()]
            notes = [one | {"golden": lines} if of_today(one) else one for one in before]
            if notes != before:
                write_json(folder / RECEIPTS, together(notes))


def merge_parts(source: Path, target: Path, but: Iterable[str] = ()) -> None:
    """Copy the parts of one answer into another, each all or nothing; other parts of the target stay."""
    check(source)
    for part, receipt in receipts(source).items():
        if part not in but and receipt != whole(target, part, receipt["parts"]):
            write_part(target, {name: packed.table(source, name) for name in receipt["files"]}, receipt)


def add(source: Path, target: Path) -> None:
    """Put one answer over another: first what is measured, part by part, then what is drawn from it."""
    merge_parts(source, target)
    drawn = [path for form in DRAWN for path in source.glob(form)]
    write_drawn(target, {path.name: path.read_bytes() for path in drawn})


def replace(source: Path, target: Path) -> None:
    add(source, target)
    drop_old_parts(target, list(receipts(source)))


def write_drawn(folder: Path, files: dict[str, bytes]) -> None:
    """Write what was drawn, and remove figures and tables that the question no longer draws."""
    for name, data in files.items():
        write_if_other(folder / name, data)
    for path in (path for form in DRAWN for path in folder.glob(form)):
        if path.name not in files:
            path.unlink()
