"""What a command would take on this machine, said before anything starts: published receipts, and a short probe."""

import csv
import io
import math
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from reproduce._press import contract, plan, run
from reproduce._press.answers import packed, receipts
from reproduce._press.answers.answer import HOMES
from reproduce._press.plan import Job
from reproduce._press.telling import at_work, schedule

PROBE = "backbone_speeds"  # times training steps of the same networks at all scales
Kind = tuple[str, str | None]  # of a machine: processor, GPU


class Cost(NamedTuple):
    """NaN is what nobody knows."""

    seconds: float
    memory: float = math.nan  # MB, the peak
    disk: float = 0.0  # MB


def probed(root: Path) -> dict[Kind, dict[str, float]]:
    """Seconds of a training step of each network, on the kinds of machines on which these were published."""
    found = {}
    for folder in (root / HOMES["published"] / PROBE / scale for scale in ("laptop", "paper")):
        for receipt in receipts.of(folder):
            times: dict[str, list[float]] = {}
            for row in csv.DictReader(io.StringIO(packed.table(folder, "rows.csv").decode())):
                times.setdefault(row["backbone"], []).append(float(row["step"]))
            found.setdefault(kind(receipt), {name: median(own) for name, own in times.items()})
    return found


def kind(receipt: receipts.Receipt) -> Kind:
    return receipt["hardware"]["cpu"], receipt["hardware"]["gpu"]


def ratio(here: dict[str, float], there: dict[str, float]) -> float:
    return median([here[name] / there[name] for name in sorted(here.keys() & there.keys())] or [math.nan])


def paces(root: Path) -> dict[Kind, float]:
    """Seconds here for each one on another kind of machine: the same steps are timed again, which takes about a second."""
    if not (elsewhere := probed(root)):
        return {}
    question, published = contract.load(PROBE, root), root / HOMES["published"]
    read = {name: run.rows_of(name, question, "laptop", published, root) for name in question.reads("laptop")}
    rows = question.module.measure(question.module.PROBE, "all", read)
    here = rows.groupby("backbone")["step"].median().to_dict()
    return {there: ratio(here, times) for there, times in elsewhere.items()}


def of_job(name: str, job: Job, scale: str, pace: dict[Kind, float], root: Path) -> Cost:
    what, _, rest = name.partition("-")
    usual = next(iter(pace.values()), math.nan)  # networks and pages do not say which machine made them
    if what == "measure":
        return _measured(rest.partition("-")[0], job.parts, scale, pace, at_work.START * usual, root)
    seconds = usual * at_work.usual(name, job, scale, root)
    if what != "train" or (root / "weights" / f"{rest}.safetensors").is_file():
        return Cost(seconds, disk=math.nan if what == "site" else 0.0)
    sizes = {
        path.stem: path.stat().st_size / 1e6
        for path in (root / "weights" / "published").glob("*.safetensors")
    }
    like = at_work.most_like(rest, sizes)
    return (
        Cost(seconds, disk=sizes[like] * at_work.size(rest)[0] / at_work.size(like)[0])
        if like
        else Cost(math.nan)
    )


def _measured(
    question: str, parts: tuple[str, ...], scale: str, pace: dict[Kind, float], start: float, root: Path
) -> Cost:
    """These parts one after another in one process; of the drawings of an answer they have their share of the disk."""
    folders = [root / HOMES[home] / question / scale for home in ("published", "here")]
    notes = {receipt["part"]: receipt for folder in folders for receipt in receipts.of(folder)}
    took = plan.seconds(question, scale, root, lambda receipt: pace.get(kind(receipt), math.nan))
    memory = [float(notes.get(part, {}).get("memory_mb", math.nan)) for part in parts]
    size = sum(path.stat().st_size for path in folders[0].glob("*")) / 1e6
    return Cost(
        start + sum(took.get(part, math.nan) for part in parts),
        math.nan if any(map(math.isnan, memory)) else max(memory, default=0.0),
        size * len(parts) / len(took) if took else math.nan,
    )


