"""Train and score the networks of a question beside other work: a process a core, of one thread, at the lowest priority.

    python -m reproduce train --queue paper_grid --minutes 150

Networks come in the order of the question's parts. Each is scored as soon as it is trained, and what is stopped goes on from
its checkpoint. While somebody measures times (run.quiet), no step is made and nothing is scored. Two queues share the work.
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError, demand
from reproduce._press import contract, machine, run
from reproduce._press.contract import ROOT, Question
from reproduce._press.telling import at_work

LOG = Path("runs", "queue.log")
EVERY = 600.0  # seconds between two lines about a training
STOPPED = (0, 3)  # exit statuses of a worker: all is done, or the time was over


def start(question: Question, scale: str, minutes: float | None, only_tell: bool, root: Path = ROOT) -> bool:
    """Say what there is to do, and do it. -> is all done that was asked for?"""
    one = "--queue needs a question each part of which is one training"
    demand(
        all(len(question.needed(scale, part)) == 1 for part in question.parts(scale)),
        f"{question.name}: {one}",
    )
    print("\n".join(overview(question, scale, minutes, root)), flush=True)
    if only_tell or not left(question, scale, root):
        return True
    end = "" if minutes is None else str(time.time() + 60 * minutes)
    command = [sys.executable, "-m", "reproduce._press.queue", question.name, scale, end]
    environment = os.environ | machine.ONE_THREAD
    workers = [
        subprocess.Popen(command, cwd=root, env=environment, start_new_session=True)
        for _ in range(machine.cores())
    ]
    try:
        ended = [worker.wait() for worker in workers]
    except KeyboardInterrupt:  # each pauses after its step
        for worker in workers:
            with suppress(ProcessLookupError):
                worker.send_signal(signal.SIGTERM)
        ended = [worker.wait() for worker in workers]
    for status in set(ended) - set(STOPPED):
        print(
            f"A worker ended with status {status}; the others went on. Run it again to continue.",
            file=sys.stderr,
        )
    return not left(question, scale, root)


def left(question: Question, scale: str, root: Path) -> list[str]:
    """The parts that are not scored yet."""
    figures = run.home(scale, root=root)
    run.copy_published(question, scale, figures, root)
    return [
        part for part in question.parts(scale) if not run.is_current(question, part, scale, figures, root)
    ]


def overview(question: Question, scale: str, minutes: float | None, root: Path) -> list[str]:
    """A line a network, hours by a probe of the first that waits, and checkpoints that nothing will resume."""
    waiting, lines, hours = left(question, scale, root), list[str](), 0.0
    pace = _probe(question, scale, waiting) if waiting else 0.0
    names = {part: _name(question, scale, part) for part in question.parts(scale)}
    for part, name in names.items():
        if part not in waiting:
            lines.append(f"{part:<16} done")
            continue
        layers_and_width, curves = at_work.size(name)
        share = at_work.history(root / "runs" / "checkpoints" / f"{name}.newest").get("curves", 0.0) / curves
        cost = pace * layers_and_width * curves * (1 - share) / 3600
        hours += cost
        trained = (root / "weights" / f"{name}.safetensors").is_file()
        state = "trained, to be scored" if trained else f"{share:.0%} at a checkpoint" if share else "waiting"
        lines.append(f"{part:<16} {state}, about {cost:.1f} h of one core")
    cores = machine.cores()
    told = (
        "all that is left"
        if minutes is None
        else f"{minutes:.0f} minutes, up to {minutes / 60 * cores:.1f} h of cores"
    )
    lines.append(
        f"{len(waiting)} of {len(names)} to do, about {hours:.0f} h of one core; this run: {told} on {cores} cores"
    )
    labels = {name.rpartition("-")[0] for name in names.values()}
    for path in sorted((root / "runs" / "checkpoints").glob("*.newest")):
        if path.stem not in names.values() and path.stem.rpartition("-")[0] in labels:
            lines.append(f"{path.stem}: a checkpoint of other settings, neither used nor touched")
    return lines


def _name(question: Question, scale: str, part: str) -> str:
    (name,) = contract.model_names(question.needed(scale, part))
    return name


def _probe(question: Question, scale: str, waiting: list[str]) -> float:
    """Seconds of one thread for layers × width² × curves, from three steps of the cheapest network that waits."""
    import torch

    from curvecast.training.steps import Training

    name, config = min(
        ((_name(question, scale, part), *question.needed(scale, part)) for part in waiting),
        key=lambda pair: at_work.size(pair[0])[0],
    )
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with Training(config, config.network()) as training:
        training.step(0)
        begin = time.process_time()
        for step in (1, 2, 3):
            training.step(step)
    torch.set_num_threads(threads)
    return (time.process_time() - begin) / 3 / config.batch / at_work.size(name)[0]


class Worker:
    """Takes the first network that nobody works at, until all are done or the time is over."""

    def __init__(self, question: Question, scale: str, end: float | None, root: Path) -> None:
        self.question, self.scale, self.end, self.root = question, scale, end, root
        self.asked, self.at, self.told, self.parent = False, "", time.time(), os.getppid()
        self.working = os.open(run.lock(root, "quiet"), os.O_CREAT | os.O_RDWR)  # held during a step
        signal.signal(signal.SIGTERM, self._ask)
        signal.signal(signal.SIGINT, self._ask)

    def _ask(self, *_: Any) -> None:
        self.asked = True

    def over(self) -> bool:
        """After each step: wait while somebody measures times; then, is it time to stop?"""
        fcntl.flock(self.working, fcntl.LOCK_UN)
        with _lock(self.root, "quiet-please", fcntl.LOCK_SH):  # behind this door stands who wants it quiet
            fcntl.flock(self.working, fcntl.LOCK_SH)
        if self.at and time.time() > self.told + EVERY:
            name = _name(self.question, self.scale, self.at)
            done = at_work.history(self.root / "runs" / "checkpoints" / f"{name}.newest").get("curves", 0.0)
            self.say(f"{self.at}: {done / at_work.size(name)[1]:.0%}")
        alone = os.getppid() != self.parent  # whoever started the queue is gone
        return self.asked or alone or (self.end is not None and time.time() > self.end)

    def work(self) -> bool:
        """-> is all done that nobody else works at? A network that fails costs nobody but itself."""
        failed = False
        for part in left(self.question, self.scale, self.root):
            if self.over():
                return False
            name = _name(self.question, self.scale, part)
            with _lock(self.root, name, fcntl.LOCK_EX | fcntl.LOCK_NB) as free:
                try:
                    if free and part in left(self.question, self.scale, self.root) and not self.one(part):
                        return False
                except UserError as error:
                    self.say(f"{part}: {error}")
                    failed = True
        return not failed

    def one(self, part: str) -> bool:
        """Train and score a network.  -> is it done?"""
        from curvecast.training import train

        (config,) = self.question.needed(self.scale, part)
        self.at = part
        self.say(f"{part}: begins or goes on")
        try:
            forecaster = train.trained(config, progress=False, over=self.over)
        except train.Paused as paused:
            self.say(f"{part}: {paused}")
            return False
        took = forecaster.history[-1].get("core_seconds", 0.0) / 3600
        self.say(f"{part}: trained in {took:.2f} h of one core; scoring")
        run.measure_part(self.question, part, self.scale, run.home(self.scale, root=self.root), self.root)
        self.say(f"{part}: scored")
        return True

    def say(self, text: str) -> None:
        self.told = time.time()
        line = f"{datetime.now():%d %b %H:%M} {text}"
        print(line, flush=True)
        with open(self.root / LOG, "a", encoding="utf-8") as file:
            file.write(f"{line}\n")


@contextmanager
def _lock(root: Path, name: str, how: int) -> Iterator[bool]:
    """The lock that a training of this name holds; False where another process has it and `how` does not wait."""
    with open(run.lock(root, name), "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, how)
        except BlockingIOError:
            yield False
            return
        yield True


def lowest_priority() -> None:
    """Only what nobody else wants of the processor, where the system knows of that."""
    os.nice(19)
    with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as whole_session:
        whole_session.write("19")  # Linux weighs sessions first, and only then the processes of one
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(name: str, scale: str, end: str) -> int:
    lowest_priority()
    worker = Worker(contract.load(name), scale, float(end) if end else None, ROOT)
    try:
        return STOPPED[not worker.work()]
    except OSError as error:
        print(f"stopped: {error}. What was finished is kept.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(*sys.argv[1:]))
