"""Answers as one checked tar, to carry them from a machine that has no git to one that has.

    manifest.json                    {"scale", "files": {path: sha256}}
    figures/<question>/<scale>/…     rows, receipts, figures, tables, claims; unbundled to runs/here
    made/<name>                      what was made before for these questions, where it is small; see `Plugin.folder`

`unbundle` reads and checks every member in memory before it writes anything.
"""

import io
import json
import re
import tarfile
from pathlib import Path

from presswork import run, store
from presswork.answers import freshness, packed
from presswork.answers.answer import HOMES
from presswork.answers.packed import plain_name, unpacked
from presswork.answers.receipts import FILE as RECEIPTS
from presswork.answers.receipts import Receipt, apart, together
from presswork.contract import NAME, SCALES, load, names
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError, demand, printable, reading
from presswork.questions import known

WEIGHTS_LIMIT = 16_000_000  # bytes; what git may hold
MEMBER_LIMIT = 64_000_000
TOTAL_LIMIT = 256_000_000  # of a bundle, and of the tables of one when they are unpacked


def bundle(out: Path, questions: list[str], scale: str, commit: str | None, root: Path) -> list[str]:
    """Write the tar; returns the names of its files. `commit` is used where the receipts have none."""
    if commit is not None and not re.fullmatch("[0-9a-f]{7,40}", commit):
        raise UserError(f"--commit {commit!r} is not the hash of a commit (7 to 40 digits of 0-9a-f).")
    files: dict[str, bytes] = {}
    for name in questions:
        folder = store.answer(run.home(scale, root=root), name, scale)
        store.check(folder)
        if store.receipts(folder):
            files |= _answer(folder, f"figures/{name}/{scale}", commit) | _weights(name, scale, root)
    if not files:
        wanted = ", ".join(questions)
        raise UserError(f"There is no answer of {wanted} at {scale} scale to bundle; run it first.")
    manifest = {"scale": scale, "files": {name: packed.sha256(data) for name, data in files.items()}}
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
    for path in sorted(folder.glob("[!.]*")):
        data = path.read_bytes()
        if path.name == RECEIPTS:
            receipts = [receipt | {"commit": receipt["commit"] or commit} for receipt in apart(data)]
            if any(receipt["commit"] is None for receipt in receipts):
                raise UserError(f"{prefix}/{RECEIPTS} names no commit; say which code made it: --commit SHA.")
            data = json.dumps(together(receipts), indent=1).encode()
        files[f"{prefix}/{path.name}"] = data
    return files


def _weights(name: str, scale: str, root: Path) -> dict[str, bytes]:
    configs = load(name, root).models(scale)
    paths = [BLOG.plugin.path(config) for config in configs]
    small = [path for path in paths if path.is_file() and path.stat().st_size <= WEIGHTS_LIMIT]
    return {f"{BLOG.plugin.folder}/{path.name}": path.read_bytes() for path in small}


def unbundle(tar: Path, root: Path) -> list[str]:
    """Check everything, then put answers and weights in their places; says which answers came."""
    scale, packed_files = _checked(tar, root)
    files = _plain(packed_files, tar)
    answers: dict[str, dict[str, bytes]] = {}  # question: {file: content}
    weights = {name: data for name, data in files.items() if name.startswith(f"{BLOG.plugin.folder}/")}
    for name in files.keys() - weights.keys():
        _, question, _, file = name.split("/")
        answers.setdefault(question, {})[file] = files[name]
    opened = {question: _opened(inside, question, scale, tar) for question, inside in answers.items()}
    for name, data in weights.items():  # before the answers that rest on them
        store.write(root / name, data)
    home, lines = HOMES["here"], []
    for question, (receipts, tables) in sorted(opened.items()):
        _unpack(store.answer(root / home, question, scale), receipts, tables)
        state = freshness.freshness(question, scale, root, home).state
        lines.append(f"figures/{question}/{scale}: {state}; {BLOG.command} publish {question}")
    return lines


