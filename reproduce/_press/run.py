"""One question from its models to its claims: train, measure and store each part, read back, draw."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from curvecast.ground.config import digest
from curvecast.ground.errors import UserError
from reproduce._press import machine, store
from reproduce._press.answers import keys
from reproduce._press.answers.answer import HOMES
from reproduce._press.contract import ROOT, Claim, Question, in_order, known, load


class Budget:
    """The minutes that a run may take; None is for ever."""

    def __init__(self, minutes: float | None) -> None:
        self.end = None if minutes is None else time.monotonic() + 60 * minutes

    def left(self) -> float | None:
        return None if self.end is None else max(0.0, (self.end - time.monotonic()) / 60)

    def spent(self) -> bool:
        return self.left() == 0.0


def home(scale: str, out: Path | None = None, root: Path = ROOT) -> Path:
    """The folder of the answers that are made here; `publish` alone changes figures/."""
    return out or root / HOMES["smoke" if scale == "smoke" else "here"]


def train_models(question: Question, scale: str, budget: Budget, root: Path = ROOT) -> None:
    """Train what is not yet there."""
    models = question.models(scale)
    if models:
        from curvecast.training import train

        for model in models:
            train_one(train.name(model), model, budget, root)


def train_one(name: str, config: Any, budget: Budget, root: Path = ROOT) -> None:
    """Train one model unless it is. Raises curvecast's Paused when the minutes are over."""
    from curvecast.training import train

    with alone(name, root):  # an orphan of a killed run may still be at it: wait, then find it done
        if not train.is_trained(config):
            train.trained(config, minutes=budget.left(), progress=True)


def measure_part(question: Question, part: str, scale: str, figures: Path, root: Path = ROOT) -> None:
    """Measure one part and store it with its receipt."""
    from reproduce._press.receipt import receipt

    start = time.monotonic()
    asked = [question.config(scale), part]
    if named := question.reads(scale):
        asked.append({name: rows_of(name, question, scale, figures, root) for name in named})
    tables = question.module.measure(*asked)
    tables = tables if isinstance(tables, dict) else {"rows": tables}
    for name in tables:
        if not name.isidentifier():
            raise UserError(f"{question.path}: table {name!r} cannot be the name of a file")
    question.check(tables)
    read = {f"rows of {name}": keys.rows_hash(store.answer(figures, name, scale)) for name in named}
    note = receipt(question, part, scale, time.monotonic() - start, root)
    note["inputs"] |= read
    store.write_rows(store.answer(figures, question.name, scale), tables, note)


def rows_of(name: str, reader: Question, scale: str, figures: Path, root: Path) -> Any:
    """The rows of a question that another one reads: all of them, or a complaint."""
    folder, parts = store.answer(figures, name, scale), load(name, root).parts(scale)
    rows, count = store.read(folder, parts)
    if count < len(parts):
        raise UserError(
            f"{reader.name} reads the rows of {name}, of which {count} of {len(parts)} parts are there; make them: "
            f"python -m reproduce run {name} --scale {scale}"
        )
    return rows


def draw(question: Question, scale: str, figures: Path) -> tuple[int, int] | None:
    """Make figures, tables and claims from the rows on disk. Says how many parts of how many there were."""
    folder = store.answer(figures, question.name, scale)
    parts = question.parts(scale)
    rows, count = rows_on_disk(question, scale, figures)
    if rows is None:
        return None
    tables, claims = stated(question, rows, scale)
    made = drawings(question, rows, scale) | tables
    for name, data in made.items():
        if len(data) > 1_000_000:
            size = f"{len(data) / 1e6:.1f} MB"
            raise UserError(f"{question.name}/{name} would be {size}; draw fewer points, 1 MB is the limit.")
        store.write_if_other(folder / name, data)
    store.write_json(folder / "claims.json", claims)
    store.remove_others(folder, made)
    if count == len(parts):  # until then the old ones are better than none
        store.retire(folder, parts)
    return count, len(parts)


def rows_on_disk(question: Question, scale: str, figures: Path) -> tuple[Any, int]:
    """The rows of all parts that are there, with the columns that the question declares, and the number of parts."""
    rows, count = store.read(store.answer(figures, question.name, scale), question.parts(scale))
    if rows is not None:
        question.check(rows if isinstance(rows, dict) else {"rows": rows})
    return rows, count


