"""Answers as one checked tar, to carry them from a machine that has no git to one that has.

    manifest.json                    {"scale", "files": {path: sha256}}
    figures/<question>/<scale>/…     rows, receipts, figures, tables, claims; unbundled to runs/here
    made/<name>                      what was made before for these questions, where it is small; see `Plugin.folder`

`unbundle` unpacks into a folder of its own, and checks every file there before it puts any in its place.
"""

import io
import json
import re
import tarfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from presswork import run, store
from presswork.answers import freshness, packed
from presswork.answers.receipts import RECEIPTS, together
from presswork.contract import NAME, load, names
from presswork.ground.blog import BLOG, HOMES, SCALES
from presswork.ground.errors import UserError, demand, known, printable, reading

NAMES = "names have letters, digits, _, - and . alone"
WEIGHTS_LIMIT = 16_000_000  # bytes; what git may hold
MEMBER_LIMIT = 64_000_000
TOTAL_LIMIT = 256_000_000


def bundle(out: Path, questions: list[str], scale: str, commit: str | None, root: Path) -> list[str]:
    """Write the tar; returns the names of its files. `commit` is used where the receipts have none."""
    if commit is not None and not re.fullmatch("[0-9a-f]{7,40}", commit):
        raise UserError(f"--commit {commit!r} is not the hash of a commit (7 to 40 digits of 0-9a-f).")
    files: dict[str, bytes] = {}
    for name in questions:
        folder = run.home(scale, root=root) / name / scale
        store.check(folder)
        receipts = [one | {"commit": one["commit"] or commit} for one in store.receipts(folder).values()]
        if not receipts:
            continue
        unknown = f"{name} at {scale} scale names no commit; say which code made it: --commit SHA."
        demand(all(one["commit"] for one in receipts), unknown)
        files |= {f"figures/{name}/{scale}/{p.name}": p.read_bytes() for p in sorted(folder.glob("[!.]*"))}
        files[f"figures/{name}/{scale}/{RECEIPTS}"] = json.dumps(together(receipts), indent=1).encode()
        made = [BLOG.plugin.path(config) for config in load(name, root).models(scale)]
        small = [path for path in made if path.is_file() and path.stat().st_size <= WEIGHTS_LIMIT]
        files |= {f"{BLOG.plugin.folder}/{path.name}": path.read_bytes() for path in small}
    demand(files, f"There is no answer of {', '.join(questions)} at {scale} scale to bundle; run it first.")
    for file in files:  # what `unbundle` would refuse
        _check_place(file, scale, out, root)
    manifest = {"scale": scale, "files": {name: packed.sha256(data) for name, data in files.items()}}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in ({"manifest.json": json.dumps(manifest, indent=1).encode()} | files).items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    store.write(out, buffer.getvalue())
    return list(files)


def unbundle(tar: Path, root: Path) -> list[str]:
    """Check everything, then put what was made before and the answers in their places; says which answers came."""
    scale, files = _checked(tar, root)
    home, lines = HOMES["here"], []
    with TemporaryDirectory() as folder:
        for name, data in files.items():
            store.write(Path(folder, name), data)
        answers = sorted(Path(folder).glob("figures/*/*"))
        for answer in answers:
            unlike = f"{answer.relative_to(folder)}/{RECEIPTS} does not fit the rows beside it"
            demand(_fits(answer), f"{tar}: {unlike}; make the bundle again.")
        for name in (name for name in files if not name.startswith("figures/")):  # answers rest on it
            store.write(root / name, files[name])
        for answer in answers:
            question = answer.parent.name
            store.add(answer, root / home / question / scale)
            state = freshness.freshness(question, scale, root, home).state
            lines.append(f"figures/{question}/{scale}: {state}; {BLOG.command} publish {question}")
    return lines


def _checked(path: Path, root: Path) -> tuple[str, dict[str, bytes]]:
    """The scale and the members by name, if all are as the manifest says and in allowed places."""
    with reading(path, "is not a bundle, or it is damaged", "copy it again."):
        most = f"{path} has more than {TOTAL_LIMIT // 10**6} MB: bundle fewer questions."
        demand(path.stat().st_size <= TOTAL_LIMIT, most)
        with tarfile.open(path, "r:") as tar:
            members = {member.name: _content(tar, member, path) for member in tar}
        manifest = json.loads(members.pop("manifest.json"))
        scale, expected = known("scale", manifest["scale"], SCALES), dict(manifest["files"])
    for name in sorted(members.keys() | expected.keys()):
        same = name in members and packed.sha256(members[name]) == expected.get(name)
        demand(same, f"{path}: {printable(name, 80)} is not what the manifest says; copy it again.")
        _check_place(name, scale, path, root)
    return scale, members


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> bytes:
    plain = member.isreg() and not member.issparse()  # a hole of 64 MB takes 512 bytes
    file = tar.extractfile(member) if plain and member.size <= MEMBER_LIMIT else None
    if file is None:
        limit = f"{MEMBER_LIMIT // 10**6} MB"
        raise UserError(f"{path}: {member.name} is not a plain file of at most {limit}; make it again.")
    return file.read()


def _check_place(name: str, scale: str, path: Path, root: Path) -> None:
    """Only figures/<question>/<scale>/<file>, and <file> where what is made before lies."""
    allowed = all(NAME.fullmatch(part) for part in name.split("/"))
    match name.split("/"):
        case ["figures", question, folder, _] if allowed and folder == scale:
            known("question", question, names(root))
        case [BLOG.plugin.folder, file] if allowed and file.endswith(BLOG.plugin.suffix):
            pass
        case _:
            raise UserError(f"{path}: {printable(name, 80)} is not a place where an answer may lie: {NAMES}.")


def _fits(answer: Path) -> bool:
    """Do the receipts in this folder speak of its question and scale, and of the rows that lie beside them?"""
    with suppress(UserError, AttributeError, KeyError, TypeError):
        receipts = list(store.receipts(answer).values())
        own = [(receipt["question"], receipt["scale"]) == answer.parts[-2:] for receipt in receipts]
        files = [name for receipt in receipts for name in (receipt["part"], *receipt["files"])]
        store.check(answer)
        return bool(receipts) and all(own) and all(map(NAME.fullmatch, files))
    return False
