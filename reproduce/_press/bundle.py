"""Answers as one checked tar, to carry them from a machine that has no git to one that has.

    manifest.json                    {"scale", "files": {path: sha256}}
    figures/<question>/<scale>/…     rows, receipts, figures, tables, claims; unbundled to runs/here
    weights/<name>.safetensors       the weights of these questions, where they are small

`unbundle` unpacks nothing onto the disk: it reads and checks every member, then writes as the runner does.
"""

import io
import json
import re
import tarfile
from pathlib import Path, PurePosixPath

from curvecast.ground.errors import UserError
from reproduce._press import run, store, table_files
from reproduce._press.answers import freshness
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.packed import plain_name, unpacked
from reproduce._press.answers.receipts import FILE as RECEIPTS
from reproduce._press.answers.receipts import Receipt, apart, together
from reproduce._press.contract import NAME, SCALES, known, load, names

WEIGHTS_LIMIT = 16_000_000  # bytes; what git may hold
MEMBER_LIMIT = 64_000_000


def bundle(out: Path, questions: list[str], scale: str, commit: str | None, root: Path) -> list[str]:
    """Write the tar; says what is in it. `commit` stands in where the receipts have none."""
    if commit is not None and not re.fullmatch("[0-9a-f]{7,40}", commit):
        raise UserError(f"--commit {commit!r} is not the hash of a commit (7 to 40 digits of 0-9a-f).")
    files: dict[str, bytes] = {}
    for name in questions:
        folder = store.answer(run.home(scale, root=root), name, scale)
        store.check(folder)
        if store.receipts(folder):
            files |= _answer(folder, f"figures/{name}/{scale}", commit) | _weights(name, scale, root)
    if not files:
        raise UserError(
            f"There is no answer of {', '.join(questions)} at {scale} scale to bundle; run it first."
        )
    manifest = {"scale": scale, "files": {name: table_files.sha256(data) for name, data in files.items()}}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in ({"manifest.json": json.dumps(manifest, indent=1).encode()} | files).items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    store.write(out, buffer.getvalue())
    return list(files)


def _answer(folder: Path, prefix: str, commit: str | None) -> dict[str, bytes]:
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        data = path.read_bytes()
        if path.name == RECEIPTS:
            receipts = [r | {"commit": r["commit"] or commit} for r in apart(data)]
            if any(r["commit"] is None for r in receipts):
                raise UserError(
                    f"{prefix}/{path.name} names no commit; say which code made it: --commit SHA."
                )
            data = json.dumps(together(receipts), indent=1).encode()
        files[f"{prefix}/{path.name}"] = data
    return files


def _weights(name: str, scale: str, root: Path) -> dict[str, bytes]:
    configs = load(name, root).models(scale)
    if not configs:
        return {}
    from curvecast.training import train

    paths = [Path(train.weights_path(config)) for config in configs]
    small = [path for path in paths if path.is_file() and path.stat().st_size <= WEIGHTS_LIMIT]
    return {f"weights/{path.name}": path.read_bytes() for path in small}


def unbundle(tar: Path, root: Path) -> list[str]:
    """Check everything, then put answers and weights in their places; says which answers came."""
    scale, files = _checked(tar, root)
    folders = sorted({str(PurePosixPath(name).parent) for name in files if name.startswith("figures/")})
    for name, data in files.items():
        if name.startswith("weights/"):  # before the answers that rest on them
            store.write(root / name, data)
    for folder in folders:
        inside = [name for name in files if name.startswith(f"{folder}/")]
        place = root / HOMES["here"] / folder.removeprefix("figures/")
        _unpack(place, {PurePosixPath(name).name: files[name] for name in inside})
    states = [freshness.freshness(f.split("/")[1], scale, root, home=HOMES["here"]).state for f in folders]
    return [
        f"{f}: {state}; python -m reproduce publish {f.split('/')[1]}"
        for f, state in zip(folders, states, strict=True)
    ]


