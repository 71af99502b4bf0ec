"""What is missing at a scale, what it would cost, and as much of it as fits into some minutes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curvecast.config import digest
from reproduce import _run, _store
from reproduce._contract import Question, load
from reproduce._site import keys

GPU = 2e13  # multiplications per second that a data-centre GPU reaches on networks as small as ours


@dataclass(frozen=True)
class Work:
    """A model to train or a part to measure."""

    question: str
    name: str  # of the model, or of the part
    kind: str  # train | measure
    why: str
    minutes: float | None  # None where nothing is known to estimate from
    config: Any = None


def missing(scale: str, questions: list[str], root: Path) -> list[Work]:
    """In the order in which it can be done: a question's models, then its parts. Fresh answers stay."""
    works: list[Work] = []
    for name in questions:
        question = load(name, root)
        parts = [_part(question, part, scale, root) for part in question.parts(scale)]
        wanted = [work for work in parts if work]
        if wanted:
            trained = {work.name for work in works}
            works += [work for work in _models(question, scale) if work.name not in trained] + wanted
    return works


def _models(question: Question, scale: str) -> list[Work]:
    configs = question.models(scale)
    if not configs:
        return []
    from curvecast import train

    todo = {train.name(config): config for config in configs if not train.is_trained(config)}
    return [Work(question.name, n, "train", "not trained here", estimate(c), c) for n, c in todo.items()]


def _part(question: Question, part: str, scale: str, root: Path) -> Work | None:
    """The part as work to do, or None if its answer would come out the same today."""
    folder = _store.answer(_run.home(scale, root=root), question.name, scale)
    receipt = _store.whole(folder, part, question.parts(scale))
    if receipt is None:
        return Work(question.name, part, "measure", "missing", None)
    why = keys.outdated(receipt, root, digest(question.config(scale)))
    if why is None and scale != "paper" and receipt["content_key"] != keys.content_key(question.name, root):
        why = "the code changed since"  # cheap enough to be made again
    return Work(question.name, part, "measure", why, receipt["seconds"] / 60) if why else None


def estimate(config: Any) -> float | None:
    """Minutes on a GPU: six operations for each weight and each epoch of each curve."""
    try:
        weights = 12 * config.model.layers * config.model.width**2
        return float(config.curves * config.prior.length * weights * 6 / GPU / 60)
    except AttributeError:  # a config that says it in another way
        return None


def show(works: list[Work], scale: str, minutes: float | None) -> str:
    if not works:
        return f"Nothing is missing at {scale} scale."
    lines = []
    for work in works:
        cost = "unknown" if work.minutes is None else f"{work.minutes:.1f} min"
        fits = "" if work in fitting(works, minutes) else "  (does not fit)"
        lines.append(f"{cost:>12}  {work.kind:<8} {work.question} · {work.name}: {work.why}{fits}")
    known = sum(work.minutes or 0 for work in works)
    unknown = sum(work.minutes is None for work in works)
    lines.append(
        f"{len(works)} to do, about {known:.0f} GPU minutes"
        + (f" and {unknown} unknown" if unknown else "")
        + "."
    )
    return "\n".join(lines)


def fitting(works: list[Work], minutes: float | None) -> list[Work]:
    """The works, from the first on, that fit into the minutes; one of unknown cost is tried."""
    if minutes is None:
        return works
    kept, left = [], minutes
    for work in works:
        if (work.minutes or 0) <= left:
            kept.append(work)
            left -= work.minutes or 0
    return kept


def run(works: list[Work], scale: str, budget: _run.Budget, root: Path) -> int:
    """Do them one after another, each kept when it is done; says how many were."""
    figures = _run.home(scale, root=root)
    for number, work in enumerate(works):
        if budget.spent():
            return number
        question = load(work.question, root)
        if work.kind == "train":
            _run.train_one(work.name, work.config, budget, root)
        else:
            _run.run(question, scale, figures, work.name, budget, root)
            _run.draw(question, scale, figures)
    return len(works)
