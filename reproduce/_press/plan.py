"""Which jobs the blog has, and which of them are done.

    train-<model> ─► measure-<question>-<part> ─► draw-<question> ─► site

Snakemake deletes the outputs of a job before it starts, and takes committed files for finished work. So its outputs
are markers, runs/<scale>/<job>.done, which git ignores: on a fresh clone nothing is done, and an answer is replaced only
by a complete new one. A marker holds the key of its job; `drop_stale_markers` removes markers that are no longer true.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from reproduce._press import contract, run, store
from reproduce._press.answers import freshness, golden, inputs, receipts
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.inputs import digest
from reproduce._press.contract import ROOT, Question
from reproduce._press.questions import file_of
from reproduce._press.receipt import code_changed_since

TITLE = re.compile(r"^# (.*?)(?: \{:.*\})?$", re.MULTILINE)  # without its address
SHOWN = re.compile(r"(?:\b(?:fig|table|val|found|shows|claims|live)\(\s*|\bexamples=)[\"']([a-z0-9_]+)")
BATCHES = 4  # of the parts of a question that wait for the same models


@dataclass(frozen=True)
class Job:
    key: str
    needs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # of a question, measured one after another in one process


def plan(scale: str, questions: list[str], root: Path = ROOT) -> dict[str, Job]:
    """All jobs by name, each with the key of what it depends on."""
    jobs: dict[str, Job] = {}
    for name in contract.in_order(scale, questions, root):
        question = contract.load(name, root)
        trained = [f"train-{model}" for model in contract.model_names(question.models(scale))]
        jobs |= {job: Job(job) for job in trained}  # the name of a model carries config and behaviour
        begins = tuple(f"measure-{other}-" for other in question.waits_for(scale))
        read = [job for job in jobs if job.startswith(begins)]
        published = [root / "figures" / other for other in question.reads(scale) if "/" in other]
        hashes = [*(jobs[job].key for job in read), *(str(inputs.rows(folder)) for folder in published)]
        rows = digest(_rows_key(question, scale, root), *hashes)
        measured = []
        for models, parts in batches(question, scale):
            needs = [f"train-{model}" for model in models]
            measured.append(f"measure-{name}-{parts[0]}")
            jobs[measured[-1]] = Job(digest(rows, *needs, *parts), (*needs, *read), parts)
        jobs[f"draw-{name}"] = Job(digest(rows, *trained, drawing_key(name, root)), tuple(measured))
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
    """[(models, parts that wait for these)]: few processes at laptop scale, one for each part at paper scale.

    A process needs four seconds to start, and most parts of laptop scale take ten.
    """
    waiting: dict[tuple[str, ...], list[str]] = {}
    for part in question.parts(scale):
        waiting.setdefault(tuple(contract.model_names(needed(question, scale, part))), []).append(part)
    jobs = []
    for models, parts in waiting.items():
        count = len(parts) if scale == "paper" else min(len(parts), BATCHES)
        jobs += [(models, tuple(parts[i::count])) for i in range(count)]
    return jobs


def needed(question: Question, scale: str, part: str) -> list[Any]:
    """The models that a part waits for: as the question's `needs` says, else all of its models."""
    if hasattr(question.module, "needs"):
        return list(question.module.needs(question.config(scale), part))
    return question.models(scale)


def models(scale: str, wanted: str | None = None, root: Path = ROOT) -> dict[str, Any]:
    """The models of a scale by their readable names, or the one whose name begins like that."""
    from curvecast.training import train

    questions = [contract.load(name, root) for name in contract.names(root)]
    configs = {train.name(config): config for question in questions for config in question.models(scale)}
    return {name: configs[name] for name in ([one_model(wanted, [*configs], scale)] if wanted else configs)}


def one_model(wanted: str, models: list[str], scale: str) -> str:
    """The model of this name, or the only one whose name begins like that."""
    fits = [name for name in models if name.startswith(wanted)]
    if len(fits) > 1 and wanted not in fits:
        count, choices = len(fits), ", ".join(fits)
        raise UserError(f"{wanted!r} fits {count} models of {scale} scale: take one of {choices}.")
    return fits[0] if len(fits) == 1 else contract.known("model", wanted, models)


def blog_questions(listed: str = "", root: Path = ROOT) -> list[str]:
    """The questions of this comma-separated list; of an empty one, all of the blog that can be measured here."""
    if listed:
        return [contract.known("question", name, contract.names(root)) for name in listed.split(",")]
    return page_questions("", root)


def page_questions(slug: str, root: Path = ROOT) -> list[str]:
    """The questions whose answers a page (without a slug: the blog) shows and that can be measured here."""
    return [name for name, reason in _reasons(slug, root).items() if not reason]


def left_out(root: Path = ROOT, slug: str = "") -> dict[str, str]:
    """Questions of the blog, or of one page, that cannot be measured here, and what to fetch for each."""
    return {name: reason for name, reason in _reasons(slug, root).items() if reason}


