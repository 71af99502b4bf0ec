"""Guards what stands between a Stopper and a training: no fault ends one, and what is told, kept and shared is right."""

import importlib
import math
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from curvecast.forecasting.finished_runs import MOST
from curvecast.ground.errors import UserError
from curvecast.while_training import lightning_entry_point as entry
from curvecast.while_training import telling
from curvecast.while_training.check import never_harm
from curvecast.while_training.kept import Kept, WholeRuns
from curvecast.while_training.stopper import Stopper
from curvecast.while_training.telling import Telling, beside_a_log
from curvecast.while_training.watched import Watched

ROOT = Path(__file__).resolve().parents[3]
RISING = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57]


class Advises:
    def __init__(self, error, out):
        self.error, self.telling = error, Telling(out)

    @never_harm(otherwise=False)
    def decide(self):
        raise self.error


@pytest.mark.parametrize(("error", "sentence"), [
    (ZeroDivisionError("x"), "a bug in curvecast (ZeroDivisionError: x): the training goes on without this advice"),
    (UserError("the horizon is 3: take more"), "the horizon is 3: take more (the training goes on)"),
])  # fmt: skip
def test_an_exception_is_a_sentence_told_once(error, sentence):
    """The answer is the one that changes nothing, even where standard error is closed."""
    lines = []
    advises = Advises(error, lines.append)
    assert [advises.decide() for _ in range(3)] == [False, False, False]
    assert len(lines) == 1 and sentence in lines[0]
    assert Advises(error, lambda _: 1 / 0).decide() is False


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_whoever_ends_the_program_ends_it(error):
    with pytest.raises(error):
        Advises(error, print).decide()


def test_a_complaint_is_told_once_and_lines_each_time(capsys):
    """To standard error, so that a pipe of results stays clean."""
    telling = Telling()
    for _ in range(2):
        telling.once("value", "is NaN")
        telling.line("step 1")
    assert capsys.readouterr() == ("", "curvecast: is NaN\n" + 2 * "curvecast: step 1\n")


def test_beside_a_log_only_the_first_check_of_a_hopeless_run_is_told():
    """Complaints are warnings there: who reads warnings alone learns of what went wrong."""
    log, warnings = [], []
    telling = beside_a_log(None, log.append, warnings.append)
    for name, hopeless in (("a", False), ("a", True), ("a", True), ("b", True)):
        telling.check(name, f"{name} is {hopeless}", hopeless)
    telling.once("value", "is NaN")
    assert (log, warnings) == (["curvecast: a is True", "curvecast: b is True"], ["curvecast: is NaN"])


def test_no_name_of_a_run_reaches_the_terminal_as_a_command():
    """Control characters and line ends become question marks, and a line has an end."""
    lines = []
    Telling(lines.append).line("run \x1b[2J\n" + 9_999 * "a")
    assert lines[0].startswith("curvecast: run ?[2J?a") and len(lines[0]) == 500


def watched(logs, end=50, **how):
    lines = []
    one = Watched("acc", how | {"tell": lines.append})
    answers = [one.decide(lambda s=s: s, lambda: end, log) for s, log in enumerate(logs, 1)]
    return one.stopper, lines, answers


@pytest.mark.parametrize(
    ("end", "how", "expected"),
    [(50, {}, 50), (50, {"horizon": 30}, 30), *((none, {}, 100) for none in (None, 0, -1, math.inf))],
)
def test_a_value_by_its_name_has_the_horizon_of_the_training_unless_told(end, how, expected):
    stopper, *_ = watched([{"acc": y, "loss": 1} for y in RISING], end, **how)
    assert stopper.values == RISING and stopper.check().horizon == expected


def test_a_value_that_is_not_there_is_told_once_with_what_is():
    _, lines, answers = watched([{"acc_top5": 1, "loss": 2}] * 3 + [{}], act=True)
    assert lines == ["curvecast: 'acc' is not among the logged values (acc_top5, loss): nothing to forecast"]
    assert not any(answers)


@pytest.mark.parametrize("monitor", [["acc", "loss"], None, "", "eval_loss"])
def test_a_monitor_is_one_value_and_a_loss_is_not_taken_for_an_accuracy(monitor):
    """Refused before the training; whoever says anything of the metric means it."""
    said = "for two values use two callbacks|'eval_loss' sounds as if lower were better: set metric='loss'"
    with pytest.raises(UserError, match=said):
        Watched(monitor, {})
    assert Watched("eval_loss", {"metric": "loss"}).stopper.minimise
    assert not Watched("neg_loss", {"minimise": False}).stopper.minimise


def ended(last: int = 20, start: float = 0.1, metric: str = "accuracy") -> Stopper:
    stopper = Stopper(20, metric, tell=lambda _: None)
    for step in range(1, last + 1):
        stopper.observe(step, start + 0.01 * step)
    return stopper


def filled(n: int) -> WholeRuns:
    whole = WholeRuns()
    for name in range(n):
        whole.add(name, ended(start=name / 1000))
    return whole


