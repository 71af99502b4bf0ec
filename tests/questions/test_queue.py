"""Guards the queue: trained and scored one by one, shared with others, stopped after any step, silent while others time."""

import threading
import time

import pytest

from presswork import contract, run, store
from presswork.ground import files
from presswork.ground.errors import UserError
from reproduce._plugin import queue
from reproduce._plugin.queue import Worker
from reproduce.reproduction import grid

SCALE = "smoke"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Weights and checkpoints lie in the folder of the process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(queue.signal, "signal", lambda *_: None)
    (tmp_path / "runs").mkdir()
    (tmp_path / "reproduce").symlink_to(contract.ROOT / "reproduce")
    (tmp_path / "figures").symlink_to(contract.ROOT / "figures")
    return tmp_path


@pytest.fixture
def worker(root):
    return Worker(contract.load("grid"), SCALE, None, root)


@pytest.mark.slow
def test_each_network_is_scored_as_soon_as_it_is_trained(worker, capsys):
    """What a stop interrupts goes on from its checkpoint; the overview and the log say what there is."""
    *others, last = queue.left(worker.question, SCALE, worker.root)
    worker.asked = True  # as SIGTERM does: after the step that is being made
    assert not worker.one(last) and "paused at" in capsys.readouterr().out
    (*waiting, line, whole), order = queue.overview(worker.question, SCALE, 30, worker.root)
    assert line.startswith(f"{last}") and " at a checkpoint" in line
    assert len(waiting) == len(others) and all("waiting" in other for other in waiting)
    assert order == [last, *others]  # what has been begun comes before the others
    n = len(others) + 1
    assert whole.startswith(f"{n} of {n} to do") and "this run: 30 minutes" in whole
    worker.asked = False
    assert worker.one(last) and queue.left(worker.question, SCALE, worker.root) == others
    rows, count = store.read(run.home(SCALE, root=worker.root) / "grid" / SCALE, [*others, last])
    assert count == 1 and len(rows["rows"]) == 4
    log = (worker.root / queue.LOG).read_text()
    assert f"{last}: trained" in log and f"{last}: scored" in log


def test_a_network_at_which_another_queue_works_is_left_to_it(worker, monkeypatch):
    """Nobody waits, and nothing is trained twice; one whose loss is no number does not keep the others waiting."""
    first, *others = queue.left(worker.question, SCALE, worker.root)
    done: list[str] = []
    monkeypatch.setattr(Worker, "one", lambda self, part: bool(done.append(part)) or True)
    with files.held(run.lock(worker.root, queue._name(worker.question, SCALE, first))):
        assert worker.work() and done == others

    def fails(self, part):
        raise UserError("the loss became nan")

    monkeypatch.setattr(Worker, "one", fails)
    assert not worker.work()
    assert (worker.root / queue.LOG).read_text().count("the loss became nan") == len(others) + 1


def test_who_times_waits_for_the_step_and_then_has_it_quiet(worker):
    """A worker holds `quiet` during its steps; between them it waits for who asked, and makes no step meanwhile."""
    assert not worker.over()
    held = threading.Event()

    def time_something():
        with run.exclusive("quiet-please", worker.root), run.exclusive("quiet", worker.root):
            held.set()
            time.sleep(0.3)

    thread = threading.Thread(target=time_something)
    thread.start()
    assert not held.wait(0.2)  # amid a step
    begin = time.monotonic()
    assert not worker.over() and held.is_set() and time.monotonic() - begin > 0.1
    thread.join()
    worker.end = time.time() - 1
    assert worker.over()


def test_checkpoints_of_other_settings_are_told_and_left(worker):
    folder = worker.root / "runs" / "checkpoints"
    folder.mkdir()
    (folder / "paper-1x16-3k-0123456789ab.newest").touch()
    (*_, told), _ = queue.overview(worker.question, SCALE, None, worker.root)
    assert told == "paper-1x16-3k-0123456789ab: a checkpoint of other settings, neither used nor touched"


def test_what_the_minutes_suffice_for_comes_first(worker, monkeypatch):
    first, *others = queue.left(worker.question, SCALE, worker.root)
    hours = {queue._name(worker.question, SCALE, part): 0.1 for part in others}
    hours[queue._name(worker.question, SCALE, first)] = 9.0
    monkeypatch.setattr(queue, "core_hours", lambda *_: hours)
    assert queue.overview(worker.question, SCALE, 30, worker.root)[1] == [*others, first]
    assert queue.overview(worker.question, SCALE, None, worker.root)[1] == [first, *others]


def test_the_overview_says_on_what_networks_are_trained(worker, monkeypatch):
    """Hours are those of one core, or of the GPU that the tool sees."""
    (line, *_, whole), _ = queue.overview(worker.question, SCALE, 30, worker.root)
    assert "h of one core" in line and "core hours" in whole and whole.endswith("cores")
    monkeypatch.setattr(queue.machine, "hardware", lambda: {"gpu": "a card"})
    (line, *_, whole), _ = queue.overview(worker.question, SCALE, 30, worker.root)
    assert "h of a card" in line and "core" not in whole and whole.endswith("this run: 30 minutes on a card")


def test_a_question_of_other_parts_and_a_full_disk_are_one_sentence(root, monkeypatch, capsys):
    with pytest.raises(UserError, match="each part of which is one training"):
        queue.start(contract.load("accuracy"), SCALE, None, only_tell=True, root=root)
    monkeypatch.setattr(queue, "lowest_priority", lambda: None)
    monkeypatch.setattr(queue, "ROOT", root)

    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Worker, "work", full)
    assert queue.main("grid", SCALE, "") == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "No space left" in said and "is kept" in said


@pytest.mark.parametrize(("device", "tried"), [("cpu", [(1, 16), (1, 32)]), ("cuda", [(2, 32)])])
def test_hours_follow_from_networks_that_keep_the_device_busy(device, tried, monkeypatch, tmp_path):
    """On a processor the cheapest of each width, whose pace is soon known; on a GPU a small one would wait for launches."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr("curvecast.training.train.usual_device", lambda: device)
    monkeypatch.setattr(queue, "probe", lambda net: asked.append((net.model.layers, net.model.width)) or 1e-3)
    sizes = [(1, 16), (2, 16), (1, 32), (2, 32)]
    values = {f"ours-{layers}x{width}-3k-a": grid.tiny(layers, width, 3000, 0) for layers, width in sizes}
    hours = queue.core_hours(values, tmp_path)
    assert [*dict.fromkeys(asked)] == tried
    assert hours["ours-2x32-3k-a"] == pytest.approx(3000 * 1e-3 / 3600 * (2 if device == "cpu" else 1))
