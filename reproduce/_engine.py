"""The whole blog on Snakemake: which jobs there are, which are done, and one run at a time.

    train-<model> ─► measure-<question>-<part> ─► draw-<question> ─► site

Snakemake deletes the outputs of a job before it starts, and takes committed files for finished work. So
it is given markers instead, runs/<scale>/<job>.done, which git ignores: on a fresh clone nothing is done, and
an answer is replaced only by a whole new one. A marker holds the key of its job; `sweep` takes away those
that no longer tell the truth.
"""

import fcntl
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from curvecast.errors import UserError
from reproduce import _store
from reproduce._contract import ROOT, known, load, names, on_request
from reproduce._site import keys


@dataclass(frozen=True)
class Job:
    key: str
    needs: tuple[str, ...] = ()


def plan(scale: str, questions: list[str], root: Path = ROOT) -> dict[str, Job]:
    """All jobs by name, each with the key of what it depends on."""
    jobs: dict[str, Job] = {}
    for name in questions:
        question = load(name, root)
        trained = [f"train-{model}" for model in _models(question.models(scale))]
        jobs |= {
            job: Job(job.removeprefix("train-")) for job in trained
        }  # a name carries config and behaviour
        measured = [f"measure-{name}-{part}" for part in question.parts(scale)]
        key = _digest(_rows_key(question, scale, root), *trained)
        jobs |= {job: Job(key, tuple(trained)) for job in measured}
        jobs[f"draw-{name}"] = Job(_digest(key, keys.drawing_key(name, root)), tuple(measured))
    jobs["site"] = Job(_digest(*_site_files(root)), tuple(job for job in jobs if job.startswith("draw-")))
    return jobs


def _models(configs: list[Any]) -> list[str]:
    if not configs:
        return []
    from curvecast import train

    return [train.name(config) for config in configs]


def models(scale: str, wanted: list[str] | None = None, root: Path = ROOT) -> dict[str, Any]:
    """The models of a scale by their readable names, or the one whose name begins like that."""
    from curvecast import train

    questions = [load(name, root) for name in names(root)]
    found = {train.name(config): config for question in questions for config in question.models(scale)}
    if not wanted:
        return found
    some = [name for name in found for start in wanted if name.startswith(start)]
    return {
        name: found[name] for name in (some if len(some) == 1 else [known("model", w, found) for w in wanted])
    }


def blog_questions(listed: str = "", root: Path = ROOT) -> list[str]:
    """The questions of this comma-separated list; of an empty one, all that belong to a run of the blog."""
    if listed:
        return [known("question", name, names(root)) for name in listed.split(",")]
    return [name for name in names(root) if not on_request(name, root)]


def page_questions(slug: str, root: Path = ROOT) -> list[str]:
    """The questions whose answers a page names in its macros."""
    pages = {
        path.stem: path for path in (root / "docs").glob("*.*") if path.suffix in (".md", ".py", ".ipynb")
    }
    text = pages[known("page", slug, sorted(pages))].read_text(encoding="utf-8")
    found = re.findall(r"\b(?:fig|table|val|claim|claims)\(\s*[\"']([a-z0-9_]+)", text)
    there = [name for name in dict.fromkeys(found) if name in names(root) and not on_request(name, root)]
    if not there:
        raise UserError(
            f"The page {slug!r} shows no answer of a question, so there is nothing to reproduce for it."
        )
    return there


def _rows_key(question: Any, scale: str, root: Path) -> str:
    """Costly answers of paper scale survive a refactoring: config and behaviour count."""
    if scale != "paper":
        return keys.content_key(question.name, root)
    from curvecast.config import digest

    return _digest(digest(question.config(scale)), json.dumps(keys.behaviour(question.name, root)))


def marker(scale: str, job: str) -> str:
    return f"runs/{scale}/{job}.done"


