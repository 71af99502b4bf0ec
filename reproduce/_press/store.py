"""The only writer of answers. What stands in the folder figures/<question>/<scale>/ of one is always whole.

A part is several tables and a receipt, and the receipts of all parts share a file; a rename is atomic only for
one file. So, under the lock of the answer,

    1. write every table as .<name>.new            killed here: the leftovers are ignored, the old answer stands
    2. write the receipt as .receipt[.part].new    from here on the new part counts: who comes next settles it
    3. rename the tables; remove those that this part has no more
    4. write receipts.json anew with this receipt
    5. remove .receipt[.part].new                  killed in 3 to 5: `finish_interrupted` does these three again

A table above 20 kB lies packed, as <name>.csv.gz. How well a machine packs depends on its zlib, so a receipt
names each table <name>.csv and lists the sha256 of the CSV itself: it fits wherever the table was packed.
Tables that do not fit their receipt do not count.
"""

import fcntl
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvecast.ground.errors import UserError
from curvecast.ground.whole_file import put
from reproduce._press import table_files
from reproduce._press.answers.receipts import FILE as RECEIPTS
from reproduce._press.answers.receipts import Receipt, apart, together

if TYPE_CHECKING:  # reading receipts and claims needs no pandas
    from pandas import DataFrame

Tables = dict[str, "DataFrame"]


def answer(figures: Path, question: str, scale: str) -> Path:
    return figures / question / scale


# -------------------------------------------------------------------------------------------- one file


def write(path: Path, data: bytes) -> None:
    """Atomically: the file is either as before or has all of `data`, also after a power cut."""
    put(path, data, make_folder=True)


