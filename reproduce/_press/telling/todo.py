"""What is missing at a scale, what it would cost, and as much of it as fits into some minutes."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reproduce._press import drawing, store
from reproduce._press import run as runner
from reproduce._press.answers.answer import HOMES
from reproduce._press.contract import Question, in_order, load

# What a data-centre GPU of today reaches on networks as small as ours: rough, and a factor of two either way is no surprise
SPEED = {"fp32": 4e13, "bf16": 2e14}  # operations a second
CPU = 5e10  # the same on two cores of a common processor: between 4e10 for the authors' recipe and 13e10 for ours
COMPILING = 60  # seconds, where autocast goes with compilation
START = 0.4e-3  # seconds to start the kernels of a layer, forward and backward, for one group of a batch


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

    @property
    def hours(self) -> float | None:
        """Of a training on two cores, where there is no GPU."""
        operations = arithmetic(self.config) if self.kind == "train" else None
        return operations and operations / CPU / 3600


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
    configs = question.needed(scale, part)
    if not configs:
        return {}
    from curvecast.training import train

    todo = {train.name(config): config for config in configs if not train.is_trained(config)}
    return {n: Work(question.name, n, "train", "not trained here", estimate(c), c) for n, c in todo.items()}


def _part(question: Question, part: str, scale: str, root: Path) -> Work | None:
    """The part as work to do, or None if its answer, here or else published, is current."""
    for figures in (root / HOMES["here"], root / HOMES["published"]):
        why = runner.why_again(question, part, scale, figures, root)
        if why != "missing":
            receipt = store.receipts(store.answer(figures, question.name, scale))[part]
            return Work(question.name, part, "measure", why, receipt["seconds"] / 60) if why else None
    return Work(question.name, part, "measure", "missing", None)


def arithmetic(config: Any) -> float | None:
    """Six operations for each multiplication of the forward pass: two there, four on the way back."""
    try:
        m, d, T = config.model, config.model.width, config.prior.length
        # on average; padded to the longest where each curve has a cutoff of its own
        context = T if _own_cutoffs(config) else T / 2
        queries = config.queries or T / 2
        # for a token: its matrices, and attention to the context; and for a query
        layer = (4 + 2 * m.expand) * d**2 + 2 * d * context
        head = 2 * d**2 + 2 * d * (config.bars.buckets if m.head == "bars" else 3 * m.components)
        return float(6 * config.curves * (m.layers * (context + queries) * layer + queries * head))
    except AttributeError:  # a config of another kind
        return None


def _own_cutoffs(config: Any) -> bool:
    """A cutoff for each curve of a batch."""
    return bool(config.cutoffs == config.batch)


def estimate(config: Any) -> float | None:
    """Minutes on a GPU: what the arithmetic takes, or, of a small network, what it takes to start its kernels."""
    operations = arithmetic(config)
    if operations is None:
        return None
    groups = 1 if _own_cutoffs(config) else config.cutoffs
    layers = config.model.layers + 4  # four: the rest of a step
    starts = math.ceil(config.curves / config.batch) * groups * layers
    seconds = max(operations / SPEED[config.precision], starts * START)
    return float(seconds + COMPILING * (config.precision == "bf16")) / 60


def show(works: list[Work], scale: str, minutes: float | None) -> str:
    if not works:
        return f"Nothing is missing at {scale} scale."
    lines = [f"{'on a GPU':>12} {'two cores':>9}"]
    for work in works:
        cost = "unknown" if work.minutes is None else f"{work.minutes:.1f} min"
        fits = "" if work in fitting(works, minutes) else "  (does not fit)"
        slow = f"{work.hours:,.1f} h" if work.hours else ""
        lines.append(f"{cost:>12} {slow:>9}  {work.kind:<8} {work.question} · {work.name}: {work.why}{fits}")
    known = sum(work.minutes or 0 for work in works)
    unknown = sum(work.minutes is None for work in works)
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
