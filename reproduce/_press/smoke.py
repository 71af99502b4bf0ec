"""Questions at smoke scale, held to their golden numbers: did a change of the code move any? See answers/golden.py."""

import csv
import io
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from curvecast.ground.errors import UserError
from reproduce._press import machine, store
from reproduce._press import run as runner
from reproduce._press.answers import freshness, golden
from reproduce._press.answers.answer import HOMES, Answer
from reproduce._press.answers.golden import Columns, Golden
from reproduce._press.contract import (
    ROOT,
    SCALES,
    Question,
    lacking,
    load,
    names,
    on_request,
    reads_real_curves,
)


def tell(name: str, keep: bool, root: Path = ROOT) -> tuple[bool, list[str]]:
    """Measure a question at smoke scale and say what moved; with `keep` write the lines that did."""
    question = load(name, root)
    with TemporaryDirectory() as folder, chdir(folder):
        # weights lie below the working folder: none that was trained before is taken
        # and no rows of a question that it reads, which other code may have left
        runner.run(question, "smoke", Path(folder) / HOMES["smoke"], runner.Budget(None), root, quiet=True)
        today = measured(question, Path(folder))
    before = committed(name, root)
    changed = moved(before, today)
    if keep:
        store.write_if_other(_path(name, root), golden.write(name, golden.kept(before, today)))
    return keep or not changed, changed


def measured(question: Question, made: Path) -> Golden:
    """The golden numbers of the rows that lie in this folder."""
    answer = Answer(question.name, "smoke", "smoke", made)
    rows = rows_of(answer, set(getattr(question.module, "STOPWATCHES", ())))
    if not any(rows.values()):
        raise UserError(
            f"{question.path} measures no row at smoke scale, so that no golden number guards it: give its smoke Config "
            "at least one of each thing that larger scales have."
        )
    tolerances = question.tolerances()
    if unknown := sorted(tolerances.keys() - rows.keys()):
        raise UserError(f"{question.path}: TOLERANCES names {unknown[0]}, which is no column at smoke scale.")
    lines = {column: golden.line_of(column, rows[column], tolerances.get(column, "")) for column in rows}
    unmeasured = outside_the_tests(question.name)
    commit = next(iter(answer.receipts), {}).get("commit")
    where = commit[:10] if commit else "no commit"
    return Golden(
        lines, settings(question), versions(), unmeasured and f"{unmeasured}; last measured at {where}"
    )


def rows_of(answer: Answer, stopwatches: set[str]) -> Columns:
    """The columns of all tables, but for those that no two runs share."""
    found: Columns = {}
    for table in sorted(answer.measured()):
        header, *lines = csv.reader(io.StringIO(answer.rows(table).decode("utf-8")))
        found |= {f"{table}.{name}": [line[i] for line in lines] for i, name in enumerate(header)}
    return {column: values for column, values in found.items() if column not in stopwatches}


def settings(question: Question) -> dict[str, str]:
    return {scale: question.settings(scale) for scale in SCALES}


def versions() -> str:
    return ", ".join(f"{name} {version}" for name, version in machine.versions().items())


def committed(name: str, root: Path = ROOT) -> Golden:
    return freshness.of(name, root)


def moved(before: Golden, today: Golden) -> list[str]:
    """What differs from the committed golden numbers, in words."""
    if not before.lines:
        return ["has no golden numbers yet (--keep)"]
    changed = golden.moved(before.lines, today.lines)
    other = [scale for scale in SCALES if before.settings.get(scale) != today.settings[scale]]
    return changed + ([f"other settings at {', '.join(other)} scale (--keep)"] if other else [])


def orphans(root: Path = ROOT) -> list[str]:
    """Golden numbers of questions that are gone, and what to do."""
    files = sorted((root / HOMES["published"]).glob(f"*/{golden.FILE}"))
    return [
        f"{path.relative_to(root)} is of no question: git rm -r {path.parent.relative_to(root)}, or give the question "
        "its name back"
        for path in files
        if path.parent.name not in names(root)
    ]


def broken(question: str, error: Exception) -> str:
    """One sentence: of ours as it is, of any other what it is and how to see where it comes from."""
    if isinstance(error, UserError):
        return str(error)
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"broken: {said}; python -m reproduce run {question} --scale smoke shows where"


def cannot(question: str, root: Path = ROOT) -> str | None:
    """Why a question cannot run here at smoke scale: the reference package or a folder is not here."""
    needs = bool(outside_the_tests(question, root))
    there = (root / ".bench" / "bin" / "python").exists()
    if needs and not there:
        return "it needs the reference package: make bench"
    return None if reads_real_curves(question, root) else lacking(question, root)


def outside_the_tests(question: str, root: Path = ROOT) -> str:
    """Why no run of the tests measures a question; nothing where they do."""
    return "needs make bench" if on_request(question, root) == "make bench" else ""


def _path(name: str, root: Path) -> Path:
    return root / HOMES["published"] / name / golden.FILE
