"""Compares questions at smoke scale with their golden numbers: did a change of the code move any? See answers/golden.py."""

import csv
import io
from contextlib import chdir, redirect_stdout
from functools import cache, partial
from itertools import product
from pathlib import Path

from presswork import contract, questions, store
from presswork import run as runner
from presswork.answers import freshness, golden
from presswork.answers.answer import Answer
from presswork.answers.golden import Columns, Golden
from presswork.answers.receipts import Receipt
from presswork.contract import Question
from presswork.ground import machine
from presswork.ground.blog import BLOG, HOMES, ROOT, SCALES
from presswork.ground.errors import UserError

KEEP = "check --write keeps them"


def compare(name: str, keep: bool, folder: Path, root: Path = ROOT) -> list[str]:
    """Measure a question at smoke scale and say what moved; with `keep` write the lines that did.

    `folder` is empty, or holds what this code has measured for other questions: no weights and no rows of other code.
    """
    figures = folder / HOMES["smoke"]
    for each in contract.in_order(BLOG.smoke, [name], root):
        with runner.exclusive(f"smoke-{each}", folder), chdir(folder):  # another process may ask meanwhile
            if not (figures / each / BLOG.smoke / "claims.json").is_file():  # which is written last
                with redirect_stdout(io.StringIO()):
                    runner.run(contract.load(each, root), BLOG.smoke, figures, runner.Budget(None), root)
    today = measured(contract.load(name, root), folder)
    before = freshness.of(name, root)
    if keep:
        path = root / HOMES["published"] / name / golden.FILE
        kept = golden.kept(before, today)
        store.write_if_other(path, golden.write(name, kept))
        _note(name, golden.texts(kept.lines), root)
    return moved(before, today)


def _note(name: str, lines: list[str], root: Path) -> None:
    """In answers that the same code made; where they have others, with the same libraries, too, which may move numbers."""
    made, now = cache(partial(runner.made_by_this_code, root)), runner.versions()

    def of_today(one: Receipt) -> bool:
        old, code = one.get("golden"), map(one.get, ("commit", "dirty", "code"))
        return old != lines and (not old or one.get("versions") == now) and made(*code)

    for home, scale in product(("published", "here"), SCALES[1:]):
        store.note_golden(root / HOMES[home] / name / scale, lines, of_today)


def measured(question: Question, made: Path) -> Golden:
    """The golden numbers of the rows in this folder."""
    answer = Answer(question.name, BLOG.smoke, "smoke", made)
    rows = rows_of(answer, set(getattr(question.module, "STOPWATCHES", ())))
    if not any(rows.values()):
        way_out = "give its smoke Config at least one of each thing that larger scales have"
        raise UserError(f"{question.path} measures no row at smoke scale, which guards nothing: {way_out}.")
    tolerances = question.tolerances()
    if unknown := sorted(tolerances.keys() - rows.keys()):
        raise UserError(f"{question.path}: TOLERANCES names {unknown[0]}, which is no column at smoke scale.")
    lines = {column: golden.line_of(column, rows[column], tolerances.get(column, "")) for column in rows}
    versions = ", ".join(f"{library} {version}" for library, version in machine.versions().items())
    unmeasured = ""
    if questions.outside_the_tests(question.name):
        commit = next(iter(answer.receipts), {}).get("commit")
        unmeasured = f"needs {questions.on_request(question.name)}; last measured at {commit[:10] if commit else 'no commit'}"
    settings = {scale: question.settings(scale) for scale in SCALES}
    return Golden(lines, settings, versions, unmeasured)


def rows_of(answer: Answer, stopwatches: set[str]) -> Columns:
    """The columns of all tables, without stopwatches, which differ between any two runs."""
    columns: Columns = {}
    for table in sorted(answer.measured()):
        header, *lines = csv.reader(io.StringIO(answer.rows(table).decode("utf-8")))
        columns |= {f"{table}.{name}": [line[i] for line in lines] for i, name in enumerate(header)}
    return {name: values for name, values in columns.items() if name not in stopwatches}


def moved(before: Golden, today: Golden) -> list[str]:
    """What differs from the committed golden numbers, in words."""
    if not before.lines:
        return [f"has no golden numbers yet ({KEEP})"]
    changed = golden.moved(before.lines, today.lines)
    other = [scale for scale in SCALES if before.settings.get(scale) != today.settings[scale]]
    return changed + ([f"other settings at {', '.join(other)} scale ({KEEP})"] if other else [])


def broken(question: str, error: Exception, scale: str = BLOG.smoke) -> str:
    """An error in one sentence; unless it is a complaint of ours, with the command that shows where it arises."""
    if isinstance(error, BLOG.errors):
        return str(error)
    message = f"{type(error).__name__}: {error}".splitlines()[0]
    return f"{question} is broken: {message}; {BLOG.command} run {question} --scale {scale} shows where"


def cannot(question: str, root: Path = ROOT) -> str | None:
    """Why a question cannot run here at the scale of tests: a file or a folder is not here."""
    file = questions.outside_the_tests(question, root)
    if file and not (root / file).exists():
        return f"it needs {file}: {questions.on_request(question, root)}"
    return None if questions.has_stand_in(question, root) else questions.lacking(question, root)
