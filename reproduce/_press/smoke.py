"""Every question at smoke scale, by the code of today and by the code that made what is published: same numbers?

What a version of the code gave is a take; the takes that count lie in figures/<question>/smoke.csv.xz (see sameness.py).
The code of a commit is laid out below runs/at/ and run by its own command, so nothing is assumed of it but that.
"""

import csv
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from curvecast.ground.errors import UserError
from reproduce._press import machine, store
from reproduce._press import run as runner
from reproduce._press.answers import keys, sameness
from reproduce._press.answers.answer import HOMES, Answer
from reproduce._press.answers.receipts import Receipt
from reproduce._press.answers.sameness import Rows, Take
from reproduce._press.contract import ROOT, lacking, load, on_request
from reproduce._press.run import Budget

SCALES = ("laptop", "paper")


def take(question: str, root: Path = ROOT, made: Path | None = None) -> Take:
    """What the code of today gave for a question at smoke scale, from its rows in runs/smoke, here or of another folder."""
    answer = Answer(question, "smoke", "smoke", made or root)
    commit = next((r["commit"] for r in answer.receipts), None) or "none"
    watches = stopwatches(question, root)
    return Take(code_keys(question, root), cpu(), commit, watches, rows(answer, watches))


def code_keys(question: str, root: Path) -> set[str]:
    return {keys.content_key(question, scale, root) for scale in SCALES}


def rows(answer: Answer, watches: set[str]) -> Rows:
    """The rows of an answer without stopwatches, as words; the receipts of older code look otherwise and are not asked."""
    found: Rows = {}
    for table in answer.measured():
        if lines := list(csv.DictReader(io.StringIO(answer.rows(table).decode("utf-8")))):
            columns = [column for column in lines[0] if f"{table}.{column}" not in watches]
            found[table] = {column: [line[column] for line in lines] for column in columns}
    return found


def tell(question: str, keep_it: bool, with_published: bool, root: Path = ROOT) -> tuple[bool, str]:
    """Run it at smoke scale: are its numbers those of the committed code, and in words."""
    came = add_published(question, root) if with_published else []
    figures = runner.home("smoke", root=root)
    with TemporaryDirectory() as folder, chdir(folder):
        # weights lie below the working folder: none that was trained before is taken
        runner.run(load(question, root), "smoke", figures, Budget(None), root, quiet=True)
    today = take(question, root)
    same, words = compare(question, today, root)
    if keep_it:
        keep(question, today, root)
    return same or keep_it, "; ".join([*came, words, *(["kept"] if keep_it else [])])


def broken(question: str, error: Exception) -> str:
    """One sentence: of ours as it is, of any other what it is and how to see where it comes from."""
    if isinstance(error, UserError):
        return str(error)
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"broken: {said}; python -m reproduce run {question} --scale smoke shows where"


def cannot(question: str, root: Path = ROOT) -> str | None:
    """Why a question cannot run here at smoke scale: the reference package or a folder is not here."""
    needs = on_request(question, root) == "make bench"
    there = (root / ".bench" / "bin" / "python").exists()
    return "it needs the reference package: make bench" if needs and not there else lacking(question, root)


def stopwatches(question: str, root: Path = ROOT) -> set[str]:
    """The columns that no two runs have in common, "table.column"."""
    return set(getattr(load(question, root).module, "STOPWATCHES", ()))


def cpu() -> str:
    """The kind of CPU: on another one sums come in another order."""
    import torch

    return f"{machine.hardware()['cpu']}, {torch.backends.cpu.get_cpu_capability()}, {platform.machine()}"


def committed(question: str, root: Path = ROOT) -> list[Take]:
    path = root / "figures" / question / sameness.FILE
    try:
        return sameness.read(path)
    except ValueError as error:
        name = path.relative_to(root)
        raise UserError(
            f"{name} is cut off or changed ({error}): take it back with `git checkout -- {name}`."
        ) from None


def compare(question: str, today: Take, root: Path = ROOT) -> tuple[bool, str]:
    """Today's take against the committed one of the same key: do they agree, and in words."""
    kept = [one for one in committed(question, root) if one.keys & today.keys]
    if not kept:
        return False, f"this code has no smoke rows yet (--keep): {beside_published(question, today, root)}"
    amiss = sameness.other_machine(kept[0], today)
    if amiss or kept[0].cpu != today.cpu:
        return not amiss, f"{amiss or 'as many rows and the same columns'}, compared with {kept[0].cpu}"
    far, words = sameness.differ(kept[0], today)
    return True, f"not on this chip: {words}" if far else "same numbers"


