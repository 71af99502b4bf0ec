"""Which jobs the blog has, and which of them are done.

    train-<model> ─► measure-<question>-<part> ─► draw-<question> ─► site

Snakemake deletes the outputs of a job before it starts, and takes committed files for finished work. So it
is given markers instead, runs/<scale>/<job>.done, which git ignores: on a fresh clone nothing is done, and
an answer is replaced only by a whole new one. A marker holds the key of its job; `drop_stale_markers` takes away those
that no longer tell the truth.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from reproduce._press import run, store, table_files
from reproduce._press.answers import freshness, golden, inputs, receipts
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.inputs import digest
from reproduce._press.contract import (
    ROOT,
    Question,
    in_order,
    known,
    lacking,
    load,
    model_names,
    names,
    on_request,
)
from reproduce._press.questions import file_of
from reproduce._press.receipt import code_changed_since

BATCHES = 4  # of the parts of a question that wait for the same models


@dataclass(frozen=True)
class Job:
    key: str
    needs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # of a question, measured one after another in one process


def plan(scale: str, questions: list[str], root: Path = ROOT) -> dict[str, Job]:
    """All jobs by name, each with the key of what it depends on."""
    jobs: dict[str, Job] = {}
    for name in in_order(scale, questions, root):
        question = load(name, root)
        trained = [f"train-{model}" for model in model_names(question.models(scale))]
        jobs |= {job: Job(job) for job in trained}  # the name of a model carries config and behaviour
        rows, measured = _rows_key(question, scale, root), []
        read = [
            job for other in question.waits_for(scale) for job in jobs if job.startswith(f"measure-{other}-")
        ]
        published = [
            str(inputs.published_rows(other, root)) for other in question.reads(scale) if "/" in other
        ]
        rows = digest(rows, *(jobs[job].key for job in read), *published) if read or published else rows
        for models, parts in batches(question, scale):
            needs = [f"train-{model}" for model in models]
            measured.append(f"measure-{name}-{parts[0]}")
            jobs[measured[-1]] = Job(digest(rows, *needs, *parts), (*needs, *read), parts)
        key = digest(rows, *trained)
        jobs[f"draw-{name}"] = Job(digest(key, drawing_key(name, root)), tuple(measured))
    jobs["site"] = Job(digest(*site_files(root)), tuple(job for job in jobs if job.startswith("draw-")))
    return jobs


def file_of_plan(scale: str) -> str:
    return f"runs/{scale}/plan.json"


def write(jobs: dict[str, Job], path: Path) -> None:
    store.write_json(path, {name: asdict(job) for name, job in jobs.items()})


def read(path: Path) -> dict[str, Job]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return {name: Job(job["key"], tuple(job["needs"]), tuple(job["parts"])) for name, job in content.items()}


def batches(question: Question, scale: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """[(models, parts that wait for these)]: few processes at laptop scale, a process a part where parts are long.

    A process spends four seconds before it measures anything, and most parts of laptop scale take ten.
    """
    waiting: dict[tuple[str, ...], list[str]] = {}
    for part in question.parts(scale):
        waiting.setdefault(tuple(model_names(needed(question, scale, part))), []).append(part)
    found = []
    for models, parts in waiting.items():
        count = len(parts) if scale == "paper" else min(len(parts), BATCHES)
        found += [(models, tuple(parts[i::count])) for i in range(count)]
    return found


def needed(question: Question, scale: str, part: str) -> list[Any]:
    """The models that a part waits for: those that the question's `needs` tells, else all of its models."""
    if hasattr(question.module, "needs"):
        return list(question.module.needs(question.config(scale), part))
    return question.models(scale)


def models(scale: str, wanted: str | None = None, root: Path = ROOT) -> dict[str, Any]:
    """The models of a scale by their readable names, or the one whose name begins like that."""
    from curvecast.training import train

    questions = [load(name, root) for name in names(root)]
    found = {train.name(config): config for question in questions for config in question.models(scale)}
    if not wanted:
        return found
    name = one_model(wanted, list(found), scale)
    return {name: found[name]}


def one_model(wanted: str, found: list[str], scale: str) -> str:
    """The one of this name, or whose name begins like that."""
    begin = [name for name in found if name.startswith(wanted)]
    if len(begin) > 1 and wanted not in begin:
        raise UserError(
            f"{wanted!r} fits {len(begin)} models of {scale} scale: take one of {', '.join(begin)}."
        )
    return begin[0] if len(begin) == 1 else known("model", wanted, found)


def blog_questions(listed: str = "", root: Path = ROOT) -> list[str]:
    """The questions of this comma-separated list; of an empty one, all of the blog that can be measured here."""
    if listed:
        return [known("question", name, names(root)) for name in listed.split(",")]
    return [name for name in names(root) if not on_request(name, root) and not lacking(name, root)]


def left_out(root: Path = ROOT, slug: str = "") -> dict[str, str]:
    """Questions of the blog, or of one page, that cannot be measured here, and what to fetch for each."""
    wanted = _shown_on(slug, root) if slug else [name for name in names(root) if not on_request(name, root)]
    why = {name: lacking(name, root) for name in wanted}
    return {name: reason for name, reason in why.items() if reason}


