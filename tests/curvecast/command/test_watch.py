"""Guards `curvecast watch`: who will win, who could stop, each change of a log is seen, and no forecast is made twice."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from curvecast.__main__ import main
from curvecast.command import ranking, terminal, watch
from curvecast.command.ranking import Ranking
from curvecast.logs.checked_points import Run

LEVELS = {"a": 0.9, "b": 0.3, "c": 0.5}


@pytest.fixture
def logs(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, level in LEVELS.items():
        grow(folder / f"{name}.csv", level, 14)
    return folder


def grow(path, level, n):
    path.write_text("step,acc\n" + "".join(f"{i},{level * (1 - 0.8 / i):.4f}\n" for i in range(1, n + 1)))


@pytest.fixture
def lines(said):
    return lambda *words: [json.loads(line) for line in said("watch", *words, "--json").splitlines()]


def test_one_line_a_run_the_likely_winner_first_and_json_says_the_same(logs, said, lines):
    head, first, *_ = out = said("watch", logs, "--once", "--horizon", "50").splitlines()
    assert head.split()[:2] == ["run", "wins"] and first.startswith("a.csv  > 99 %")
    assert "2 of 3 runs could stop now, 67 % of the remaining steps." in out[-1]
    (look,) = lines(logs, "--once", "--horizon", "50")
    assert look["runs"][0]["name"] == "a.csv" and sorted(look["could_stop"]) == ["b.csv", "c.csv"]
    assert (look["steps_saved"], look["steps_to_come"], look["left_out"]) == (72, 108, {})


def test_the_stop_file_names_what_could_stop(logs, tmp_path):
    grow(logs / "done.csv", 0.2, 30)
    grow(logs / "two\nlines.csv", 0.25, 14)
    before = sorted((file.name, file.read_bytes()) for file in logs.iterdir())
    words = ["watch", str(logs), "--once", "--ends-at", "30", "--stop-file", str(tmp_path / "hopeless.txt")]
    assert main(words) == 0
    named = (tmp_path / "hopeless.txt").read_text().split("\n")
    assert sorted(named) == ["", "b.csv", "c.csv", "two\\nlines.csv"]
    assert sorted((file.name, file.read_bytes()) for file in logs.iterdir()) == before


def instead_of_sleep(monkeypatch, *todo):
    """These things happen, one between two looks, and then Ctrl-C."""
    steps = iter(todo)

    def sleep(_):
        try:
            step = next(steps)
        except StopIteration:
            raise KeyboardInterrupt from None
        step()

    monkeypatch.setattr(watch.time, "sleep", sleep)


def test_it_looks_again_and_speaks_where_something_has_changed(logs, monkeypatch, lines):
    grown, bad = lambda: grow(logs / "b.csv", 0.3, 20), lambda: (logs / "d.csv").write_text("step\n1\n")
    instead_of_sleep(monkeypatch, lambda: None, grown, bad)
    first, second, third = lines(logs, "--every", "1")
    assert {run["name"]: run["step"] for run in second["runs"]}["b.csv"] == 20
    assert first["left_out"] == {} and list(third["left_out"]) == ["d.csv"]


@pytest.mark.parametrize(("what", "failed"), [
    ("hopeless", {"b.csv", "c.csv"}), ("behind:c.csv", {"b.csv"}), ("behind:a.csv", {"b.csv", "c.csv"}),
    ("no-gain", {"fell.csv"}), ("nan", {"broke.csv"}),
])  # fmt: skip
def test_a_job_fails_with_status_3_and_a_line_of_json(logs, capsys, what, failed):
    if what == "no-gain":
        fell = "".join(f"{i},0.3\n" for i in range(2, 15))
        (logs / "fell.csv").write_text(f"step,acc\n1,0.95\n{fell}")
    if what == "nan":
        (logs / "broke.csv").write_text("step,acc\n1,0.1\n2,nan\n")
    assert main(["watch", str(logs), "--once", "--horizon", "50", "--fail-on", what]) == 3
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["failed"]
    assert {one["run"] for one in found} == failed and {one["fails"] for one in found} == {what}
    assert main(["watch", str(logs), "--once", "--horizon", "50", "--fail-on", "behind:b.csv"]) == 0
    both = ["--fail-on", what, "--fail-on", "behind:a.csv", "--stop-file", str(logs.parent / "stop.txt")]
    assert main(["watch", str(logs), "--once", "--horizon", "50", *both]) == 3
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["failed"]
    assert (
        failed | {"b.csv", "c.csv"} <= {one["run"] for one in found} and (logs.parent / "stop.txt").is_file()
    )


def test_a_run_that_has_ended_behind_its_baseline_fails_and_one_without_runs_beside_it_waits(
    logs, monkeypatch, capsys
):
    words = ["watch", str(logs), "--horizon", "14", "--fail-on", "behind:a.csv", "--every", "1"]
    assert main(words) == 3
    assert "has ended at its best, 0.2829, and a.csv has 0.8486" in capsys.readouterr().out
    for name in "bc":
        (logs / f"{name}.csv").unlink()
    instead_of_sleep(monkeypatch, lambda: None, lambda: grow(logs / "new.csv", 0.95, 14))
    assert main(words) == 0
    assert capsys.readouterr().out.count("has ended") == 3  # a.csv alone, then with the other one


def test_a_wrong_option_ends_a_watch_that_may_fail_and_a_baseline_may_come_later(logs, monkeypatch, capsys):
    instead_of_sleep(monkeypatch, lambda: grow(logs / "late.csv", 0.95, 14))
    assert main(["watch", str(logs), "--horizon", "50", "--fail-on", "nan", "--target", "7"]) == 2
    assert main(["watch", str(logs), "--horizon", "50", "--fail-on", "behind:late.csv", "--every", "1"]) == 3
    assert "behind:late.csv: there is no such run, but a.csv" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "text"), [
    ("config.json", '{"lr": 0.1, "epochs": 9}'), ("config.json", '{"lr": 0.1}\n'), ("config.json", '{\n"lr": 0.1\n}\n'),
    ("config.json", '{"lr": 0.1, "epochs": 9}\n'),
    ("b.csv", "step,acc\n1,0.3\n2,nan\n"), ("d.csv", "step,acc\n1,0.3\n2,nan\n"),
])  # fmt: skip
def test_a_watch_that_may_fail_ends_when_all_runs_have(logs, monkeypatch, capsys, file, text):
    """Whether all are equal at their end, and whatever lies beside them: settings, or a run that diverged."""
    grown = [path for path in logs.iterdir() if path.name != file]
    steps = [lambda path=path: grow(path, 0.5, 20) for path in grown]
    instead_of_sleep(
        monkeypatch, lambda: (logs / file).write_text(text), *steps, partial(pytest.fail, "it waits")
    )
    words = ["--horizon", "20", "--every", "1", "--delta", "0.001", "--fail-on", "no-gain"]
    assert main(["watch", str(logs), *words]) == 0
    assert "has ended" in capsys.readouterr().out
    assert main(["watch", str(logs), *words, "--fail-on", "behind:c.csv"]) == 0, "none is behind its equal"


def test_it_says_when_a_target_is_reached(logs, said, lines):
    first = said("watch", logs, "--once", "--horizon", "50", "--target", "0.8").splitlines()[1]
    assert first.split()[-4:-1] == ["reached", "at", "8"]
    (look,) = lines(logs, "--once", "--horizon", "50", "--target", "0.88")
    whens = {run["name"]: run["when"] for run in look["runs"]}
    assert whens["a.csv"]["by"]["50"] < 50 and whens["b.csv"]["chance"] == 0


def test_a_loss_is_not_taken_for_an_accuracy(logs, complaint):
    for name in LEVELS:
        (logs / f"{name}.csv").write_text("step,loss\n1,0.5\n")
    assert "pass --metric loss" in complaint("watch", logs, "--once")


@pytest.mark.parametrize(("words", "told"), [
    ("missing", "there is no folder missing to watch"), (". --every 0", "--every 0"), (". --top 0", "must be at least 1"),
    (". --delta 1", "--delta 1: give a probability"), (". --once", "contains no log that can be read"),
    (". --stop-file x.csv", "looks like a log"), (". --stop-file no/x", "cannot be written there"),
    (". --stop-file /dev/null", "not a regular file"),
    (". --ends-at 20 --horizon 30", "--horizon 30 is after --ends-at 20"),
    (". --fail-on slow", "'slow' is none of hopeless, nan, no-gain and behind:RUN"), (". --fail-on behind", "is none of"),
    (". --fail-on nan:", "'nan:' is none of"),
])  # fmt: skip
def test_what_cannot_be_meant_is_one_sentence(tmp_path, monkeypatch, complaint, words, told):
    monkeypatch.chdir(tmp_path)
    assert told in complaint("watch", *words.split())


@pytest.mark.parametrize(("words", "told"), [
    (("--fail-on", "behind:x.csv"), "there is no such run, but a.csv"), (("--target", "nan"), "the target"),
    (("--target", "2"), "the target is 2: give one from 0 to 1"),
])  # fmt: skip
def test_what_does_not_fit_the_runs_is_one_sentence(logs, complaint, words, told):
    assert told in complaint("watch", logs, "--once", "--horizon", "50", *words)


def test_runs_that_came_to_the_planned_end_are_shown_as_finished(logs, said, lines):
    grow(logs / "done.csv", 0.2, 30)
    out = said("watch", logs, "--once", "--ends-at", "30")
    (done,) = (line for line in out.splitlines() if line.startswith("done.csv"))
    assert done.split()[-2] == "finished" and "Intervals calibrated on 1 finished run." in out
    (look,) = lines(logs, "--once", "--ends-at", "30")
    assert {run["name"]: (run["finished"], run["finished_runs"]) for run in look["runs"]} == {
        "done.csv": (True, 0), "a.csv": (False, 1), "b.csv": (False, 1), "c.csv": (False, 1)
    }  # fmt: skip
    assert set(look["could_stop"]) == {"b.csv", "c.csv"}
    (look,) = lines(logs, "--once", "--ends-at", "30", "--no-finished")
    assert {run["finished_runs"] for run in look["runs"]} == {0}
    assert {run["name"] for run in look["runs"] if run["finished"]} == {"done.csv"}


def test_a_run_that_a_finished_one_repeats_could_not_stop_and_is_told_why_as_by_forecast(logs, lines):
    grow(logs / "again.csv", 0.3, 30)
    (look,) = lines(logs, "--once", "--ends-at", "30")
    doubts = {run["name"]: " ".join(run["warnings"]) for run in look["runs"]}
    assert "begins with the values of this run" in doubts["b.csv"] and look["could_stop"] == ["c.csv"]


def test_a_run_at_the_horizon_has_ended_and_nobody_says_that_it_has_finished(logs, said):
    """Where no end was planned, nobody knows whether it was stopped."""
    out = said("watch", logs, "--once", "--horizon", "14")
    assert out.count("has ended") == 3 and out.splitlines()[-1] == "All runs have ended."
    grow(logs / "far.csv", 0.2, 30)
    out = said("watch", logs, "--once", "--horizon", "30")
    (far,) = (line for line in out.splitlines() if line.startswith("far.csv"))
    assert far.split()[-3:-1] == ["has", "ended"] and "finished" not in out and out.count("has ended") == 1


def seen(monkeypatch, paths, *between) -> int:
    """How many changes are seen where these things happen, one between two checks."""
    count = 0
    instead_of_sleep(monkeypatch, *between)
    with contextlib.suppress(KeyboardInterrupt):
        for _ in terminal.changes([str(path) for path in paths], 1):
            count += 1
    return count


def test_a_forecast_comes_again_when_its_file_grows_and_half_a_line_is_none(tmp_path, said, monkeypatch):
    path = tmp_path / "log.csv"
    path.write_text("step,a\n1,0.3\n2,0.4\n")
    more = [lambda text=text: path.write_text(path.read_text() + text) for text in ("3,0.4", "5\n")]
    instead_of_sleep(monkeypatch, *more)
    out = said("forecast", path, "--watch", "1")
    assert out.count("   2   0.4 ") == 2 and "   3  0.45 " in out and "   3   0.4 " not in out


def test_of_a_folder_only_event_files_are_watched(tmp_path, monkeypatch):
    """What -o writes there would print for ever."""
    events = tmp_path / "a" / "events.out.tfevents.1"
    events.parent.mkdir()
    events.touch()
    assert seen(monkeypatch, [tmp_path], lambda: (tmp_path / "bands.csv").write_text("x")) == 1
    assert seen(monkeypatch, [tmp_path], lambda: events.write_text("more")) == 2
    assert seen(monkeypatch, [tmp_path], events.unlink) == 2


@pytest.mark.parametrize("names", [
    ("trainer_state.json",), ("trainer_state.json", "runs/x/events.out.tfevents.1"), ("run-1.wandb",),
    ("1/a/metrics/acc", "1/a/meta.yaml"),
])  # fmt: skip
def test_of_a_folder_all_that_is_read_is_watched(tmp_path, monkeypatch, names):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert seen(monkeypatch, [tmp_path], lambda: (tmp_path / names[0]).write_text("more")) == 2


def test_a_folder_that_goes_while_it_is_looked_at_is_a_change(tmp_path, monkeypatch):
    def goes(path):
        raise FileNotFoundError

    (tmp_path / "events.out.tfevents.1").touch()
    assert seen(monkeypatch, [tmp_path], lambda: monkeypatch.setattr(terminal.runs, "files_of", goes)) == 2


def test_each_file_is_watched_and_new_rows_beside_a_database_are_a_change(tmp_path, monkeypatch):
    paths = [tmp_path / "a.csv", tmp_path / "b.db"]
    for path in paths:
        path.touch()
    more = [lambda: paths[0].write_text("more"), lambda: (tmp_path / "b.db-wal").write_text("rows")]
    assert seen(monkeypatch, paths, *more, paths[0].unlink) == 4


def run(name: str, level: float, n: int = 12) -> Run:
    return logged(name, [level * (1 - 0.8 / step) for step in range(1, n + 1)])


def logged(name: str, values: list[float]) -> Run:
    steps = [float(step) for step in range(1, len(values) + 1)]
    return Run(name, steps, values, steps)


def ranked(runs, metric=("accuracy", None, None), horizon=50.0, delta=0.05, least=5, **how):
    return Ranking(metric, horizon, delta, least, **how).of(runs)


@pytest.fixture
def asked(monkeypatch):
    """The names of the runs of each forecast that is made."""
    asked, real = [], ranking.forecast
    noted = lambda *a, names, **k: asked.append(names) or real(*a, names=names, **k)  # noqa: E731
    monkeypatch.setattr(ranking, "forecast", noted)
    return asked


RUNS = [run("low", 0.3), run("high", 0.9), run("middle", 0.6)]


def test_the_leader_is_never_among_those_that_could_stop():
    """Also where it will hardly get better: what it has reached would be lost with it."""
    found = ranked([logged("flat", [0.9] * 30), run("low", 0.3)], delta=0.999)
    assert {one.run.name: one.hopeless for one in found} == {"flat": False, "low": True}


def test_a_run_that_has_shown_little_or_has_ended_could_not_stop():
    found = ranked([run("short", 0.2, 4), run("ended", 0.2, 50), run("high", 0.9)])
    assert not any(one.hopeless for one in found)
    assert {one.run.name: one.left for one in found}["ended"] == 0


def test_a_run_that_cannot_be_forecast_is_left_out_and_named_finished_or_not():
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    found = by_name(one.of([*ENDED, run("percent", 93.0, 20), *RUNS, run("many", 93.0)]))
    assert one.left_out.keys() == {"percent", "many"} and "outside 0 to 1" in one.left_out["many"]
    assert len(found) == 6 and found["low"].run.finished == 3


def test_without_a_horizon_all_go_as_far_as_the_longest_needs():
    assert {one.run.steps[-1] for one in ranked([*RUNS, run("long", 0.5, 80)], horizon=None)} == {160}


@pytest.mark.parametrize(("values", "doubt"), [
    ([0.5, 0.1] * 6, "do not trust the intervals"), ([0.1] * 12, "it has hardly moved yet"),
    ([0.7 - 0.05 * step for step in range(12)], "it falls, but higher is taken to be better"),
])  # fmt: skip
def test_a_run_whose_forecast_is_doubtful_could_not_stop_unasked_and_is_told_why(values, doubt):
    runs = [logged("odd", values), run("high", 0.95), run("low", 0.3)]
    assert by_name(ranked(runs, delta=0.8, doubtful=True))["odd"].hopeless
    found = ranked(runs, delta=0.8)
    told = by_name(found)
    assert told["odd"].beats <= 0.8 and not told["odd"].hopeless and told["low"].hopeless
    said = watch.told(found, {})
    (odd,) = (one for one in said["runs"] if one["name"] == "odd")
    assert "odd" not in said["could_stop"] and doubt in " ".join(odd["warnings"])
    shown = watch.table(found, {}, 30)
    assert doubt in shown and "doubtful" in shown and "1 of 3 runs could stop now" in shown


ENDED = [run("ended a", 0.8, 20), run("ended b", 0.75, 20), run("ended c", 0.2, 20)]


def by_name(found) -> dict[str, ranking.Standing]:
    return {one.run.name: one for one in found}


def test_a_log_that_knows_its_end_is_taken_at_its_word():
    runs = [replace(run("whole", 0.8, 20), planned=20.0), replace(run("short", 0.3, 10), planned=10.0), *RUNS]
    found = by_name(ranked(runs, horizon=None))
    assert found["short"].finished and found["whole"].finished and not found["short"].hopeless
    assert {found[one.name].run.finished for one in RUNS} == {1}
    assert found["low"].run.steps[-1] == 20


def test_only_what_has_grown_is_forecast_again_and_all_others_when_a_run_finishes(asked):
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    one.of([*ENDED[:2], *RUNS])
    del asked[:]
    grown = [RUNS[0], run("high", 0.9, 13), RUNS[2]]
    one.of([*ENDED[:2], *grown])
    assert asked == [["high"]]
    found = one.of([*ENDED, *grown])
    assert asked[1:] == [["ended c"], ["low", "high", "middle"]] and by_name(found)["low"].run.finished == 3


def test_a_finished_run_whose_log_was_rewritten_is_evidence_with_its_new_values():
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    before = by_name(one.of([*ENDED, *RUNS]))["middle"].run.median.tolist()
    again = [logged("ended a", [0.8] * 12 + [0.1] * 8), *ENDED[1:], *RUNS]
    found = by_name(one.of(again))["middle"].run
    afresh = by_name(ranked(again, horizon=None, ends_at=20.0))["middle"].run
    assert found.finished == 3 and found.median.tolist() == pytest.approx(afresh.median.tolist(), abs=1e-5)
    assert found.median.tolist() != pytest.approx(before, abs=1e-4)  # unlike the others, it moves little


def test_a_run_beyond_the_planned_end_is_left_out_and_named():
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=12.0)
    assert {s.run.name for s in one.of([*ENDED[:1], *RUNS])} == {"high", "middle", "low"}
    assert "run 'ended a' has reached step 20, after --ends-at 12" in one.left_out["ended a"]


@pytest.mark.slow
def test_the_job_script_of_the_page_ends_a_training_that_diverged(tmp_path):
    """As it is printed, but for the minute between two checks."""
    page = (Path(__file__).parents[3] / "docs" / "when-will-it-get-there.md").read_text()
    (script,) = (block for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL) if "--fail-on" in block)
    (tmp_path / "job.sh").write_text(textwrap.dedent(script).replace("--every 60", "--every 0.2"))
    (tmp_path / "train.py").write_text(
        "import sys, time\nopen(sys.argv[2], 'w').write('step,acc\\n1,0.2\\n2,nan\\n')\ntime.sleep(50)\n"
    )
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert shutil.which("curvecast", path=tools), "the command is not installed"
    begin = time.monotonic()
    done = subprocess.run(
        ["sh", "job.sh"], cwd=tmp_path, env=os.environ | {"PATH": tools}, capture_output=True, text=True
    )
    assert done.returncode == 128 + signal.SIGTERM and time.monotonic() - begin < 45
    assert json.loads(done.stdout)["failed"][0]["fails"] == "nan"


def test_hours_are_told_where_the_log_has_times(tmp_path, said, lines):
    """By the usual pace: the pause of a night is none. MLflow's folder has milliseconds."""
    metrics = tmp_path / "mlruns" / "0" / ("a" * 32) / "metrics"
    metrics.mkdir(parents=True)
    (metrics.parent / "meta.yaml").write_text(
        f"run_id: {'a' * 32}\nrun_name: slow\nlifecycle_stage: active\n"
    )
    values = (
        (i, 1800 * i + 40_000 * (i > 7), 0.9 * (1 - 0.8 / i)) for i in range(1, 15)
    )  # step, seconds, value
    (metrics / "acc").write_text("".join(f"{1000 * seconds} {value} {i}\n" for i, seconds, value in values))
    words = tmp_path / "mlruns", "--once", "--horizon", "50", "--target", "0.87"
    head, run, *_ = said("watch", *words).splitlines()
    assert "in hours" in head
    (look,) = lines(*words)
    when = look["runs"][0]["when"]
    assert when["seconds_a_step"] == 1800
    hours = ["–" if step is None else f"{(step - 14) / 2:.2g}" for step in when["by"].values()]
    assert re.split(r"\s{2,}", run.split("▁")[0].strip())[-1] == ", ".join(hours)