def _unpack(folder: Path, receipts: list[Receipt], files: dict[str, bytes]) -> None:
    """The files of one answer: first what was measured, part by part, then what was drawn from it."""
    drawn = {name: data for name, data in files.items() if name != RECEIPTS}
    for receipt in receipts:
        store.write_part(folder, {name: files[name] for name in receipt["files"]}, receipt)
        drawn = {name: data for name, data in drawn.items() if name not in receipt["files"]}
    store.write_drawn(folder, drawn)


def _checked(path: Path, root: Path) -> tuple[str, dict[str, bytes]]:
    """The scale and the members by name, if all are as the manifest says and in allowed places."""
    with reading(path, "is not a bundle, or it is damaged", "copy it again."):
        if path.stat().st_size > TOTAL_LIMIT:
            raise UserError(f"{path} has more than {TOTAL_LIMIT // 10**6} MB: bundle fewer questions.")
        with tarfile.open(path, "r:") as tar:
            members = {member.name: _member(tar, member, path) for member in tar}
        manifest = json.loads(members.pop("manifest.json"))
        scale, expected = known("scale", manifest["scale"], SCALES), dict(manifest["files"])
    for name in sorted(members.keys() ^ expected.keys()):
        raise UserError(f"{path}: {name} is in the manifest or in the tar, but not in both; copy it again.")
    for name, data in members.items():
        damaged = f"{name} is damaged (its sha256 differs from the manifest)"
        demand(packed.sha256(data) == expected[name], f"{path}: {damaged}; copy it again.")
        _check_place(name, scale, path, root)
    return scale, members


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> bytes:
    plain = member.isreg() and not member.issparse()  # a hole of 64 MB takes 512 bytes
    file = tar.extractfile(member) if plain and member.size <= MEMBER_LIMIT else None
    if file is None:
        limit = f"{MEMBER_LIMIT // 10**6} MB"
        raise UserError(f"{path}: {member.name} is not a plain file of at most {limit}; make it again.")
    return file.read()


def _plain(files: dict[str, bytes], path: Path) -> dict[str, bytes]:
    """With tables as CSV."""
    plain: dict[str, bytes] = {}
    with reading(path, "holds a table that is damaged", "make the bundle again."):
        for name, data in files.items():
            plain[plain_name(name)] = data if plain_name(name) == name else unpacked(data)
            most = f"{TOTAL_LIMIT // 10**6} MB: bundle fewer questions."
            demand(sum(map(len, plain.values())) <= TOTAL_LIMIT, f"{path} unpacks to more than {most}")
    return plain


def _check_place(name: str, scale: str, path: Path, root: Path) -> None:
    """Only figures/<question>/<scale>/<file>, and <file> where what is made before lies."""
    allowed = all(NAME.fullmatch(part) for part in name.split("/"))
    match name.split("/"):
        case ["figures", question, folder, _] if allowed and folder == scale:
            known("question", question, names(root))
        case [BLOG.plugin.folder, file] if allowed and file.endswith(BLOG.plugin.suffix):
            pass
        case _:
            raise UserError(f"{path}: {printable(name, 80)} is not a place where an answer may lie.")


def _opened(
    inside: dict[str, bytes], question: str, scale: str, path: Path
) -> tuple[list[Receipt], dict[str, bytes]]:
    """The receipts of an answer, and its files with tables as CSV, if they fit together."""
    try:
        receipts = apart(inside[RECEIPTS])
        if receipts and all(_fits(receipt, question, scale, inside) for receipt in receipts):
            return receipts, inside
    except (AttributeError, KeyError, TypeError, ValueError):
        pass
    where = f"figures/{question}/{scale}/{RECEIPTS}"
    raise UserError(f"{path}: {where} does not fit the rows beside it; make the bundle again.")


def _fits(receipt: Receipt, question: str, scale: str, files: dict[str, bytes]) -> bool:
    named = (receipt["question"], receipt["scale"]) == (question, scale) and NAME.fullmatch(receipt["part"])
    digests = receipt["files"].items()
    return bool(named) and all(packed.sha256(files[name]) == digest for name, digest in digests)