def _unpack(folder: Path, inside: dict[str, bytes]) -> None:
    """The files of one answer: first what was measured, part by part, then what was drawn from it."""
    tables = {plain_name(name): _csv(name, data) for name, data in inside.items()}
    measured = {RECEIPTS}
    for receipt in apart(inside[RECEIPTS]):
        store.write_part(folder, {name: tables[name] for name in receipt["files"]}, receipt)
        measured |= receipt["files"].keys()
    drawn = {name: data for name, data in inside.items() if plain_name(name) not in measured}
    for name, data in drawn.items():
        store.write_if_other(folder / name, data)
    store.remove_others(folder, drawn)


def _csv(name: str, data: bytes) -> bytes:
    return data if plain_name(name) == name else unpacked(data)


def _checked(path: Path, root: Path) -> tuple[str, dict[str, bytes]]:
    """The members by name, once all of them are what the manifest says and lie where they may."""
    try:
        with tarfile.open(path, "r:") as tar:
            members = {member.name: _member(tar, member, path) for member in tar}
        manifest = json.loads(members.pop("manifest.json"))
        scale, expected = known("scale", manifest["scale"], SCALES), dict(manifest["files"])
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except (tarfile.TarError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{path} is not a bundle, or it is damaged ({error}); copy it again.") from None
    if set(members) != set(expected):
        odd = sorted(set(members) ^ set(expected))[0]
        raise UserError(f"{path}: {odd} is in the manifest or in the tar, but not in both; copy it again.")
    for name, data in members.items():
        if table_files.sha256(data) != expected[name]:
            raise UserError(
                f"{path}: {name} is damaged (its sha256 differs from the manifest); copy it again."
            )
        _place(name, scale, path, root)
    _receipts(members, path)
    return scale, members


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> bytes:
    file = tar.extractfile(member) if member.isreg() and member.size <= MEMBER_LIMIT else None
    if file is None:
        raise UserError(
            f"{path}: {member.name} is not a plain file of at most {MEMBER_LIMIT // 10**6} MB; make it again."
        )
    return file.read()


def _place(name: str, scale: str, path: Path, root: Path) -> None:
    """Only figures/<question>/<scale>/<file> and weights/<file>.safetensors."""
    parts = name.split("/")
    if not all(NAME.fullmatch(part) for part in parts):
        raise UserError(f"{path}: {name!r} is not a place where an answer may lie.")
    if parts[0] == "figures" and len(parts) == 4 and parts[2] == scale:
        known("question", parts[1], names(root))
    elif not (parts[0] == "weights" and len(parts) == 2 and name.endswith(".safetensors")):
        raise UserError(f"{path}: {name!r} is not a place where an answer may lie.")


def _receipts(members: dict[str, bytes], path: Path) -> None:
    """Each answer has receipts, and they fit the rows beside them."""
    for folder in {str(PurePosixPath(name).parent) for name in members if name.startswith("figures/")}:
        try:
            tables = {
                plain_name(n): _csv(n, data) for n, data in members.items() if n.startswith(f"{folder}/")
            }
            receipts = apart(members[f"{folder}/{RECEIPTS}"])
            good = bool(receipts) and all(_fits(receipt, folder, tables) for receipt in receipts)
        except (AttributeError, KeyError, TypeError, ValueError):
            good = False
        if not good:
            raise UserError(
                f"{path}: {folder}/{RECEIPTS} does not fit the rows beside it; make the bundle again."
            )


def _fits(receipt: Receipt, folder: str, tables: dict[str, bytes]) -> bool:
    here = folder == f"figures/{receipt['question']}/{receipt['scale']}" and NAME.fullmatch(receipt["part"])
    digests = receipt["files"].items()
    return bool(here) and all(
        table_files.sha256(tables[f"{folder}/{name}"]) == digest for name, digest in digests
    )