def beside_published(question: str, today: Take, root: Path = ROOT) -> str:
    """What changed since the code that made what is published, in words."""
    wanted = {receipt["content_key"] for receipt in published(question, root)}
    pairs = [one for one in committed(question, root) if one.keys & wanted and one.cpu == today.cpu]
    if not pairs:
        return "nobody has run the code of what is published on such a CPU (--published)"
    far, words = max(sameness.differ(one, today) for one in pairs)
    return words if far else "same numbers as what is published"


def keep(question: str, today: Take, root: Path = ROOT) -> None:
    """Put today's take among the committed ones; those go that nothing needs any more, or that it replaces."""
    before = committed(question, root)
    answers = {receipt["content_key"] for receipt in published(question, root)}
    wanted = today.keys | answers | sameness.bridges([*before, today])
    left = [replace(o, keys=o.keys & wanted - (today.keys if replaced(o, today) else set())) for o in before]
    after = sameness.merged([*(one for one in left if one.keys), today])
    if after != before:  # how well a machine packs is no difference
        store.write(root / "figures" / question / sameness.FILE, sameness.write(after))


def replaced(old: Take, today: Take) -> bool:
    """The same code gives other shapes only where it read other rows: then what another CPU gave is no more to be had."""
    return old.cpu == today.cpu or bool(sameness.other_machine(old, today))


def published(question: str, root: Path = ROOT) -> list[Receipt]:
    return [receipt for scale in SCALES for receipt in keys.receipts(root / "figures" / question / scale)]


# ------------------------------------------------------------------------- the code of the commits of answers


def missing(question: str, root: Path = ROOT) -> list[Receipt]:
    """A receipt for each content key of published answers whose smoke rows on this kind of CPU nobody has yet."""
    have = {key for one in committed(question, root) if one.cpu == cpu() for key in one.keys}
    wanted = {receipt["content_key"]: receipt for receipt in published(question, root)}
    return [receipt for key, receipt in wanted.items() if key not in have]


def add_published(question: str, root: Path = ROOT) -> list[str]:
    """Run the code of the commits that published answers name; says which takes came."""
    came = []
    for receipt in missing(question, root):
        key, commit = receipt["content_key"], receipt["commit"]
        tree = laid_out(receipt, root)
        _run_there(question, tree)
        watches = stopwatches(question, root)
        made = rows(Answer(question, "smoke", "smoke", tree), watches)
        after = [*committed(question, root), Take({key}, cpu(), commit, watches, made)]
        store.write(root / "figures" / question / sameness.FILE, sameness.write(sameness.merged(after)))
        came.append(f"added {key} by the code of {commit[:8]}")
    return came


def laid_out(receipt: Receipt, root: Path = ROOT) -> Path:
    """The code of the commit that a receipt names, in a folder of its own."""
    commit = str(receipt["commit"])
    tree = root / "runs" / "at" / commit[:12]
    if not (tree / ".whole").is_file():
        code = _code_of(commit, root)
        if code is None:
            raise UserError(
                f"figures/{receipt['question']}/{receipt['scale']}/receipts.json names the commit {commit}, which is not "
                f"here: fetch it (git fetch --unshallow), or make the answer again: {receipt['command']}"
            )
        shutil.rmtree(tree, ignore_errors=True)
        with tarfile.open(fileobj=io.BytesIO(code)) as tar:
            tar.extractall(tree, filter="data")
        (tree / ".bench").symlink_to(root / ".bench")  # the reference package, where it is installed
        (tree / ".whole").touch()
    return tree


def _code_of(commit: str, root: Path) -> bytes | None:
    """The code of a commit as a tar; None where there is no such commit, or no git."""
    if not re.fullmatch("[0-9a-f]{7,40}", commit):
        return None
    try:
        done = subprocess.run(
            ["git", "archive", commit, "--", "curvecast", "reproduce"], cwd=root, capture_output=True
        )
    except OSError:
        return None
    return None if done.returncode else done.stdout


def _run_there(question: str, tree: Path) -> None:
    figures = str(tree / HOMES["smoke"])
    command = [sys.executable, "-m", "reproduce", "run", question, "--scale", "smoke", "--out", figures]
    done = subprocess.run(
        command, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True, text=True
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UserError(f"The code of {tree.name} could not run {question} at smoke scale: {last}")