def sweep(scale: str, jobs: dict[str, Job], root: Path = ROOT) -> None:
    """Take away the markers of jobs whose key has changed or whose result is gone."""
    for job, wanted in jobs.items():
        path = root / marker(scale, job)
        if path.is_file() and (path.read_text().strip() != wanted.key or not _stands(job, scale, root)):
            path.unlink()


def _stands(job: str, scale: str, root: Path) -> bool:
    """Is what this job made still there? (Weights may go once the answers that rest on them stand.)"""
    kind, _, rest = job.partition("-")
    if kind == "measure":
        question, _, part = rest.partition("-")
        return (
            _store.whole(
                _store.answer(root / "figures", question, scale), part, load(question, root).parts(scale)
            )
            is not None
        )
    if kind == "draw":
        return (_store.answer(root / "figures", rest, scale) / "claims.json").is_file()
    return kind == "train" or (root / "site" / "index.html").is_file()


# ----------------------------------------------------------------------------------- one run of the blog


def unchanged(scale: str, questions: list[str], root: Path = ROOT) -> bool:
    """Did the last whole run end in exactly this state? Answers within seconds: nothing heavy is imported."""
    stamp = _stamp(scale, questions, root)
    return stamp.is_file() and stamp.read_text() == _state(questions, root)


def run(scale: str, questions: list[str], profile: str = "local", root: Path = ROOT) -> int:
    """Make what is missing or outdated, under our own lock. The exit status is Snakemake's."""
    with _lock(root) as lock:
        for folder in (root / "figures").glob("*/*"):
            _store.settle(folder)
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--snakefile",
            str(root / "Snakefile"),
            "--directory",
            str(root),
        ]
        command += [
            "--profile",
            str(root / "profiles" / profile),
            "--config",
            f"scale={scale}",
            f"questions={','.join(questions)}",
        ]
        if profile == "local":
            command += ["--cores", str(_cores()), *_gpus()]
        environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
        process = subprocess.Popen(command, cwd=root, env=environment, pass_fds=[lock.fileno()])
        try:
            status = process.wait()
        except KeyboardInterrupt:
            process.send_signal(
                signal.SIGINT
            )  # the terminal told it too; this is for `kill -INT` of us alone
            process.wait()
            raise
        if status == 0:
            _store.write(_stamp(scale, questions, root), _state(questions, root).encode())
        return status


def _lock(root: Path) -> IO[str]:
    """One run at a time. The lock is handed down: it lasts until Snakemake ends, even if we are killed."""
    (root / "runs").mkdir(exist_ok=True)
    file = open(root / "runs" / "lock", "a+", encoding="utf-8")  # noqa: SIM115  # the caller's `with` closes it
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        raise UserError(
            f"Another run is at work here (process {file.read() or '?'}): wait for it, or stop it with kill."
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _stamp(scale: str, questions: list[str], root: Path) -> Path:
    return root / "runs" / scale / f"last-{_digest(*questions)}"


def _state(questions: list[str], root: Path) -> str:
    """Code, answers and site, as one hash."""
    code = [keys.content_key(name, root) + keys.drawing_key(name, root) for name in questions]
    answers = [
        f"{p.relative_to(root)} {_store.sha256(p.read_bytes())}"
        for p in sorted((root / "figures").rglob("*"))
        if p.is_file()
    ]
    return _digest(*code, *answers, *_site_files(root), str((root / "site" / "index.html").is_file()))


def _site_files(root: Path) -> list[str]:
    """What pages are built from, apart from the answers."""
    paths = [root / "mkdocs.yml", *(root / "docs").rglob("*"), *(root / "reproduce" / "_site").rglob("*.py")]
    return [f"{p.relative_to(root)} {_store.sha256(p.read_bytes())}" for p in sorted(paths) if p.is_file()]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _gpus() -> list[str]:
    """A training job asks for one GPU: where there are any, no more jobs than those at once."""
    count = len(list(Path("/dev").glob("nvidia[0-9]*")))
    return ["--resources", f"gpu={count}"] if count else []


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
