"""One question from its models to its claims: train, measure and store each part, then draw."""

import functools
import platform
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from presswork import contract, drawing, questions, store
from presswork.answers import freshness, golden, receipts
from presswork.contract import Question
from presswork.ground import config as configs
from presswork.ground import machine
from presswork.ground.blog import BLOG, HOMES, ROOT, SCALES
from presswork.ground.errors import UserError, demand, known
from presswork.ground.files import held

# what an answer was made by, with the settings and what lies beside the folder of the questions
TOP = ":(glob)*.py"
CODE = (BLOG.questions, *(name for name in BLOG.code if name != BLOG.questions), "pyproject.toml", TOP)
NOT_COMPILED = ":(exclude,glob)**/__pycache__/**"


class Budget:
    """The minutes that a run may take; None is no limit."""

    def __init__(self, minutes: float | None) -> None:
        self.end = None if minutes is None else time.monotonic() + 60 * minutes

    def left(self) -> float | None:
        return None if self.end is None else max(0.0, (self.end - time.monotonic()) / 60)

    def spent(self) -> bool:
        return self.left() == 0.0


def home(scale: str, root: Path = ROOT) -> Path:
    """The folder of answers made here; only `publish` changes figures/."""
    return root / HOMES["smoke" if scale == BLOG.smoke else "here"]


def train_needed(question: Question, parts: list[str], scale: str, budget: Budget, root: Path = ROOT) -> None:
    """What these parts wait for, within the minutes: `measure` would train it to the end."""
    with _data(question, scale, root), quiet(question, root):
        for part in parts:
            for model in question.needed(scale, part):
                train_one(BLOG.plugin.name(model), model, budget, root)


def train_one(name: str, config: Any, budget: Budget, root: Path = ROOT) -> None:
    """Make what is made before, unless it is there. Raises Paused when the minutes are over."""
    with exclusive(name, root):  # a process that outlived a killed run may still work at it: wait for it
        if not BLOG.plugin.made(config):
            BLOG.plugin.make(config, budget.left())


def measure_part(question: Question, part: str, scale: str, figures: Path, root: Path = ROOT) -> None:
    """Measure one part and store it with its receipt, which notes code, golden numbers and inputs at the start."""
    start = machine.core_seconds()
    note = receipt(question, part, scale, root)
    names = question.reads(scale)
    rows = {name: rows_of(name, question, scale, figures, root) for name in names}
    kinds = {"rows of": names, "file": questions.inputs(question.name, root)}
    inputs = [f"{kind} {name}" for kind, some in kinds.items() for name in some]
    read = {name: receipts.hash_here(name, scale, root, str(figures)) for name in inputs}
    with _data(question, scale, root):
        tables = question.measure(scale, part, rows)
    for name in tables:
        demand(name.isidentifier(), f"{question.path}: table {name!r} cannot be the name of a file")
    question.check(tables)
    note["inputs"] = weights_used(question, scale) | note["inputs"] | read  # trained meanwhile, or before
    note |= {"seconds": round(machine.core_seconds() - start, 1), "hardware": machine.hardware()}
    note["memory_mb"] = machine.peak_mb()
    store.write_rows(figures / question.name / scale, tables, note)


def rows_of(name: str, reader: Question, scale: str, figures: Path, root: Path) -> Any:
    """The rows of a question that another one reads: all parts, or for "question/scale" what is published of it."""
    other, _, published = name.partition("/")
    if published:
        figures, scale = root / HOMES["published"], known("scale", published, SCALES)
    asked = contract.load(other, root)
    parts, folder = asked.parts(scale), figures / other / scale
    rows, count = _read(folder, tuple(parts), receipts.hash_of_rows(folder))
    there = f"{reader.name} reads the rows of {name}, of which {count} of {len(parts)} parts are there"
    make = f"make {'and publish ' * bool(published)}them: {BLOG.command} run {other} --scale {scale}"
    demand(count >= (1 if published else len(parts)), f"{there}; {make}")
    own = {name: table.copy() for name, table in rows.items()} if isinstance(rows, dict) else rows.copy()
    return asked.whole(own, scale)


