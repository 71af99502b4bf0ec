"""What a command would take on this machine, said before anything starts: receipts, ledgers, and a probe of a second."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from presswork import contract, plan, run
from presswork.answers import ledger_file, receipts
from presswork.ground.blog import BLOG, HOMES
from presswork.plan import Job
from presswork.telling import progress, schedule

UNKNOWN = math.nan
Cost = tuple[float, float, float]  # seconds; MB of memory, the peak; MB of disk


def kind(note: receipts.Receipt) -> str:
    """Of a machine; no processor tells the times of a GPU."""
    return " with ".join(filter(None, (note["hardware"]["cpu"], note["hardware"]["gpu"])))


def of_job(
    name: str, job: Job, scale: str, pace: dict[str, float], elsewhere: Mapping[str, float], root: Path
) -> Cost:
    """`elsewhere`: memory by question, as ledgers say it."""
    what, _, rest = name.partition("-")
    usual = next(iter(pace.values()), UNKNOWN)  # of kinds that were not probed, and where none is named
    if what == "measure":
        question = rest.partition("-")[0]
        took = plan.seconds(question, scale, root, lambda note: pace.get(kind(note), usual))
        seconds = progress.START * usual + sum(took.get(part, UNKNOWN) for part in job.parts)
        folders = [root / HOMES[home] / question / scale for home in ("published", "here")]
        notes = [note for folder in folders for note in receipts.of(folder)]
        peaks = {note["part"]: note["memory_mb"] for note in notes if "memory_mb" in note}
        size = sum(path.stat().st_size for path in folders[0].glob("*")) / 1e6
        disk = size * len(job.parts) / len(took) if took else UNKNOWN  # with their share of the drawings
        memory = _largest([peaks.get(part, elsewhere.get(question, UNKNOWN)) for part in job.parts])
        return seconds, memory, disk
    seconds, disk = usual * progress.usual(name, job, scale, root), UNKNOWN if what == "site" else 0.0
    if what == "train" and not BLOG.plugin.file(rest, False, root).is_file():
        disk = BLOG.plugin.megabytes(rest, root)
        seconds = UNKNOWN if math.isnan(disk) else seconds
    return seconds, UNKNOWN, disk


def _largest(values: list[float]) -> float:
    return UNKNOWN if any(map(math.isnan, values)) else max(values, default=0.0)


def of_run(
    names: list[str], parts: list[str] | None, scale: str, figures: Path, root: Path, go_on: bool = False
) -> dict[str, Job]:
    """What `run` does: networks that are missing, what a question reads unless complete, and its parts, or these.

    `go_on`: only those that are up to date neither here nor as published."""
    jobs: dict[str, Job] = {}
    for name in names if parts is not None else contract.in_order(scale, names, root):
        question = contract.load(name, root)
        run.refuse([name], scale, root)
        own = question.parts(scale) if parts is None else parts
        if go_on and not (own := [part for part in own if not _stands(question, part, scale, figures, root)]):
            continue
        if name in names or not all(run.is_current(question, part, scale, figures, root) for part in own):
            needed = [model for part in own for model in question.needed(scale, part)]
            jobs |= of_train(contract.model_names(needed), root)
            jobs[f"measure-{name}"] = Job("", parts=tuple(own))
            jobs |= {f"draw-{name}": Job("", questions=(name,))} if parts is None else {}
    return jobs


def _stands(question: contract.Question, part: str, scale: str, figures: Path, root: Path) -> bool:
    homes = [figures] if scale != BLOG.costly else [figures, root / HOMES["published"]]
    return any(run.is_current(question, part, scale, home, root) for home in homes)


def of_train(models: list[str], root: Path) -> dict[str, Job]:
    missing = [name for name in models if not BLOG.plugin.file(name, False, root).is_file()]
    return {f"train-{name}": Job("") for name in missing}


def of_blog(names: list[str], scale: str, again: bool, root: Path) -> dict[str, Job]:
    """The jobs that are not done, each with those of its parts that are not."""
    jobs, figures = plan.plan(scale, names, root), run.home(scale, root=root)
    undone = plan.undone(scale, jobs, root)
    undone += [name for name in jobs if again and not plan.is_training(name)]

    def left(name: str, part: str) -> bool:
        question = contract.load(name.split("-")[1], root)
        return again or not run.is_current(question, part, scale, figures, root)

    todo = {name: job for name, job in jobs.items() if name in undone}
    parts = {name: tuple(part for part in job.parts if left(name, part)) for name, job in todo.items()}
    return {name: replace(job, parts=parts[name]) for name, job in todo.items()}


def tell(jobs: dict[str, Job], scale: str, cores: int, root: Path) -> int:
    """A line a training and a question, then the sum; `cores` is how many jobs run at once."""
    if not jobs:
        print("Everything is up to date: nothing would be done.")
        return 0
    pace, elsewhere, lines = BLOG.plugin.paces(root), ledger_file.peaks(scale, root), dict[str, list[Cost]]()
    costs = {name: of_job(name, job, scale, pace, elsewhere, root) for name, job in jobs.items()}
    for name, cost in costs.items():
        kept = {"measure": 2, "draw": 1}.get(name.split("-")[0])  # all parts of a question, and all drawings
        lines.setdefault("-".join(name.split("-")[:kept]), []).append(cost)
    print(f"{'time':>10} {'memory':>10} {'disk':>10}  step")
    for label, own in lines.items():
        seconds, memory, disk = map(list, zip(*own, strict=True))
        print(_line(sum(seconds), _largest(memory), sum(disk), label))
    columns = list(zip(*costs.values(), strict=True))
    seconds, memory, disk = ([0.0 if math.isnan(value) else value for value in column] for column in columns)
    wall = schedule.makespan(jobs, dict(zip(jobs, seconds, strict=True)), set(), cores)
    most = sum(sorted(memory)[-cores:])
    print(_line(wall or UNKNOWN, most or UNKNOWN, sum(disk), f"in all, {cores} at once"))
    for i, what in enumerate(("time", "memory", "disk")):
        if count := sum(any(math.isnan(cost[i]) for cost in own) for own in lines.values()):
            print(f"The {what} of {count} of {len(lines)} steps is not known, and the total omits it.")
    machines = ", ".join(f"{seconds:.2f} s for each second on {name}" for name, seconds in pace.items())
    print(f"This machine, at its present load, takes {machines or 'a time that is not known'}.")
    print("Nothing was started.")
    return 0


def _line(seconds: float, memory: float, disk: float, label: str) -> str:
    time = f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} min"
    told = ((time, seconds), (f"{memory:.0f} MB", memory), (f"{disk:.1f} MB", disk))
    cells = (f"{'not known' if math.isnan(value) else text:>10}" for text, value in told)
    return f"{' '.join(cells)}  {label}"
