"""The rows of an answer in the terminal, and how they differ from those at another commit."""

import difflib
import subprocess
from pathlib import Path

from curvecast.ground.errors import UserError
from reproduce._press import contract, store
from reproduce._press.answers.answer import SCALES, Answer, git
from reproduce._press.answers.receipts import FILE as RECEIPTS


def show(name: str, against: str | None, root: Path) -> str:
    """The table question[/scale[/table]] as CSV, or the lines in which it differs from what it is at a commit."""
    question, scale, table = [*name.strip("/").split("/", 2), "", ""][:3]
    answer = _answer(contract.known("question", question, contract.names(root)), scale, root)
    store.check(answer.folder)
    table = _table(answer, table)
    rows = answer.rows(table).decode()
    if against is None:
        return rows
    whole, old = f"{question}/{answer.scale}/{table}", _at(against, answer)
    if table not in old.measured():
        raise UserError(f"There is no table {table} in {question}/{answer.scale} at {against}.")
    before = old.rows(table).decode()
    sides = before.splitlines(keepends=True), rows.splitlines(keepends=True)
    changes = "".join(difflib.unified_diff(*sides, f"{whole} at {against}", f"{whole} here"))
    return changes or f"{whole} is the same at {against}.\n"


def _answer(question: str, scale: str, root: Path) -> Answer:
    """The answer at this scale, else at the best that there is."""
    wanted = [contract.known("scale", scale, contract.SCALES)] if scale else [*SCALES, "smoke"]
    for scale in wanted:
        for origin in ("smoke",) if scale == "smoke" else ("published", "here"):
            answer = Answer(question, scale, origin, root)
            if (answer.folder / RECEIPTS).is_file():
                return answer
    raise UserError(
        f"There is no answer of {question} at {' or '.join(wanted)} scale; make it: "
        f"python -m reproduce run {question} --scale {wanted[-1] if len(wanted) == 1 else 'laptop'}"
    )


def _table(answer: Answer, wanted: str) -> str:
    """The table that is meant: where there are several, one without a name is called rows."""
    tables = list(answer.measured())
    if wanted:
        return contract.known("table", wanted, tables)
    if len(tables) == 1 or "rows" in tables:
        return tables[0] if len(tables) == 1 else "rows"
    raise UserError(
        f"{answer.question}/{answer.scale} has several tables ({', '.join(tables)}); name one: "
        f"python -m reproduce show {answer.question}/{answer.scale}/{tables[0]}"
    )


def _at(commit: str, answer: Answer) -> Answer:
    """The same answer as it is in a commit."""
    folder = f"figures/{answer.question}/{answer.scale}/"
    try:
        known = git(
            answer.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"
        )
        listing = git(answer.root, "ls-tree", known.decode().strip(), folder).decode()
    except (OSError, subprocess.CalledProcessError):
        raise UserError(
            f"There is no commit {commit!r} here; `git log -- figures` lists those with answers."
        ) from None
    blobs = {Path(path).name: meta.split()[2] for meta, path in (x.split("\t") for x in listing.splitlines())}
    if not blobs:
        raise UserError(f"Commit {commit} has no {folder}; `git log -- {folder}` lists those that have.")
    return Answer(answer.question, answer.scale, "published", answer.root, blobs)