def drawings(question: Question, rows: Any, scale: str) -> dict[str, bytes]:
    """What an answer shows: its figures as SVG, by the names of their files."""
    from reproduce._press import style

    with style.scheme("light"):
        figures = question.show("draw", rows, scale)
        return {f"{name}.light.svg": _drawing(f"{question.name}/{name}", figures[name]) for name in figures}


def stated(question: Question, rows: Any, scale: str) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    """What an answer says: its tables as CSV, by the names of their files, and its claims."""
    tables = question.show("tabulate", rows, scale)
    files = {f"{name}.table.csv": store.csv(table) for name, table in tables.items()}
    return files, [plain(claim) for claim in question.show("claims", rows, scale)]


def _drawing(name: str, figure: Any) -> bytes:
    """The figure as SVG, which the site must be able to make dark."""
    from reproduce._press import palette, style

    light = style.svg(figure)
    if unknown := palette.strangers(light):
        raise UserError(
            f"{name} is drawn in {', '.join(unknown)}, which has no dark form: take colour(), ink() or faint() of "
            "reproduce/_press/style.py, or add the colour to reproduce/_press/palette.py."
        )
    return light


def plain(claim: Claim) -> dict[str, Any]:
    """A claim as JSON. What was not measured is null."""
    tested = claim.tested()
    numbers = {
        key: float(f"{getattr(claim, key):.6g}") if tested else None for key in ("value", "low", "high")
    }
    fixed = {
        "name": claim.name,
        "sentence": claim.sentence,
        "condition": claim.condition,
        "printed": claim.printed,
    }
    return fixed | numbers | {"holds": claim.holds()}


def run(
    question: Question, scale: str, figures: Path, budget: Budget, root: Path = ROOT, quiet: bool = False
) -> None:  # fmt: skip
    """All of one question, after those that it reads: models, parts, figures, tables and claims."""
    *read, _ = in_order(scale, [question.name], root)
    for other in (load(name, root) for name in read):
        there = all(stands(other, part, scale, figures, root) for part in other.parts(scale))
        if not budget.spent() and not there:
            _whole(other, scale, figures, budget, root, quiet)
    if not budget.spent() or not read:
        _whole(question, scale, figures, budget, root, quiet)


def _whole(question: Question, scale: str, figures: Path, budget: Budget, root: Path, quiet: bool) -> None:
    train_models(question, scale, budget, root)
    measure(question, question.parts(scale), scale, figures, budget, root, quiet)
    draw(question, scale, figures)


def measure(
    question: Question, parts: list[str], scale: str, figures: Path, budget: Budget, root: Path = ROOT, quiet: bool = False
) -> None:  # fmt: skip
    """These parts of a question, each kept when done."""
    for number, name in enumerate(parts, 1):
        if budget.spent():
            print(f"{question.name}: the minutes are over after {number - 1} of {len(parts)} parts.")
            break
        start = time.monotonic()
        with alone(f"measure-{question.name}-{name}-{scale}", root):
            measure_part(question, name, scale, figures, root)
        label = question.name if name == "all" else f"{question.name} · {name}"
        count = f" ({number} of {len(parts)})" if len(parts) > 1 else ""
        if not quiet:
            print(f"measured {label}{count} in {time.monotonic() - start:.1f} s", flush=True)


def known_parts(question: Question, wanted: list[str], scale: str) -> list[str]:
    return [known(f"part of {question.name}", part, question.parts(scale)) for part in wanted]


def stands(question: Question, part: str, scale: str, figures: Path, root: Path = ROOT) -> bool:
    """Is a part there, and would the code, the inputs and the libraries of today give the same?"""
    receipt = store.whole(store.answer(figures, question.name, scale), part, question.parts(scale))
    if receipt is None or receipt["content_key"] != keys.content_key(question.name, scale, root):
        return False
    same = {name: receipt["versions"].get(name) for name in machine.versions()} == machine.versions()
    return same and keys.outdated([receipt], root, digest(question.config(scale)), str(figures)) is None


def adopt(question: str, scale: str, figures: Path, root: Path) -> None:
    """A part of a long answer joins those that are published: what is not here is copied to where it will lie."""
    here, published = (store.answer(place, question, scale) for place in (figures, root / HOMES["published"]))
    if scale == "paper" and figures == home(scale, root=root):
        store.copy(published, here, but=store.receipts(here))


@contextmanager
def alone(job: str, root: Path = ROOT) -> Iterator[None]:
    """Wait until no other process works on this job: one that outlived a killed run may."""
    path = root / "runs" / "locks" / job
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