def _reasons(slug: str, root: Path) -> dict[str, str | None]:
    """The questions of a page or of the blog, each with the reason why it cannot be measured here, if there is one."""
    pages = {path.stem: path for path in (root / "docs").glob("*.md")}
    names = named_on(pages[contract.known("page", slug, sorted(pages))], root) if slug else _of_blog(root)
    if slug and not names:
        raise UserError(f"The page {slug!r} shows no answer of a question: there is nothing to reproduce.")
    return {name: contract.lacking(name, root) for name in names}


def _of_blog(root: Path) -> list[str]:
    return [name for name in contract.names(root) if not contract.on_request(name, root)]


def pages_of(questions: list[str], root: Path = ROOT) -> dict[str, list[str]]:
    """{title of a page: those of these questions that it shows}, in the order of the site; a question counts once."""
    order = re.findall(r"([\w-]+)\.md", (root / "mkdocs.yml").read_text(encoding="utf-8"))
    paths = [path for slug in order if (path := root / "docs" / f"{slug}.md").is_file()]
    left, by_title = list(questions), dict[str, list[str]]()
    repeating = (
        "index",
        "reproduction",
        "architectures",
        "conclusion",
    )  # show answers that other pages show too
    for path in sorted(paths, key=lambda path: path.stem in repeating):
        if shown := [name for name in named_on(path, root) if name in left]:
            by_title[TITLE.findall(path.read_text(encoding="utf-8"))[0]] = shown
            left = [name for name in left if name not in shown]
    return by_title | ({"on no page": left} if left else {})


def named_on(page: Path, root: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    there = set(contract.names(root))
    named = [name for name in dict.fromkeys(SHOWN.findall(text)) if name in there]
    return [name for name in named if not contract.on_request(name, root)]


def _rows_key(question: Question, scale: str, root: Path) -> str:
    """Settings and golden numbers; costly answers of paper scale outlive the latter."""
    lines = [] if scale == "paper" else golden.texts(freshness.of(question.name, root).lines)
    return digest(question.settings(scale), *lines)


def drawing_key(question: str, root: Path) -> str:
    """Drawing takes seconds: it is done again whenever a file of its chapter, or of what chapters share, changes."""
    chapter = file_of(question, root).relative_to(root).parts[1]
    rooms = [root / "reproduce" / room for room in (chapter, "_press", "pictures", "protocols", "printed")]
    read = [path for room in rooms for form in ("*.py", "*.csv") for path in room.rglob(form)]
    return digest(*hashes([root / "reproduce" / "trainings.py", *read], root))


def marker(scale: str, job: str) -> str:
    return f"runs/{scale}/{job}.done"


def log(scale: str, job: str) -> str:
    return f"runs/{scale}/logs/{job}.log"


def drop_stale_markers(scale: str, jobs: dict[str, Job], root: Path = ROOT) -> None:
    """Remove the markers of jobs whose key has changed or whose result is gone, and of all jobs that need them.

    Snakemake would not make a lost marker in the middle again while the markers after it are there.
    """
    undone: set[str] = set()
    for name, job in jobs.items():  # in the order of the graph
        path = root / marker(scale, name)
        done = path.is_file() and path.read_text().strip() == job.key and _stands(name, job, scale, root)
        if not done or undone.intersection(job.needs):
            undone.add(name)
            path.unlink(missing_ok=True)


def _stands(name: str, job: Job, scale: str, root: Path) -> bool:
    """Is the result of this job still there? (Weights may go once the answers that rest on them stand.)"""
    kind, _, rest = name.partition("-")
    question, figures = rest.partition("-")[0], run.home(scale, root=root)
    if kind == "measure":
        loaded = contract.load(question, root)
        return all(run.is_current(loaded, part, scale, figures, root) for part in job.parts)
    if kind == "draw":
        return (store.answer(figures, question, scale) / "claims.json").is_file()
    return kind == "train" or (root / "site" / "index.html").is_file()


def forget(scale: str, questions: list[str], root: Path = ROOT) -> None:
    """Remove what was measured here for these questions; trained networks and published answers stay."""
    for name in questions:
        if (folder := store.answer(run.home(scale, root=root), name, scale)).is_dir():
            store.drop_old_parts(folder, [])


def made_by_other_code(scale: str, questions: list[str], root: Path = ROOT) -> int:
    """How many of the answers here are up to date although the code has changed since."""
    home = HOMES["here"]
    states = {name: freshness.freshness(name, scale, root, home).state for name in questions}
    current = [root / home / name / scale for name in questions if states[name] == freshness.UP_TO_DATE]
    return sum(any(code_changed_since(r, root) for r in receipts.of(folder)) for folder in current)


def site_files(root: Path) -> list[str]:
    """What pages are built from, apart from answers made here, each file with its hash: they print code, too."""
    rooms = ("docs", HOMES["published"], "reproduce", "curvecast")
    paths = [path for room in rooms for path in (root / room).rglob("[!.]*") if path.suffix != ".pyc"]
    return hashes([root / "mkdocs.yml", root / "constraints.txt", *paths], root)


def hashes(paths: Iterable[Path], root: Path) -> list[str]:
    return [f"{path.relative_to(root)} {inputs.sha256(path)}" for path in sorted(paths) if path.is_file()]