def of_run(
    names: list[str], parts: list[str] | None, scale: str, figures: Path, root: Path
) -> dict[str, Job]:
    """What `run` does: networks that are missing, answers that a question reads and that are incomplete, and its own."""
    jobs: dict[str, Job] = {}
    for name in names if parts is not None else contract.in_order(scale, names, root):
        question = contract.load(name, root)
        run.refuse([name], scale, root)
        measured = question.parts(scale) if parts is None else parts
        if name in names or not all(
            run.is_current(question, part, scale, figures, root) for part in measured
        ):
            jobs |= of_train(
                contract.model_names([m for p in measured for m in plan.needed(question, scale, p)]), root
            )
            jobs[f"measure-{name}-all"] = Job("", parts=tuple(measured))
            jobs |= {f"draw-{name}": Job("", questions=(name,))} if parts is None else {}
    return jobs


def of_train(models: list[str], root: Path) -> dict[str, Job]:
    trained = {path.stem for path in (root / "weights").glob("*.safetensors")}
    return {f"train-{model}": Job("") for model in models if model not in trained}


def of_blog(names: list[str], scale: str, again: bool, root: Path) -> dict[str, Job]:
    """The jobs that are not done, each with those of its parts that are not."""
    jobs, figures = plan.plan(scale, names, root), run.home(scale, root=root)
    undone = {
        *plan.undone(scale, jobs, root),
        *(name for name in jobs if again and not plan.is_training(name)),
    }

    def missing(name: str, job: Job) -> Job:
        question: Any = contract.load(name.split("-")[1], root) if job.parts else None
        left = [p for p in job.parts if again or not run.is_current(question, p, scale, figures, root)]
        return replace(job, parts=tuple(left))

    return {name: missing(name, job) for name, job in jobs.items() if name in undone}


def show(jobs: dict[str, Job], scale: str, cores: int, root: Path) -> str:
    """A line a training, a question and all drawings, then the sum; `cores` is how many jobs run at once."""
    if not jobs:
        return "Everything is up to date: nothing would be done."
    pace = paces(root)
    costs = {name: of_job(name, job, scale, pace, root) for name, job in jobs.items()}
    lines: dict[str, list[Cost]] = {}
    for name, cost in costs.items():
        what, _, rest = name.partition("-")
        does = {
            "train": f"train {rest}",
            "measure": f"measure {rest.partition('-')[0]}",
            "draw": "draw figures",
        }
        lines.setdefault(does.get(what, "build the site"), []).append(cost)
    told = [f"{'time':>10} {'memory':>10} {'disk':>10}  step"]
    for does, own in lines.items():  # jobs of a question one after another: its memory is that of the largest
        seconds, memory, disk = zip(*own, strict=True)
        told.append(_line(Cost(sum(seconds), max(memory, key=_unknown_first), sum(disk)), does))
    known = {
        name: Cost(*(0.0 if math.isnan(value) else value for value in cost)) for name, cost in costs.items()
    }
    seconds, memory, disk = zip(*known.values(), strict=True)
    wall = schedule.makespan(jobs, dict(zip(jobs, seconds, strict=True)), set(), cores)
    at_once = sum(sorted(memory)[-cores:])
    told.append(_line(Cost(wall, at_once or math.nan, sum(disk)), f"in all, {cores} at once"))
    for what, values in zip(Cost._fields, zip(*costs.values(), strict=True), strict=True):
        if count := sum(map(math.isnan, values)):
            told.append(
                f"The sum leaves out the {what} of {count} of {len(costs)} steps, which no receipt tells."
            )
    machines = (
        ", ".join(f"{value:.2f} s for each on {name}" for (name, _), value in pace.items()) or "not known"
    )
    return "\n".join([*told, f"Speed of this machine, by a probe: {machines}.", "Nothing was started."])


def _line(cost: Cost, does: str) -> str:
    time = f"{cost.seconds:.0f} s" if cost.seconds < 100 else f"{cost.seconds / 60:.1f} min"
    cells = [time, f"{cost.memory:.0f} MB", f"{cost.disk:.1f} MB"]
    shown = ("not known" if math.isnan(value) else cell for value, cell in zip(cost, cells, strict=True))
    return " ".join(f"{cell:>10}" for cell in shown) + f"  {does}"


def _unknown_first(value: float) -> float:
    return math.inf if math.isnan(value) else value
