"""The only writer of answers. What stands in the folder figures/<question>/<scale>/ of one is always whole.

A part is several files that belong together (tables and receipt); a rename is atomic only for one. So

    1. write every table as .<name>.new       killed here: the leftovers are ignored, the old answer stands
    2. write the receipt as .<receipt>.new    from here on the new answer counts: who comes next settles it
    3. rename the tables, then the receipt    killed here: `settle` renames the rest

A receipt lists the sha256 of its tables; tables that do not match their receipt do not count.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvecast.whole import put

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


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ------------------------------------------------------------------------------- the rows and their receipt


def suffix(part: str, parts: list[str]) -> str:
    """What the name of a file carries for its part: nothing if there is only one."""
    return "" if parts == ["all"] else f".{part}"


def write_rows(folder: Path, tables: Tables, receipt: dict[str, Any]) -> None:
    """Put what was measured for one part in the place of what stood there before."""
    tail = suffix(receipt["part"], receipt["parts"])
    write_part(folder, {f"{name}{tail}.csv": csv(table) for name, table in sorted(tables.items())}, receipt)


def write_part(folder: Path, contents: dict[str, bytes], receipt: dict[str, Any]) -> None:
    """The files of one part and its receipt, all or nothing."""
    before = whole(folder, receipt["part"], receipt["parts"])
    receipt = receipt | {"files": {name: sha256(data) for name, data in contents.items()}}
    for name, data in contents.items():
        write(folder / f".{name}.new", data)
    write_json(folder / f".receipt{suffix(receipt['part'], receipt['parts'])}.json.new", receipt)
    settle(folder)
    for name in set(before["files"]) - set(contents) if before else ():
        (folder / name).unlink(missing_ok=True)  # a table that is measured no more


def settle(folder: Path) -> None:
    """Finish what a kill interrupted. Two processes may do so at once: who comes second finds it done."""
    for receipt in sorted(folder.glob(".receipt*.json.new")):
        with suppress(FileNotFoundError):
            for name, digest in json.loads(receipt.read_text(encoding="utf-8"))["files"].items():
                new = folder / f".{name}.new"
                if new.is_file() and sha256(new.read_bytes()) == digest:
                    os.replace(new, folder / name)
            os.replace(receipt, folder / receipt.name[1:].removesuffix(".new"))


def whole(folder: Path, part: str, parts: list[str]) -> dict[str, Any] | None:
    """The receipt of a part whose tables are all there and match it, else None."""
    settle(folder)
    try:
        receipt = json.loads((folder / f"receipt{suffix(part, parts)}.json").read_text(encoding="utf-8"))
        match = all(
            sha256((folder / name).read_bytes()) == digest for name, digest in receipt["files"].items()
        )
    except (OSError, ValueError, KeyError):
        return None
    return receipt if match else None


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
            table = pd.read_csv(folder / name)
            if len(parts) > 1:
                table.insert(0, "part", part)
            pieces.setdefault(name.removesuffix(f"{suffix(part, parts)}.csv"), []).append(table)
    tables = {name: pd.concat(several, ignore_index=True) for name, several in sorted(pieces.items())}
    if not tables:
        return None, count
    return (tables["rows"] if set(tables) == {"rows"} else tables), count


def retire(folder: Path, parts: list[str]) -> None:
    """Take away what was measured for parts that the question does not have any more."""
    today = {f"receipt{suffix(part, parts)}.json" for part in parts}
    for path in folder.glob("receipt*.json"):
        if path.name not in today:
            for name in json.loads(path.read_text(encoding="utf-8"))["files"]:
                (folder / name).unlink(missing_ok=True)
            path.unlink()


# ------------------------------------------------------------------------------- what is drawn from rows


def remove_others(folder: Path, kept: Iterable[str]) -> None:
    """Take away figures and tables that the question does not draw any more."""
    kept = set(kept)
    for path in [*folder.glob("*.svg"), *folder.glob("*.table.csv")]:
        if path.name not in kept:
            path.unlink()