@functools.lru_cache(maxsize=4)  # every part of a question reads the same
def _read(folder: Path, parts: tuple[str, ...], digest: str | None) -> Any:
    """`digest`: of the rows that lie there now, so that those of a later measurement are read anew."""
    return store.read(folder, list(parts))


def run(
    question: Question, scale: str, figures: Path, budget: Budget, root: Path = ROOT, go_on: bool = False
) -> None:
    """All of one question, after those that it reads: models, parts, figures, tables and claims.

    `go_on`: only the parts that are not up to date; of a costly scale those that are published count, too."""
    *read, _ = contract.in_order(scale, [question.name], root)
    refuse([*read, question.name], scale, root)
    for other in (contract.load(name, root) for name in read):
        complete = all(is_current(other, part, scale, figures, root) for part in other.parts(scale))
        if not budget.spent() and not complete:
            _run_one(other, scale, figures, budget, root, go_on)
    if not budget.spent() or not read:
        _run_one(question, scale, figures, budget, root, go_on)


def _run_one(question: Question, scale: str, figures: Path, budget: Budget, root: Path, go_on: bool) -> None:
    """All networks and then all parts; who goes on trains and measures one part after another of those that are left."""
    parts = question.parts(scale)
    if go_on:
        copy_published(question, scale, figures, root)
        parts = [part for part in parts if not is_current(question, part, scale, figures, root)]
    for number, some in enumerate([[part] for part in parts] if go_on else [parts]):
        if number and _over(budget, question, some[0]):
            break
        train_needed(question, some, scale, budget, root)
        if not measure(question, some, scale, figures, budget, root):
            break
    drawing.draw(question, scale, figures)


def measure(
    question: Question, parts: list[str], scale: str, figures: Path, budget: Budget, root: Path = ROOT
) -> bool:
    """These parts of a question, each kept when done.  -> are all of them?"""
    refuse([question.name], scale, root)
    for number, name in enumerate(parts, 1):
        if _over(budget, question, name):
            return False
        start = time.monotonic()
        with quiet(question, root), exclusive(f"measure-{question.name}-{name}-{scale}", root):
            measure_part(question, name, scale, figures, root)
        label = question.name if name == "all" else f"{question.name} · {name}"
        count = f" ({number} of {len(parts)})" if len(parts) > 1 else ""
        print(f"measured {label}{count} in {time.monotonic() - start:.1f} s", flush=True)
    return True


def _over(budget: Budget, question: Question, part: str) -> bool:
    """Are the minutes spent before this part? Then it is told."""
    if budget.spent():
        print(f"{question.name}: the minutes are over before part {part}; the same command continues there.")
    return budget.spent()


def refuse(wanted: list[str], scale: str, root: Path) -> None:
    """Complain of what cannot be measured here, before anything is trained for it."""
    for name in wanted:
        made_up = scale == BLOG.smoke and questions.has_stand_in(name, root)
        if (why := questions.lacking(name, root)) and not made_up:
            raise UserError(f"{name} cannot be measured here: {why}.")


def _data(question: Question, scale: str, root: Path) -> AbstractContextManager[object]:
    """At the scale of tests made-up data: the same on every machine, and nobody sees real ones by accident."""
    made_up = scale == BLOG.smoke and questions.has_stand_in(question.name, root)
    return BLOG.plugin.stand_in() if made_up else nullcontext()


def is_current(question: Question, part: str, scale: str, figures: Path, root: Path = ROOT) -> bool:
    """Else a part must be measured again: missing, other settings or inputs, or (unless costly) other golden numbers."""
    receipt = store.whole(figures / question.name / scale, part, question.parts(scale))
    if receipt is None:
        return False
    state, _ = freshness.compare([receipt], question.name, root, str(figures), question)
    return state == freshness.UP_TO_DATE or (state == freshness.EARLIER and scale == BLOG.costly)


