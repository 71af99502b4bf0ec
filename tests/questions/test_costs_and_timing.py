"""Guards questions that time programs: all are asked for what their rows say. Nothing is timed."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from reproduce.porting import beside
from reproduce.practice import callback_cost, in_browser, light, serving
from reproduce.practice.callback_cost import KINDS, Config, checks

# ---------------------------------------------------------------------------------------- a check while a run trains


@pytest.fixture
def forecasts(monkeypatch):
    """Those that a Stopper makes."""
    made, real = [], callback_cost.Stopper.forecast
    monkeypatch.setattr(callback_cost.Stopper, "forecast", lambda self: made.append(real(self)) or made[-1])
    return made


def test_a_training_is_checked_each_second(forecasts, monkeypatch):
    """By a clock of our own that runs a quarter of a second whenever it is read."""
    monkeypatch.setattr(callback_cost, "time", SimpleNamespace(perf_counter=count(step=0.25).__next__))
    rows = callback_cost.measure(Config(1, seen=(), training=2.0), "all")
    assert rows["task"].tolist() == ["training"] and rows["looks"].tolist() == [1]
    assert len(forecasts) == 2 * 2  # the first round warms up
    assert rows["seconds"].tolist() == [0.5] and rows["training"].tolist() == [pytest.approx(1.5)]


@pytest.mark.parametrize(
    ("words", "times"), [("", 0), (", still hopeless", 0), (", calibrated", 0), (", hopeless", 3)]
)
def test_only_a_run_that_becomes_hopeless_is_held_against_the_prior(words, times, monkeypatch):
    odd = []
    monkeypatch.setattr("curvecast.forecasting.forecast.belief.oddness", lambda *_: odd.append(1) or [0.0])
    checks(Config(looks=3), 10, KINDS[words])
    assert len(odd) == times


def test_with_finished_runs_the_intervals_are_calibrated_on_fifty(forecasts):
    checks(Config(looks=2), 10, KINDS[", calibrated"])
    assert [run.finished for run in forecasts] == [50, 50]


def test_the_first_run_computes_what_the_others_use(monkeypatch):
    """Of twenty runs one pays; where each is the first, two are timed and both pay."""
    paid, real = [], callback_cost.finished_runs.fell
    monkeypatch.setattr(callback_cost.finished_runs, "MOST", 8)  # fewer are sooner computed
    monkeypatch.setattr(callback_cost.finished_runs, "fell", lambda *told: paid.append(1) or real(*told))
    for words, times in ((", calibrated", 1), (", first calibrated", 2)):
        paid.clear()
        checks(Config(looks=20), 10, KINDS[words])
        assert len(paid) == times


# ----------------------------------------------------------------------------------------- installed alone, and served


def test_sizes_leave_out_what_every_environment_has(tmp_path):
    for name, size in {"curvecast": 3, "numpy": 5, "pip": 7, "setuptools": 9, "pip-25.dist-info": 11}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(size * 10_000))
    (tmp_path / "one.py").write_bytes(bytes(5_000))
    found = light.sizes_on_disk(tmp_path)
    assert (found["curvecast"], found["all"]) == (0.03, 0.085) and found["torch itself"] > 50


def test_a_command_that_fails_says_what_it_said():
    with pytest.raises(UserError, match="no such thing"):
        light.seconds_of([light.sys.executable, "-c", "raise SystemExit('no such thing')"])


Y = prior.test_set(3).noisy[:, :10].clamp(0, 1).double().numpy()


@pytest.mark.parametrize(
    ("module", "turn", "check", "given"),
    [
        (serving, lambda: serving.one_by_one(Y, None, True, "q"), True, Y),
        (serving, lambda: serving.one_by_one(Y, None, False, "mean"), False, Y),
        (serving, lambda: serving.in_one_call(Y, None, True), True, [Y]),
        (in_browser, lambda: in_browser.in_numpy(Y, 100), False, Y),
    ],
    ids=["quantiles", "mean", "at once", "beside the browser"],
)
def test_our_turns_forecast_what_they_are_given(module, turn, check, given, monkeypatch):
    """One curve after another or all in one call, as far as the other program, and checked where the row says so."""
    asked, real = [], module.forecast
    monkeypatch.setattr(module, "forecast", lambda y, **how: asked.append((y, how)) or real(y, **how))
    assert turn() > 0
    assert np.array_equal([y for y, _ in asked], given)
    assert all(how["check"] is check and how["horizon"] == 100 for _, how in asked)


def test_a_machine_without_a_browser_gets_a_sentence(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(in_browser.shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="no Chromium"), in_browser.live_page():
        pass


# ------------------------------------------------------------------------------------ the port beside its reference


class Program:
    """Answers at once, and keeps a list of who was asked."""

    def __init__(self, name, asked=None, files=()):
        self.name, self.asked, self.files = name, asked, files

    def ask(self, do, **_):
        if do == "code":
            return {"used": [{"file": file} for file in self.files]}
        self.asked.append(self.name)
        return {"seconds": 1.0}


def test_the_first_program_changes_every_round():
    """Whatever the first of a pair pays is paid by both."""
    asked: list[str] = []
    rows = beside.times({name: Program(name, asked) for name in ("port", "reference")}, [50], 1, 2)
    assert asked[::6] == ["reference", "port", "reference"]  # three things to time, two programs
    assert len(rows) == 2 * 3 * 2  # the round that warms up is not among them


def test_the_buckets_are_part_of_the_density():
    """Of the port two files, of the reference one: what is not the density is the network."""
    files = {"port": ("bars.py", "buckets.py", "port.py"), "reference": ("bar_distribution.py", "layer.py")}
    rows = beside.code({name: Program(name, files=own) for name, own in files.items()})
    assert rows["piece"].tolist() == ["density", "density", "network", "density", "network"]