def page_questions(slug: str, root: Path = ROOT) -> list[str]:
    """The questions whose answers a page names in its macros, those that can be measured here."""
    return [name for name in _shown_on(slug, root) if not lacking(name, root)]


def _shown_on(slug: str, root: Path) -> list[str]:
    pages = {path.stem: path for path in (root / "docs").glob("*.md")}
    there = named_on(pages[known("page", slug, sorted(pages))], root)
    if not there:
        raise UserError(f"The page {slug!r} shows no answer of a question: there is nothing to reproduce.")
    return there


def pages_of(questions: list[str], root: Path = ROOT) -> dict[str, list[str]]:
    """{title of a page: those of these questions that it shows}, in the order of the site; a question counts once."""
    order = re.findall(r"([\w-]+)\.md", (root / "mkdocs.yml").read_text(encoding="utf-8"))
    paths = [path for slug in order if (path := root / "docs" / f"{slug}.md").is_file()]
    left, found = list(questions), dict[str, list[str]]()
    repeating = ("index", "reproduction", "conclusion")  # what others show
    for path in sorted(paths, key=lambda path: path.stem in repeating):
        mine = [name for name in named_on(path, root) if name in left]
        left = [name for name in left if name not in mine]
        if mine:
            found[re.findall(r"^# (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[0]] = mine
    return found | ({"on no page": left} if left else {})


def named_on(page: Path, root: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"\b(?:fig|table|val|claim|claims|live)\(\s*[\"']([a-z0-9_]+)", text)
    found += re.findall(r"\bexamples=[\"']([a-z0-9_]+)", text)
    return [name for name in dict.fromkeys(found) if name in names(root) and not on_request(name, root)]


def _rows_key(question: Question, scale: str, root: Path) -> str:
    """Settings and golden numbers; costly answers of paper scale outlive the latter."""
    lines = [] if scale == "paper" else golden.texts(freshness.of(question.name, root).lines)
    return digest(question.settings(scale), *lines)


def drawing_key(question: str, root: Path) -> str:
    """Drawing takes seconds: again whenever a file of its chapter, of the press or of the shared pictures is another."""
    chapter = file_of(question, root).relative_to(root).parts[1]
    rooms = (root / "reproduce" / room for room in (chapter, "_press", "pictures"))
    return digest(*hashes((path for room in rooms for path in room.rglob("*.py")), root))


def marker(scale: str, job: str) -> str:
    return f"runs/{scale}/{job}.done"


def drop_stale_markers(scale: str, jobs: dict[str, Job], root: Path = ROOT) -> None:
    """Take away the markers of jobs whose key has changed or whose result is gone, and of all that need them.

    Snakemake would not make a lost marker in the middle again as long as those that follow from it are there.
    """
    undone: set[str] = set()
    for job, wanted in jobs.items():  # in the order of the graph
        path = root / marker(scale, job)
        done = path.is_file() and path.read_text().strip() == wanted.key and _stands(job, wanted, scale, root)
        if not done or undone.intersection(wanted.needs):
            undone.add(job)
            path.unlink(missing_ok=True)


def _stands(job: str, what: Job, scale: str, root: Path) -> bool:
    """Is what this job made still there? (Weights may go once the answers that rest on them stand.)"""
    kind, _, rest = job.partition("-")
    question = rest.partition("-")[0]
    folder = store.answer(run.home(scale, root=root), question, scale)
    if kind == "measure":
        asked, figures = load(question, root), run.home(scale, root=root)
        return all(run.is_current(asked, part, scale, figures, root) for part in what.parts)
    if kind == "draw":
        return (folder / "claims.json").is_file()
    return kind == "train" or (root / "site" / "index.html").is_file()


def forget(scale: str, questions: list[str], root: Path = ROOT) -> None:
    """Take away what was measured here for these questions; trained networks and what is published stay."""
    for name in questions:
        if (folder := store.answer(run.home(scale, root=root), name, scale)).is_dir():
            store.drop_old_parts(folder, [])


def made_by_other_code(scale: str, questions: list[str], root: Path = ROOT) -> int:
    """How many of the answers here are up to date although the code has changed since."""
    home = HOMES["here"]
    stand = [
        name
        for name in questions
        if freshness.freshness(name, scale, root, home).state == freshness.UP_TO_DATE
    ]
    return sum(
        any(code_changed_since(one, root) for one in receipts.of(root / home / name / scale))
        for name in stand
    )


def site_files(root: Path) -> list[str]:
    """What pages are built from, apart from what is made here: each file with its hash."""
    rooms = ("docs", HOMES["published"], *(f"reproduce/{room}" for room in ("_site", "_press", "printed")))
    found = [
        path for room in rooms for path in (root / room).rglob("[!.]*") if "__pycache__" not in path.parts
    ]
    return hashes([root / "mkdocs.yml", root / "constraints.txt", *found], root)


def hashes(paths: Iterable[Path], root: Path) -> list[str]:
    return [
        f"{p.relative_to(root)} {table_files.sha256(p.read_bytes())}" for p in sorted(paths) if p.is_file()
    ]