@pytest.mark.parametrize(("runs", "taken", "last"), [
    (0, 0, 0), (1, 0, 0), (2, 2, 1), (19, 19, 18), (21, 20, 19), (49, 48, 47), (54, MOST, 49), (118, MOST, 114),
])  # fmt: skip
def test_finished_runs_of_a_search_count_from_two_on_and_of_many_whole_tenths(runs, taken, last):
    """Of more than fifty the latest, which change by five."""
    found = [round(1000 * (one.seen.values[0] - 0.01)) for one in filled(runs).calibrating.runs]
    assert found == list(range(last + 1 - taken, last + 1))


def test_a_run_that_was_stopped_has_no_value_or_no_scale_or_is_given_again_is_no_evidence():
    """What is handed on stays the same from look to look, so that what was found of a run is found once."""
    whole = filled(4)
    first = whole.calibrating
    for name, one in enumerate([ended(), ended(15), ended(0), ended(start=-0.01, metric="loss")], 3):
        whole.add(name, one)
    assert whole.calibrating is first and len(first) == 4
    whole.add("more", ended())
    assert whole.calibrating.runs[:4] == first.runs and len(whole.calibrating) == 5


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00"])
def test_a_file_of_another_kind_is_a_sentence_and_stays(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(UserError, match="remove it, or name another file"):
        Kept(tmp_path / "run.json").read()
    assert (tmp_path / "run.json").read_text() == text


def test_what_was_kept_is_read_and_nothing_is_written_twice(tmp_path):
    """A step that comes again takes the place of all from it on; a line that was cut off costs no other."""
    kept = Kept(tmp_path / "search.json")
    assert kept.read() == {}
    kept.write({"a": {"steps": [1], "values": [0.1]}})  # as earlier releases wrote it
    sizes = []
    for step, value in ((2, 0.2), (3, 0.3), (4, 0.4), (3, 0.5)):
        kept.add("a", {"steps": [1, step], "values": [0.1, value], "missing": 0})
        sizes.append(kept.path.stat().st_size)
    assert len({later - one for one, later in pairwise(sizes)}) == 1
    kept.path.write_bytes(kept.path.read_bytes() + b'\n{"a": {"ste')
    kept.add("b", {"steps": [1, 7], "values": [0.1, 0.7]})
    found = Kept(str(kept.path)).read()
    assert found["a"] == {"steps": [1, 2, 3], "values": [0.1, 0.2, 0.5], "missing": 0}
    assert found["b"]["steps"] == [7]
    kept.add("a", {"steps": [], "values": [], "missing": 1})  # all was taken back
    assert kept.read()["a"] == {"steps": [], "values": [], "missing": 1}


PROCESS = """
import sys
from torch import distributed
from curvecast.while_training.telling import decides
rank, where = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{where}", rank=rank, world_size=2)
print([decides(rank == 0), decides(rank == 1), decides(True)])
distributed.destroy_process_group()
"""


def test_of_several_processes_all_follow_the_first(tmp_path, monkeypatch):
    """Whatever they think themselves; one alone decides itself, also without torch, as with Keras on JAX."""
    command = [sys.executable, "-W", "ignore", "-c", PROCESS]
    started = {"cwd": ROOT, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, str(rank), str(tmp_path / "meet")], **started) for rank in (0, 1)]
    assert [one.communicate(timeout=600)[0].strip() for one in both] == ["[True, False, True]"] * 2
    for torch_or_not in (torch, None):
        monkeypatch.setitem(sys.modules, "torch", torch_or_not)
        assert telling.decides(True) and not telling.decides(False)


def test_lightning_is_told_where_its_entry_point_is_and_asking_imports_nothing_heavy():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, name = project["entry-points"]["lightning.pytorch.callbacks_factory"]["curvecast"].split(":")
    assert getattr(importlib.import_module(module), name) is entry.callbacks
    heavy = "{'torch', 'numpy', 'lightning'}"
    program = f"import sys; from {module} import {name}; {name}(); print({heavy} & set(sys.modules))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_the_variable_there_is_no_callback_and_with_it_one(monkeypatch):
    for value in ("", "  "):
        monkeypatch.setenv(entry.VARIABLE, value)
        assert entry.callbacks() == []
    monkeypatch.delenv(entry.VARIABLE)
    assert entry.callbacks() == []
    told = {"metric": "loss", "best": 0.31, "act": True, "least": 3}
    assert entry.parsed("val_loss metric=loss best=0.31 act=true least=3") == ("val_loss", told)
    pytest.importorskip("lightning", reason="needs lightning: make adapters installs it")
    monkeypatch.setenv(entry.VARIABLE, "val_acc best=0.9")
    (callback,) = entry.callbacks()
    assert callback.watched.stopper.best == 0.9 and not callback.watched.act
    assert entry.VARIABLE in callback.state_key, "beside one of the user's own"


@pytest.mark.parametrize(
    "told", ["val_acc act=maybe", "val_acc best", "val_acc bset=1", "val_acc '", "val_loss", "acc delta=7"]
)
def test_what_a_variable_cannot_mean_is_told_and_adds_none(monkeypatch, capsys, told):
    """It keeps no Trainer from being made, whether Lightning is there or not."""
    monkeypatch.setenv(entry.VARIABLE, told)
    assert entry.callbacks() == []
    assert capsys.readouterr().err.startswith(f"curvecast: {entry.VARIABLE}={told}: ")
