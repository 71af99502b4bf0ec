"""Train and score the networks of a question beside other work: a process a core, of one thread, at the lowest priority.

    python -m reproduce train --queue QUESTION --minutes 150

Those networks come first for which the minutes suffice, and of these what has been begun; else they come in the order of the
question's parts. Each is scored as soon as it is trained, and what is stopped goes on from its checkpoint. While somebody
measures times (run.quiet), no step is made and nothing is scored. Two queues share the work.
"""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from presswork import contract, run
from presswork.contract import Question
from presswork.ground import files, machine
from presswork.ground.blog import BLOG, ROOT
from presswork.ground.errors import demand
from presswork.ground.plugin import Paused
from reproduce._plugin.networks import probe, size

LOG = Path("runs", "queue.log")
EVERY = 600.0  # seconds between two lines about a training
STOPPED = (0, 3)  # exit statuses of a worker: all is done, or the time was over


def start(question: Question, scale: str, minutes: float | None, only_tell: bool, root: Path = ROOT) -> bool:
    """Say what there is to do, and do it. -> is all done that was asked for?"""
    single = all(len(question.needed(scale, part)) == 1 for part in question.parts(scale))
    demand(single, f"{question.name}: --queue needs a question each part of which is one training")
    lines, order = overview(question, scale, minutes, root)
    print("\n".join(lines), flush=True)
    if only_tell or not order:
        return True
    end = "" if minutes is None else str(time.time() + 60 * minutes)
    command = [sys.executable, "-m", "reproduce._plugin.queue", question.name, scale, end, *order]
    alone: dict[str, Any] = {"cwd": root, "env": os.environ | machine.ONE_THREAD, "start_new_session": True}
    workers = [subprocess.Popen(command, **alone) for _ in range(machine.cores())]
    try:
        ended = [worker.wait() for worker in workers]
    except KeyboardInterrupt:  # each pauses after its step
        for worker in workers:
            worker.terminate()
        ended = [worker.wait() for worker in workers]
    for status in set(ended) - set(STOPPED):
        told = f"A worker ended with status {status}; the others went on. Run it again to continue."
        print(told, file=sys.stderr)
    return not left(question, scale, root)


def left(question: Question, scale: str, root: Path) -> list[str]:
    """The parts that are not scored yet."""
    figures = run.home(scale, root=root)
    run.copy_published(question, scale, figures, root)
    parts = question.parts(scale)
    return [part for part in parts if not run.is_current(question, part, scale, figures, root)]


def overview(
    question: Question, scale: str, minutes: float | None, root: Path
) -> tuple[list[str], list[str]]:
    """A line a network, and checkpoints that nothing will resume; then the parts that wait, in their turn."""
    values = {part: _value(question, scale, part) for part in question.parts(scale)}
    names = {part: BLOG.plugin.name(value) for part, value in values.items()}
    waiting, lines, begun = left(question, scale, root), list[str](), dict[str, bool]()
    hours = core_hours({names[part]: values[part] for part in waiting}, root)
    cores, gpu = machine.cores(), machine.hardware()["gpu"]
    for part, name in names.items():
        if part not in waiting:
            lines.append(f"{part:<16} done")
            continue
        far = BLOG.plugin.share(name, root)
        made = BLOG.plugin.file(name, False, root).is_file()
        begun[part] = bool(made or far)
        state = "trained, to be scored" if made else f"{far.done:.0%} at a checkpoint" if far else "waiting"
        lines.append(f"{part:<16} {state}, about {hours[name]:.1f} h of {gpu or 'one core'}")
    told = "all that is left" if minutes is None else f"{minutes:.0f} minutes"
    if minutes is not None and not gpu:
        told += f", up to {minutes / 60 * cores:.1f} h of cores"
    left_over = sum(hours.values())
    whole = f"about {left_over:.1f} h of {gpu}" if gpu else f"about {left_over:.0f} core hours"
    todo = f"{len(waiting)} of {len(names)} to do, {whole}"
    lines.append(f"{todo}; this run: {told} on {gpu or f'{cores} cores'}")
    late = {part: minutes is not None and hours[names[part]] > minutes / 60 for part in waiting}
    waiting.sort(key=lambda part: (late[part], not begun[part]))
    return lines + left_behind(names.values(), root), waiting


