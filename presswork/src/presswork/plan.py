"""Which jobs the blog has, and which of them are done.

    train-<model> ─► measure-<question>-<part> ─► draw-<page> ─► site

`workers` runs them on one machine, Snakemake on a cluster, which deletes the outputs of a job before it starts. So outputs
are markers, runs/<scale>/<job>.done, which git ignores: on a fresh clone nothing is done, and an answer is replaced only by a
complete new one. A marker holds the key of its job; `drop_stale_markers` removes markers that are no longer true.

Parts of a short question are one job, since they read the same files, and so are all answers of a page that are drawn.
Pages come in the order of the site: what an early page waits for begins first.
"""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from presswork import contract, questions, run, store
from presswork.answers import freshness, golden, receipts
from presswork.answers.ledger_file import FOLDER
from presswork.answers.receipts import digest, hashes, hashes_below
from presswork.contract import Question
from presswork.ground.blog import BLOG, HOMES, ROOT
from presswork.ground.errors import UserError, demand, known
from presswork.questions import file_of, named_on, pages_of

SHORT = 40.0  # seconds of parts that one process measures
UNKNOWN = 20.0  # seconds of a part of which nothing is known


@dataclass(frozen=True)
class Job:
    key: str
    needs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # of a question, measured one after another in one process
    questions: tuple[str, ...] = ()  # of a page, drawn in one process
    threads: int = 1
    timed: bool = False  # it measures times, and would wait for another one that does
    priority: int = 0  # the higher, the sooner

    def command(self, name: str, scale: str) -> str:
        """What is called after `python -m`."""
        kind, _, rest = name.partition("-")
        return {
            "train": f"presswork train {rest} --scale {scale}",
            "measure": f"presswork run {rest.partition('-')[0]} --part {','.join(self.parts)} --go-on --scale {scale}",
            "draw": f"presswork draw {' '.join(self.questions)} --scale {scale}",
            "site": "presswork build",
        }[kind]


def plan(scale: str, questions: list[str], root: Path = ROOT) -> dict[str, Job]:
    """All jobs by name, each with the key of what it depends on."""
    jobs: dict[str, Job] = {}
    drawn: dict[str, str] = {}
    for name in contract.in_order(scale, questions, root):
        question = contract.load(name, root)
        trained = [f"train-{model}" for model in contract.model_names(question.models(scale))]
        timed = trained if question.times_trainings() else []
        jobs |= {job: Job(job) for job in trained if job not in jobs}  # its name carries config and behaviour
        jobs |= {job: Job(job, threads=2) for job in timed}
        begins = tuple(f"measure-{other}-" for other in question.waits_for(scale))
        read = [job for job in jobs if job.startswith(begins)]
        published = [root / "figures" / other for other in question.reads(scale) if "/" in other]
        hashes = [jobs[job].key for job in read]
        hashes += [str(receipts.hash_of_rows(folder)) for folder in published]
        rows = digest(_rows_key(question, scale, root), *hashes)
        for models, parts in batches(question, scale, root):
            needs = [f"train-{model}" for model in models]
            key = digest(rows, *needs, *parts)
            jobs[f"measure-{name}-{parts[0]}"] = Job(key, (*needs, *read), parts, timed=question.times())
        drawn[name] = digest(rows, *trained, drawing_key(name, root))
    for slug, names in pages_of([*drawn], root).items():
        needs = [job for name in names for job in jobs if job.startswith(f"measure-{name}-")]
        key = digest(*(drawn[name] for name in names))
        jobs[f"draw-{slug}"] = Job(key, tuple(needs), questions=tuple(names))
    jobs["site"] = Job(digest(*site_files(root)), tuple(job for job in jobs if job.startswith("draw-")))
    return in_order_of_pages(jobs, lambda job: sum(usual_seconds(job, jobs[job], scale, root)))