def copy_published(question: Question, scale: str, figures: Path, root: Path) -> None:
    """Copy published parts of a long answer that are missing here, so that a new part joins them. Parts that were measured
    here with earlier settings give way to published ones with those of today."""
    homes = (figures, root / HOMES["published"])
    here, published = (folder / question.name / scale for folder in homes)
    if scale == BLOG.costly and figures == home(scale, root=root):
        today = question.settings(scale)
        mine, theirs = store.receipts(here), store.receipts(published)
        newer = [part for part, one in theirs.items() if one.get("settings") == today]
        stay = [part for part, one in mine.items() if one.get("settings") == today or part not in newer]
        store.merge_parts(published, here, but=stay)


def exclusive(job: str, root: Path = ROOT) -> AbstractContextManager[bool]:
    """Wait until no other process works on this job, such as one that outlived a killed run."""
    return held(lock(root, job))


@contextmanager
def quiet(question: Question, root: Path = ROOT) -> Iterator[None]:
    """Where a question measures times: trainings in the background have ended their step, and make no other one."""
    if not question.times():
        yield
        return
    with exclusive("quiet-please", root), exclusive("quiet", root):
        yield


def lock(root: Path, name: str) -> Path:
    path = root / "runs" / "locks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def receipt(question: Question, part: str, scale: str, root: Path) -> dict[str, Any]:
    """What is noted beside an answer: enough to tell whether it is up to date and how to make it again."""
    parts = question.parts(scale)
    at, dirty = commit(root)
    only = "" if parts == ["all"] else f" --part {part}"
    return {
        "question": question.name, "part": part, "parts": parts, "scale": scale,
        "script": question.path.as_posix(),
        "config": configs.plain(question.config(scale)),
        "settings": question.settings(scale),
        "golden": golden.texts(freshness.of(question.name, root).lines),
        "inputs": weights_used(question, scale),
        "commit": at, "dirty": dirty, **({} if at else {"code": hash_of_code(root)}),
        "versions": versions(),
        "made": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": f"{BLOG.command} run {question.name} --scale {scale}{only}",
    }  # fmt: skip


def versions() -> dict[str, str]:
    return {"python": platform.python_version()} | machine.versions()


def weights_used(question: Question, scale: str) -> dict[str, str]:
    """What was made before, by its sha256."""
    paths = {BLOG.plugin.name(model): BLOG.plugin.path(model) for model in question.models(scale)}
    return {name: receipts.hash_of_file(path) for name, path in paths.items() if path.is_file()}


def made_by_this_code(root: Path, commit: str | None, dirty: bool | None, code: str | None) -> bool:
    """Does all code that lies here stand as in the commit that a receipt names, or without one as in its hash?"""
    if not commit:
        return code == hash_of_code(root)
    command = ["git", "diff", "--quiet", commit, "--", *CODE]
    with suppress(OSError):
        return not dirty and subprocess.run(command, cwd=root, capture_output=True).returncode == 0
    return False


def hash_of_code(root: Path) -> str:
    rooms = [root / name for name in CODE if name != TOP]
    return receipts.digest(*receipts.hashes_below([*rooms, *root.glob("*.py")], root))


def commit(root: Path) -> tuple[str | None, bool | None]:
    """The commit, and whether code or settings differ from it (answers themselves do not count)."""
    settings: dict[str, Any] = {"cwd": root, "capture_output": True, "text": True, "timeout": 10}
    try:
        asked = ["git", "status", "--porcelain=2", "--branch", "--", *CODE, NOT_COMPILED]
        lines = subprocess.run(asked, check=True, **settings).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None, None
    at = next(line.split()[-1] for line in lines if line.startswith("# branch.oid "))
    return (None, None) if at == "(initial)" else (at, any(line[0] != "#" for line in lines))


def forget(scale: str, questions: list[str], root: Path = ROOT) -> None:
    """Remove what was measured here for these questions; trained networks and published answers stay."""
    for name in questions:
        if (folder := home(scale, root=root) / name / scale).is_dir():
            store.drop_old_parts(folder, [])
