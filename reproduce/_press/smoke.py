"""Every question at smoke scale, by the code of today and by the code that made what is published: same numbers?

What a version of the code gave is a take; the takes that count lie in figures/<question>/smoke.csv.gz (see sameness.py).
The code of a commit is laid out below runs/at/ and run by its own command, so nothing is assumed of it but that.
"""

import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from curvecast.ground.errors import UserError
from reproduce._press import machine, store
from reproduce._press.answers import keys, sameness
from reproduce._press.answers.receipts import FILE, together
from reproduce._press.answers.sameness import Rows, Take
from reproduce._press.contract import ROOT, load, on_request

SCALES = ("laptop", "paper")


def take(question: str, root: Path = ROOT, figures: Path | None = None) -> Take:
    """What the code of today gave for a question at smoke scale, from its rows in runs/smoke."""
    folder = store.answer(figures or root / "runs" / "smoke" / "figures", question, "smoke")
    found = {keys.content_key(question, scale, root) for scale in SCALES}
    commit = next((r["commit"] for r in keys.receipts(folder)), None) or "none"
    return Take(
        found, cpu(), commit, stopwatches(question, root), rows(folder, load(question, root).parts("smoke"))
    )


def rows(folder: Path, parts: list[str]) -> Rows:
    """The rows of an answer, table by table, as words."""
    found, _ = store.read(folder, parts)
    tables = {} if found is None else found if isinstance(found, dict) else {"rows": found}
    return {
        name: {str(column): store.csv(table[[column]]).decode().splitlines()[1:] for column in table.columns}
        for name, table in tables.items()
    }  # fmt: skip


def cannot(question: str, root: Path = ROOT) -> str | None:
    """Why a question cannot run here at smoke scale: it measures the reference package, which is not installed."""
    needs = on_request(question, root) == "make bench"
    there = (root / ".bench" / "bin" / "python").exists()
    return "it needs the reference package: make bench" if needs and not there else None


def stopwatches(question: str, root: Path = ROOT) -> set[str]:
    """The columns that no two runs have in common, "table.column"; "table" alone stands for all of its columns."""
    return set(getattr(load(question, root).module, "STOPWATCHES", ()))


def cpu() -> str:
    """The kind of CPU: on another one sums come in another order."""
    import torch

    return f"{machine.hardware()['cpu']}, {torch.backends.cpu.get_cpu_capability()}, {platform.machine()}"


def committed(question: str, root: Path = ROOT) -> list[Take]:
    return sameness.read(root / "figures" / question / sameness.FILE)


def compare(question: str, today: Take, root: Path = ROOT) -> tuple[bool, str]:
    """Today's take against the committed one of the same key: do they agree, and in words."""
    kept = [one for one in committed(question, root) if one.keys & today.keys]
    if not kept:
        return False, "no smoke rows of today's code are committed: python -m reproduce smoke --keep"
    alike = [one for one in kept if one.cpu == today.cpu]
    if not alike:
        same = sameness.shape(kept[0]) == sameness.shape(today)
        return (
            same,
            f"{'as many rows and the same columns as' if same else 'other columns or rows than'} on {kept[0].cpu}",
        )
    far, words = sameness.differ(alike[0], today)
    return far == 0, words or "same numbers"


def keep(question: str, today: Take, root: Path = ROOT) -> None:
    """Put today's take among the committed ones; those that belong to no answer any more go."""
    wanted = published_keys(question, root)
    others = [
        one for one in committed(question, root)
        if one.keys & wanted and not (one.keys & today.keys and one.cpu == today.cpu)
    ]  # fmt: skip
    store.write_if_other(root / "figures" / question / sameness.FILE, sameness.write([*others, today]))


def published_keys(question: str, root: Path = ROOT) -> set[str]:
    return {r["content_key"] for scale in SCALES for r in keys.receipts(root / "figures" / question / scale)}


# ------------------------------------------------------------------------- the code of the commits of answers


def missing(question: str, root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """(content key, commit) of published answers whose smoke rows on this kind of CPU nobody has yet."""
    have = {key for one in committed(question, root) if one.cpu == cpu() for key in one.keys}
    wanted: dict[str, str] = {}
    for scale in SCALES:
        for receipt in keys.receipts(root / "figures" / question / scale):
            wanted.setdefault(receipt["content_key"], receipt["commit"])
    return ((key, commit) for key, commit in wanted.items() if key not in have)


def add_published(question: str, root: Path = ROOT) -> list[str]:
    """Run the code of the commits that published answers name; says which takes came."""
    came = []
    for key, commit in list(missing(question, root)):
        tree = laid_out(commit, root)
        figures = tree / "runs" / "smoke" / "figures"
        _run_there(question, tree, figures)
        parts = next(iter(keys.receipts(store.answer(figures, question, "smoke"))))["parts"]
        found = {keys.content_key(question, scale, tree) for scale in SCALES} | {key}
        made = rows(store.answer(figures, question, "smoke"), parts)
        one = Take(found, cpu(), commit, stopwatches(question, root), made)
        others = [o for o in committed(question, root) if not (key in o.keys and o.cpu == one.cpu)]
        store.write(root / "figures" / question / sameness.FILE, sameness.write([*others, one]))
        came.append(f"{question}: {key} by {commit[:8]}")
    return came


def laid_out(commit: str, root: Path = ROOT) -> Path:
    """The code of a commit in a folder of its own."""
    tree = root / "runs" / "at" / commit[:12]
    if not (tree / ".whole").is_file():
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        packed = subprocess.run(
            ["git", "archive", commit, "--", "curvecast", "reproduce"], cwd=root, capture_output=True
        )
        if packed.returncode:
            raise UserError(
                f"There is no commit {commit} here, which an answer names: git fetch --unshallow."
            )
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as tar:
            tar.extractall(tree, filter="data")
        (tree / ".bench").symlink_to(root / ".bench")  # the reference package, where it is installed
        (tree / ".whole").touch()
    return tree


def _run_there(question: str, tree: Path, figures: Path) -> None:
    command = [sys.executable, "-m", "reproduce", "run", question, "--scale", "smoke", "--out", str(figures)]
    done = subprocess.run(
        command, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True, text=True
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UserError(f"The code of {tree.name} could not run {question} at smoke scale: {last}")
    folder = store.answer(figures, question, "smoke")
    if not (folder / FILE).is_file():  # code from before 22 November 2026: a receipt a part
        old = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("receipt*.json"))]
        store.write_json(folder / FILE, together(old))