def in_order_of_pages(jobs: dict[str, Job], cost: Callable[[str], float]) -> dict[str, Job]:
    """The same jobs with their priority: what the first page waits for goes first, and of a page its trainings.

    Before them come what takes two cores, since while others take one at a time it would never find both free, and before
    all the page that costs the least without a training: a minute after the start it says that all works.
    """
    pages = [job for job in jobs if job.startswith("draw-")]
    waits = {page: _all_needs(page, jobs) for page in pages}
    untrained = [page for page in pages if not any(map(is_training, waits[page]))]
    soonest = min(untrained, key=lambda page: sum(map(cost, waits[page])), default="")
    priority, step = dict.fromkeys(jobs, 0), 4 * (len(pages) + 1)
    for number, page in enumerate(reversed(pages), 1):
        for job in waits[page]:
            priority[job] = 2 * number + is_training(job) + step * (jobs[job].threads > 1)
    priority |= {job: priority[job] + 2 * step for job in waits.get(soonest, ())}
    return {name: replace(job, priority=priority[name]) for name, job in jobs.items()}


def _all_needs(job: str, jobs: dict[str, Job]) -> set[str]:
    """A job and all that it waits for."""
    return {job}.union(*(_all_needs(other, jobs) for other in jobs[job].needs))


def is_training(job: str) -> bool:
    return job.startswith("train-")


def file_of_plan(scale: str) -> str:
    return f"runs/{scale}/plan.json"


def write(jobs: dict[str, Job], path: Path) -> None:
    store.write_json(path, {name: asdict(job) for name, job in jobs.items()})


def read(path: Path) -> dict[str, Job]:
    jobs: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    lists = ("needs", "parts", "questions")
    return {name: Job(**(job | {key: tuple(job[key]) for key in lists})) for name, job in jobs.items()}


def resources(job: str) -> dict[str, int]:
    """A training asks for a GPU, where there are any; minutes and processors beside the GPU are for a cluster."""
    return {"gpu": 1, "runtime": 720, "cpus_per_task": 4} if is_training(job) else {}