def core_hours(values: dict[str, Any], root: Path) -> dict[str, float]:
    """By three steps of the cheapest of each width, as wide products are faster; on a GPU, which a small network does not
    fill, of the dearest. What was probed first is probed again: its steps wait for memory."""
    from curvecast.training.train import usual_device

    on_gpu, alike, hours = usual_device() != "cpu", dict[int, list[str]](), dict[str, float]()
    for name in sorted(values, key=lambda name: size(name)[0], reverse=on_gpu):
        alike.setdefault(0 if on_gpu else values[name].model.width, []).append(name)
    for names in alike.values():
        tried = values[names[0]]
        pace = min(probe(tried), probe(tried)) / size(names[0])[0]
        for name in names:
            done = far.done if (far := BLOG.plugin.share(name, root)) else 0.0
            hours[name] = pace * math.prod(size(name)) * (1 - done) / 3600
    return hours


def left_behind(names: Iterable[str], root: Path) -> list[str]:
    names, unfinished = set(names), (root / "runs" / "checkpoints").glob("*.newest")
    labels = {name.rpartition("-")[0] for name in names}
    others = [path.stem for path in sorted(unfinished) if path.stem not in names]
    mine = [name for name in others if name.rpartition("-")[0] in labels]
    return [f"{name}: a checkpoint of other settings, neither used nor touched" for name in mine]


def _value(question: Question, scale: str, part: str) -> Any:
    (value,) = question.needed(scale, part)
    return value


def _name(question: Question, scale: str, part: str) -> str:
    return BLOG.plugin.name(_value(question, scale, part))


class Worker:
    """Takes the first network that nobody works at, until all are done or the time is over."""

    def __init__(
        self, question: Question, scale: str, end: float | None, root: Path, order: list[str] | None = None
    ) -> None:
        self.question, self.scale, self.end, self.root = question, scale, end, root
        self.order = order or left(question, scale, root)
        self.asked, self.at, self.told, self.parent = False, "", time.time(), os.getppid()
        self.working = os.open(run.lock(root, "quiet"), os.O_CREAT | os.O_RDWR)  # held during a step
        signal.signal(signal.SIGTERM, self._ask)
        signal.signal(signal.SIGINT, self._ask)

    def _ask(self, *_: Any) -> None:
        self.asked = True

    def over(self) -> bool:
        """After each step: wait while somebody measures times; then, is it time to stop?"""
        files.free(self.working)
        door = run.lock(self.root, "quiet-please")  # behind it stands who wants it quiet
        with files.held(door, shared=True):
            files.take(self.working, shared=True)
        if self.at and time.time() > self.told + EVERY:
            far = BLOG.plugin.share(_name(self.question, self.scale, self.at), self.root)
            self.say(f"{self.at}: {far.done if far else 0.0:.0%}")
        alone = os.getppid() != self.parent  # whoever started the queue is gone
        return self.asked or alone or (self.end is not None and time.time() > self.end)

    def work(self) -> bool:
        """-> is all done that nobody else works at? A network that fails costs nobody but itself."""
        failed = False
        for part in self.order:
            if self.over():
                return False
            with files.held(run.lock(self.root, _name(self.question, self.scale, part)), wait=False) as free:
                try:
                    if free and part in left(self.question, self.scale, self.root) and not self.one(part):
                        return False
                except BLOG.errors as error:
                    self.say(f"{part}: {error}")
                    failed = True
        return not failed

    def one(self, part: str) -> bool:
        """Train and score a network.  -> is it done?"""
        self.at = part
        self.say(f"{part}: begins or goes on")
        try:
            took = BLOG.plugin.make(_value(self.question, self.scale, part), over=self.over)
        except Paused as paused:
            self.say(f"{part}: {paused}")
            return False
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


def lowest_priority() -> None:
    """Only what nobody else wants of the processor, where the system knows of that."""
    os.nice(19)
    with suppress(OSError), open("/proc/self/autogroup", "w", encoding="ascii") as whole_session:
        whole_session.write("19")  # Linux weighs sessions first, and only then the processes of one
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(name: str, scale: str, end: str, *order: str) -> int:
    lowest_priority()
    worker = Worker(contract.load(name), scale, float(end) if end else None, ROOT, [*order])
    try:
        return STOPPED[not worker.work()]
    except OSError as error:
        print(f"stopped: {error}. What was finished is kept.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(*sys.argv[1:]))
