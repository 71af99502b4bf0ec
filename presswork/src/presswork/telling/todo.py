"""What is missing at a scale, what it would cost, and as much of it as fits into some minutes."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from presswork import drawing, store
from presswork import run as runner
from presswork.answers.answer import HOMES
from presswork.contract import Question, in_order, load
from presswork.ground.blog import BLOG


@dataclass(frozen=True)
class Work:
    """A model to train or a part to measure."""

    question: str
    name: str  # of the model, or of the part
    kind: str  # train | measure
    why: str
    minutes: float | None  # None where nothing is known to estimate from
    config: Any = None
    needs: tuple[str, ...] = ()  # of a part: the models that are trained before it
    hours: float | None = None  # of a training on two cores, where there is no GPU


def missing(scale: str, questions: list[str], root: Path) -> list[Work]:
    """In the order in which it can be done: before each part the models that it needs. Current answers stay."""
    works: dict[tuple[str, ...], Work] = {}
    for name in in_order(scale, questions, root):
        question = load(name, root)
        for part in question.parts(scale):
            if work := _part(question, part, scale, root):
                models = _models(question, scale, part)
                works |= {("train", n): model for n, model in models.items() if ("train", n) not in works}
                works["measure", name, part] = replace(work, needs=tuple(models))
    return list(works.values())


def _models(question: Question, scale: str, part: str) -> dict[str, Work]:
    """The trainings that a part still waits for."""
    works = {}
    for value in (one for one in question.needed(scale, part) if not BLOG.plugin.made(one)):
        name, (minutes, hours) = BLOG.plugin.name(value), BLOG.plugin.estimate(value)
        works[name] = Work(question.name, name, "train", "not trained here", minutes, value, hours=hours)
    return works


def _part(question: Question, part: str, scale: str, root: Path) -> Work | None:
    """The part as work to do, or None if its answer, here or else published, is current."""
    for figures in (root / HOMES["here"], root / HOMES["published"]):
        why = runner.why_again(question, part, scale, figures, root)
        if why != "missing":
            receipt = store.receipts(store.answer(figures, question.name, scale))[part]
            return Work(question.name, part, "measure", why, receipt["seconds"] / 60) if why else None
    return Work(question.name, part, "measure", "missing", None)


def show(works: list[Work], scale: str, minutes: float | None) -> str:
    if not works:
        return f"Nothing is missing at {scale} scale."
    lines = [f"{'on a GPU':>12} {'two cores':>9}"]
    for work in works:
        cost = "unknown" if work.minutes is None else f"{work.minutes:.1f} min"
        fits = "" if work in fitting(works, minutes) else "  (does not fit)"
        slow = f"{work.hours:,.1f} h" if work.hours else ""
        lines.append(f"{cost:>12} {slow:>9}  {work.kind:<8} {work.question} · {work.name}: {work.why}{fits}")
    known, unknown = sum(work.minutes or 0 for work in works), sum(work.minutes is None for work in works)
    more = f" and {unknown} unknown" if unknown else ""
    return "\n".join([*lines, f"{len(works)} to do, about {known:.0f} GPU minutes{more}."])


def fitting(works: list[Work], minutes: float | None) -> list[Work]:
    """The first works that fit into the minutes; one of unknown cost is tried if its models fit."""
    fit: list[Work] = []
    left, out = math.inf if minutes is None else minutes, set[str]()
    for work in works:
        if (work.minutes or 0) <= left and out.isdisjoint(work.needs):
            fit.append(work)
            left -= work.minutes or 0
        else:
            out.add(work.name)
    return fit


def run(works: list[Work], scale: str, budget: runner.Budget, root: Path) -> int:
    """Do them one after another, each kept when it is done; says how many were."""
    figures = runner.home(scale, root=root)
    for number, work in enumerate(works):
        if budget.spent():
            return number
        question = load(work.question, root)
        if work.kind == "train":
            runner.train_one(work.name, work.config, budget, root)
        else:
            for name in in_order(scale, [work.question], root):
                runner.copy_published(load(name, root), scale, figures, root)
            runner.measure(question, [work.name], scale, figures, budget, root)
            drawing.draw(question, scale, figures)
    return len(works)