def batches(question: Question, scale: str, root: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """[(models, parts that wait for these)]: few processes; at the costly scale one for each part."""
    waiting: dict[tuple[str, ...], list[str]] = {}
    for part in question.parts(scale):
        waiting.setdefault(tuple(contract.model_names(question.needed(scale, part))), []).append(part)
    took = seconds(question.name, scale, root)
    cost = {models: sum(took.get(part, UNKNOWN) for part in parts) for models, parts in waiting.items()}
    if scale != BLOG.costly and sum(cost.values()) < SHORT:
        every = dict.fromkeys(model for models in waiting for model in models)
        return [(tuple(every), tuple(question.parts(scale)))]
    jobs = []
    for models, parts in waiting.items():
        count = len(parts) if scale == BLOG.costly else min(len(parts), math.ceil(cost[models] / SHORT))
        jobs += [(models, tuple(parts[i::count])) for i in range(count)]
    return jobs


def seconds(
    question: str, scale: str, root: Path, pace: Callable[[receipts.Receipt], float] = lambda receipt: 1.0
) -> dict[str, float]:
    """What each part took when its answer was published, times the `pace` of another machine than that of its receipt."""
    published = receipts.of(root / HOMES["published"] / question / scale)
    return {receipt["part"]: float(receipt["seconds"]) * pace(receipt) for receipt in published}


def usual_seconds(name: str, job: Job, scale: str, root: Path) -> list[float]:
    """Of each part that a job measures, when its answer was published."""
    took = seconds(name.split("-")[1], scale, root) if job.parts else {}
    return [took.get(part, UNKNOWN) for part in job.parts]


def models(scale: str, wanted: str | None = None) -> dict[str, Any]:
    """The models of a scale by their readable names, or one of them."""
    every = [config for name in contract.names() for config in contract.load(name).models(scale)]
    configs = {BLOG.plugin.name(config): config for config in every}
    return {wanted: configs[known(f"model of {scale} scale", wanted, configs)]} if wanted else configs


def questions_of(page: str = "", root: Path = ROOT) -> list[str]:
    """The questions whose answers a page (without a slug: the blog) shows and that can be measured here."""
    return [name for name, reason in why_not(page, root).items() if not reason]


def why_not(slug: str, root: Path = ROOT) -> dict[str, str | None]:
    """The questions of a page or of the blog, each with what to fetch if it cannot be measured here."""
    pages = {path.stem: path for path in (root / "docs").glob("*.md")}
    names = contract.names(root)
    if slug:
        names = named_on(pages[known("page", slug, sorted(pages))], names)
        demand(names, f"The page {slug!r} shows no answer of a question: there is nothing to reproduce.")
    alone = {name: command for name in names if (command := _told(questions.on_request, name, root))}
    if slug and len(alone) == len(names):
        commands = " and ".join(dict.fromkeys(alone.values()))
        raise UserError(f"The page {slug!r} shows answers that {commands} alone makes: {', '.join(alone)}.")
    return {name: _told(questions.lacking, name, root) for name in names if name not in alone}


def _told(ask: Callable[[str, Path], str | None], name: str, root: Path) -> str | None:
    """What a question says of itself; nothing where it is no Python, which is told when it is run."""
    with suppress(UserError):
        return ask(name, root)
    return None


def _rows_key(question: Question, scale: str, root: Path) -> str:
    """Settings and golden numbers; costly answers outlive the latter."""
    lines = [] if scale == BLOG.costly else golden.texts(freshness.of(question.name, root).lines)
    files = hashes([root / file for file in questions.inputs(question.name, root)], root)
    return digest(question.settings(scale), *lines, *files)


def drawing_key(question: str, root: Path) -> str:
    """Drawing takes seconds: it is done again whenever a file of its chapter, or of what chapters share, changes.

    That includes libraries of the blog: claims are computed with their scores from rows that stay.
    """
    chapter, top = file_of(question, root).parent, root / BLOG.questions
    own = [chapter.parent if chapter.parent not in (top, root) else chapter, Path(__file__).parent]
    rooms = [*own, *(root / room for room in BLOG.drawn_with)]
    inside = [path for room in rooms for form in ("*.py", "*.csv") for path in room.rglob(form)]
    return digest(*hashes([*rooms, *inside], root))  # a room may be a file, too


def marker(scale: str, job: str) -> str:
    return f"runs/{scale}/{job}.done"


def log(scale: str, job: str) -> str:
    return f"runs/{scale}/logs/{job}.log"


def drop_stale_markers(scale: str, jobs: dict[str, Job], root: Path = ROOT) -> None:
    """Remove the markers of jobs that are not done.

    Snakemake would not make a lost marker in the middle again while the markers after it are there.
    """
    for name in undone(scale, jobs, root):
        (root / marker(scale, name)).unlink(missing_ok=True)


def undone(scale: str, jobs: dict[str, Job], root: Path = ROOT) -> list[str]:
    """Jobs without a marker, or whose key has changed or whose result is gone, and all jobs that need them."""
    found: list[str] = []
    for name, job in jobs.items():  # in the order of the graph
        path = root / marker(scale, name)
        done = path.is_file() and path.read_text().strip() == job.key and _stands(name, job, scale, root)
        if not done or not set(found).isdisjoint(job.needs):
            found.append(name)
    return found


def _stands(name: str, job: Job, scale: str, root: Path) -> bool:
    """Is the result of this job still there? (Weights may go once the answers that rest on them stand.)"""
    kind, _, rest = name.partition("-")
    question, figures = rest.partition("-")[0], run.home(scale, root=root)
    if kind == "measure":
        loaded = contract.load(question, root)
        return all(run.is_current(loaded, part, scale, figures, root) for part in job.parts)
    if kind == "draw":
        return all((figures / name / scale / "claims.json").is_file() for name in job.questions)
    return kind == "train" or (root / "site" / "index.html").is_file()


def site_files(root: Path) -> list[str]:
    """What pages are built from, apart from answers made here, each file with its hash: they print code, too."""
    named = {"docs", HOMES["published"], FOLDER, BLOG.questions, *BLOG.code, *BLOG.pages_read}
    return hashes_below([*(root / name for name in named), *root.glob("*.yml"), *root.glob("*.cff")], root)