def write_json(path: Path, content: Any) -> None:
    write(path, (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def write_if_other(path: Path, data: bytes) -> None:
    """A file that is the same already keeps its date, so that nothing looks changed that is not."""
    if not path.is_file() or path.read_bytes() != data:
        write(path, data)


def csv(table: "DataFrame") -> bytes:
    return table.to_csv(index=False, float_format="%.6g", lineterminator="\n").encode()


# ------------------------------------------------------------------------------- the rows and their receipt


def suffix(part: str, parts: list[str]) -> str:
    """What the name of a file carries for its part: nothing if there is only one."""
    return "" if parts == ["all"] else f".{part}"


def write_rows(folder: Path, tables: Tables, receipt: Receipt) -> None:
    """Put what was measured for one part in the place of what stood there before."""
    tail = suffix(receipt["part"], receipt["parts"])
    write_part(
        folder,
        {f"{name}{tail}.csv": csv(table) for name, table in sorted(tables.items())},
        receipt,
    )


def write_part(folder: Path, tables: dict[str, bytes], receipt: Receipt) -> None:
    """The tables of one part, as CSV, and its receipt, all or nothing."""
    receipt = receipt | {"files": {name: table_files.sha256(data) for name, data in tables.items()}}
    with _alone(folder):
        _settle(folder)
        for rest in folder.glob(".*.new"):
            rest.unlink()  # of one who was killed before it counted
        for name, data in tables.items():
            form, stored = table_files.stored_as(name, data)
            write(folder / f".{form}.new", stored)
        write_json(folder / f".receipt{suffix(receipt['part'], receipt['parts'])}.new", receipt)
        _settle(folder)


def finish_interrupted(folder: Path) -> None:
    """Finish what a kill interrupted. Two processes may do so at once: who comes second finds it done."""
    if any(folder.glob(".receipt*.new")):
        with _alone(folder):
            _settle(folder)


def _settle(folder: Path) -> None:
    for new in sorted(folder.glob(".receipt*.new")):
        receipt = json.loads(new.read_text(encoding="utf-8"))
        others = receipts(folder)
        for name in receipt["files"]:
            table_files.take_place(folder, name)
        for name in _files(others.pop(receipt["part"], None)) - _files(receipt):
            table_files.remove(folder, name)
        write_json(folder / RECEIPTS, together([*others.values(), receipt]))
        new.unlink()


def _files(receipt: Receipt | None) -> set[str]:
    return set(receipt["files"]) if receipt else set()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process writes into this answer: all parts share a file. A kill frees the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def receipts(folder: Path) -> dict[str, Receipt]:
    """By part. A file that cannot be read is told: to measure one part would write over the receipts of the others."""
    path = folder / RECEIPTS
    try:
        return {receipt["part"]: receipt for receipt in apart(path.read_bytes())}
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise UserError(
            f"{_shown(path)} cannot be read ({error}): take it back with `git checkout -- {_shown(path)}`, "
            "or remove it and measure again."
        ) from None


def whole(folder: Path, part: str, parts: list[str]) -> Receipt | None:
    """The receipt of a part whose tables are all there and match it, else None."""
    finish_interrupted(folder)
    receipt = _of_today(folder, parts).get(part)
    if receipt and all(table_files.fits(folder, name, digest) for name, digest in receipt["files"].items()):
        return receipt
    return None


def _of_today(folder: Path, parts: list[str]) -> dict[str, Receipt]:
    """The receipts of the parts that the question has today, with files named as they are today."""
    return {
        part: receipt
        for part, receipt in receipts(folder).items()
        if part in parts and suffix(part, receipt["parts"]) == suffix(part, parts)
    }


def check(folder: Path, parts: list[str] | None = None) -> None:
    """Tell the first table of these parts, or of all, that does not fit its receipt. A part may be missing."""
    finish_interrupted(folder)
    for receipt in (receipts(folder) if parts is None else _of_today(folder, parts)).values():
        for name, digest in receipt["files"].items():
            if not table_files.fits(folder, name, digest):
                path = _shown(table_files.lies_as(folder, name))
                back = (
                    f"Take it back with `git checkout -- {path}`, or make" if "runs/" not in path else "Make"
                )
                raise UserError(
                    f"{path} does not fit its receipt: it is cut off, changed or gone. {back} it again: {receipt['command']}"
                )


def _shown(path: Path) -> str:
    """As a person types it."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def read(folder: Path, parts: list[str]) -> "tuple[DataFrame | Tables | None, int]":
    """What measure returned, read back: all parts that are whole, below one another, and their number."""
    import pandas as pd

    pieces: dict[str, list[DataFrame]] = {}
    count = 0
    for part in parts:
        receipt = whole(folder, part, parts)
        if receipt is None:
            continue
        count += 1
        for name in receipt["files"]:
            rows = pd.read_csv(table_files.lies_as(folder, name))
            if len(parts) > 1:
                rows.insert(0, "part", part)
            pieces.setdefault(name.removesuffix(f"{suffix(part, parts)}.csv"), []).append(rows)
    tables = {name: _below_one_another(several) for name, several in sorted(pieces.items())}
    if not tables:
        return None, count
    return (tables["rows"] if set(tables) == {"rows"} else tables), count


def _below_one_another(several: "list[DataFrame]") -> "DataFrame":
    """A part that found nothing has columns of no kind, which would make objects of the others' numbers."""
    import pandas as pd

    return pd.concat([rows for rows in several if len(rows)] or several[:1], ignore_index=True)


def drop_old_parts(folder: Path, parts: list[str]) -> None:
    """Take away what was measured for parts that the question does not have any more."""
    with _alone(folder):
        _settle(folder)
        kept, found = _of_today(folder, parts), receipts(folder)
        if kept.keys() == found.keys():
            return
        stay: set[str] = set().union(*(_files(receipt) for receipt in kept.values()))
        for part in found.keys() - kept.keys():
            for name in _files(found[part]) - stay:
                table_files.remove(folder, name)
        write_json(folder / RECEIPTS, together(list(kept.values())))


def merge_parts(source: Path, target: Path, but: Iterable[str] = ()) -> None:
    """The parts of an answer in the place of those of another, each all or nothing; parts that it lacks stay."""
    check(source)
    for part, receipt in receipts(source).items():
        if part not in but and receipt != whole(target, part, receipt["parts"]):
            write_part(target, {name: table_files.table(source, name) for name in receipt["files"]}, receipt)


# ------------------------------------------------------------------------------- what is drawn from rows


def replace(source: Path, target: Path) -> None:
    """A whole answer in the place of another, with what is drawn from it: first what is measured, part by part."""
    merge_parts(source, target)
    drawn = [*source.glob("*.svg"), *source.glob("*.table.csv"), source / "claims.json"]
    for path in drawn:
        write_if_other(target / path.name, path.read_bytes())
    remove_others(target, [path.name for path in drawn])
    drop_old_parts(target, list(receipts(source)))


def remove_others(folder: Path, kept: Iterable[str]) -> None:
    """Take away figures and tables that the question does not draw any more."""
    kept = set(kept)
    for path in [*folder.glob("*.svg"), *folder.glob("*.table.csv")]:
        if path.name not in kept:
            path.unlink()
