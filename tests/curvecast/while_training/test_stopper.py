"""Guards the Stopper, its check and what stands between it and a training: right advice, and no fault ends a training."""

import json
import math
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

import curvecast
from curvecast.forecasting.finished_runs import MOST, EndedRun
from curvecast.ground.errors import UserError
from curvecast.ground.progress import interval
from curvecast.while_training.check import Telling, beats, beside_a_log, check_run, decides, never_harm
from curvecast.while_training.stopper import Stopper
from curvecast.while_training.watched import Kept, Watched, WholeRuns
from tests.curvecast.refusals import refuses

RISING = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57, 0.58, 0.59]


def fed(values=RISING, **how) -> tuple[Stopper, list[str], list[bool]]:
    """A stopper that has seen these values at steps 1, 2, ...; what it told, and what it answered."""
    lines: list[str] = []
    stopper = Stopper(**{"horizon": 50, "tell": lines.append} | how)
    answers = []
    for step, value in enumerate(values, 1):
        stopper.observe(step, value)
        answers.append(stopper.should_stop())
    return stopper, lines, answers


def run(values=RISING, **how):
    return curvecast.forecast(values, horizon=50, check=False, **how)


@pytest.mark.parametrize("best", [0.6, 0.7, 0.8, None])
def test_hopeless_is_where_no_later_step_has_a_chance_above_delta(best):
    """The paper's rule: the target counts the run's own values; at a delta just below the largest chance there is hope."""
    chance = max(run().prob_above(max(best or 0, max(RISING))))
    assert check_run(run(), best, chance).hopeless and not check_run(run(), best, chance - 1e-6).hopeless


@pytest.mark.parametrize(("ends", "said"), [
    ((0.68, 0.71, 0.74), "0.71 ± 0.03"), ((0.1, 0.2, 0.296), "0.20 ± 0.10"), ((100, 1200, 2300), "1200 ± 1100"),
    ((0.28, 1.42, 5.41), "1.4 [0.3, 5.4]"), ((0.7151, 0.9706, 1.0), "0.97 [0.72, 1.00]"), ((0.5, 0.5, 0.5), "0.5"),
])  # fmt: skip
def test_an_interval_has_the_digits_that_it_bears_and_of_a_lopsided_one_both_ends_are_told(ends, said):
    """A loss of 1 ± 3 could be negative."""
    assert interval(*ends) == said


def test_a_line_says_when_the_run_reaches_a_target():
    _, lines, _ = fed(best=0.65, target=0.62)
    assert f"; reaches {run().when(0.62)}" in lines[-1] and "0.62: " in lines[-1] and "by step" in lines[-1]
    assert "; 0.3 was reached at step 1" in fed(best=0.65, target=0.3)[1][-1]
    refuses("the target is 1.5", Stopper, target=1.5)


def test_less_is_better_turns_all_round():
    up, down = check_run(run(), 0.7, 0.05), check_run(run([1 - y for y in RISING], metric="error"), 0.3, 0.05)
    turned = [down.chance, 1 - down.low, 1 - down.end, 1 - down.high]
    assert turned == pytest.approx([up.chance, up.high, up.end, up.low], abs=1e-4)
    low, high = run().interval(0.9)
    assert (up.low, up.high) == pytest.approx((low[-1], high[-1]))
    assert beats(run(), 1.0) == beats(run(), 1.0 + 1e-9) == 0, "the bound is never beaten"


def test_it_says_what_a_forecast_says():
    stopper, lines, _ = fed(best=0.65)
    check = stopper.check()
    assert check.chance == run().prob_beats(0.65) and check.end == run().median[-1]
    assert stopper.forecast().median.tolist() == run().median.tolist()
    assert lines[-1].startswith("curvecast: step 8: will end at 0.6") and "to beat 0.65" in lines[-1]


def test_by_default_it_never_stops():
    _, lines, answers = fed(best=0.95)
    assert not any(answers) and lines[-1].endswith(": could stop now")
    stopper, lines, answers = fed(best=0.95, act=True)
    assert answers[-1] is True and lines[-1].endswith(": stopped")
    assert stopper.should_stop() and len(lines) == 4
    assert not any(fed(best=0.6, act=True)[2]), "with a chance to win it goes on"


def test_nothing_is_said_before_enough_was_seen_nor_between_two_looks_nor_at_the_horizon():
    _, lines, answers = fed(best=0.6, act=True, delta=0.999, least=4, every=3)
    assert answers == [False, False, False, True, True, True, True, True]
    assert [line.split(":")[1] for line in lines] == [" step 4", " step 7"]
    stopper, lines, answers = fed(horizon=6, best=0.95, act=True)
    assert answers == [False, False, False, False, True, False, False, False]
    assert [line for line in lines if "the horizon 6 is before the last step 7" in line] == lines[1:]
    assert stopper.forecast() is None and stopper.check() is None


def test_the_best_of_other_runs_is_the_target():
    others = [RISING, [0.2, math.nan, 0.93]]
    for how in ({"others": others}, {"best": 0.93}, {"best": 0.93, "others": [RISING]}):
        assert fed(**how)[0].check().target == 0.93
    for runs in ([[2.0, 1.5]], np.array([[2.0, 1.5]])):
        assert Stopper(others=runs, metric="loss").best == 1.5
    check = fed(best=0.4)[0].check()
    assert check.own and check.target == 0.59
    stopper, lines, _ = fed(best=0.95, act=True)
    stopper.best = 95
    stopper.observe(9, 0.6)
    assert not stopper.should_stop() and "the number to beat is 95: give one from 0 to 1" in lines[-1]


def test_one_run_alone_ends_when_it_will_not_improve_and_never_while_it_leads_others():
    """As with early stopping; `best`, or `others` that are still none, say that others are or will be."""
    peaks = [0.5, 0.6, 0.7] + [0.2] * 9
    assert fed(peaks, act=True, doubtful=True)[2][-1]
    for how in ({"best": 0.7}, {"best": 0.2}, {"others": []}):
        assert not any(fed(peaks, act=True, **how)[2])


def test_a_value_or_a_step_that_is_none_is_left_out_and_told_once_and_numbers_of_every_library_count():
    for value in (math.nan, math.inf, None, "0.5", [0.1, 0.2], np.zeros(3), torch.zeros(2), 93.0):
        stopper, lines, _ = fed([*RISING[:6], value, value, *RISING[6:]], best=0.95)
        assert stopper.values == RISING and stopper.missing == 2 and stopper.steps[-2:] == [9, 10]
        (told,) = (line for line in lines if "ignored" in line)
        assert told.startswith("curvecast: step 7 has ") and told.isprintable()
    for step in (-1, math.nan, None, "three"):
        stopper, lines, _ = fed()
        stopper.observe(step, 0.5)
        assert stopper.values == RISING and "not a step" in lines[-1]
    for value in (np.float32(0.5), torch.tensor(0.5), torch.tensor([0.5]), np.array([0.5])):
        stopper, lines, _ = fed([value])
        assert stopper.values == [0.5] and not lines
    _, lines, _ = fed([0.9, 0.7, 0.6, 0.55, 0.5, 0.48, 0.45])
    (told,) = (line for line in lines if "minimise" in line)
    assert "gets worse and worse: if lower is better, set minimise=True" in told


def test_a_run_that_is_resumed_replaces_what_came_after():
    stopper, lines, _ = fed()
    for step in (4, 5, 3, 3):
        stopper.observe(step, 0.6)
    assert (stopper.steps, stopper.values) == ([1, 2, 3], [0.31, 0.42, 0.6])
    (told,) = (line for line in lines if "resumed" in line)
    assert told == "curvecast: step 4 comes after step 8: treated as a resumed run, whose new values count"


def test_its_state_survives_as_json():
    stopper, _, _ = fed(best=0.7, bounds=(-math.inf, 1))
    state = json.loads(json.dumps(stopper.state_dict(), allow_nan=False))
    again = Stopper(50, bounds=(-math.inf, 1), tell=lambda _: None)
    again.load_state_dict(state)
    for one in (stopper, again):
        one.observe(9, 0.6)
    assert again.check() == stopper.check() and again.best == 0.7


def test_what_surrounds_a_training_changes_nothing():
    plain = fed(best=0.7)[0].check()
    before = torch.random.get_rng_state(), np.random.get_state()[1].tolist()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.autocast("cpu", torch.bfloat16), torch.device("meta"), torch.no_grad():
            assert fed(best=0.7)[0].check() == plain
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(torch.random.get_rng_state(), before[0])
    assert np.random.get_state()[1].tolist() == before[1]


def test_finished_runs_calibrate_its_bands():
    ended = [[0.9 - 0.6 * 0.9**t - 0.01 * k for t in range(1, 51)] for k in range(6)]
    calibrated = fed(finished=ended)[0].forecast()
    assert calibrated.finished == 6
    assert calibrated.median.tolist() == run(finished=ended).median.tolist() != run().median.tolist()
    _, lines, answers = fed(finished=[[0.1, 0.2, 0.3]], act=True)
    assert not any(answers) and len(lines) == 1 and "finished run 1 ends at step 3" in lines[0]


def test_a_hopeless_run_with_a_doubtful_forecast_goes_on_unless_asked_for_and_is_told_why(monkeypatch):
    late = [0.1, 0.101, 0.102] * 4
    _, lines, answers = fed(late, best=0.78, act=True)
    assert not any(answers) and "; but it has hardly moved yet, " in lines[-1]
    assert lines[-1].endswith(": should go on")
    _, lines, answers = fed(late, best=0.78, act=True, doubtful=True)
    assert answers[-1] and "it has hardly moved yet" in lines[-1] and lines[-1].endswith(": stopped")
    monkeypatch.setattr("curvecast.forecasting.forecast.doubts.chance", lambda z: [1e-300])
    stopper, lines, _ = fed(best=0.95)
    assert stopper.check().hopeless and lines[-1].endswith("do not trust the intervals: should go on")
    stopper.best = 0.5
    stopper.observe(9, 0.6)
    assert not stopper.should_stop() and not stopper.check().hopeless and "trust" not in lines[-1]


ROOT = Path(__file__).resolve().parents[3]
RISES = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57]


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
def test_an_exception_is_a_sentence_told_once_and_whoever_ends_the_program_ends_it(error, sentence):
    lines = []
    advises = Advises(error, lines.append)
    assert [advises.decide() for _ in range(3)] == [False, False, False]
    assert len(lines) == 1 and sentence in lines[0]
    assert Advises(error, lambda _: 1 / 0).decide() is False, "where standard error is closed"
    for end in (KeyboardInterrupt, SystemExit):
        with pytest.raises(end):
            Advises(end, print).decide()


def test_a_complaint_is_told_once_and_lines_each_time_but_beside_a_log_the_first_of_a_hopeless_run(capsys):
    """Complaints are warnings there: who reads warnings alone learns of what went wrong."""
    telling = Telling()
    for _ in range(2):
        telling.once("value", "is NaN")
        telling.line("step 1")
    assert capsys.readouterr() == ("", "curvecast: is NaN\n" + 2 * "curvecast: step 1\n")
    log, warnings = [], []
    telling = beside_a_log(None, log.append, warnings.append)
    for name, hopeless in (("a", False), ("a", True), ("a", True), ("b", True)):
        telling.check(name, f"{name} is {hopeless}", hopeless)
    telling.once("value", "is NaN")
    assert (log, warnings) == (["curvecast: a is True", "curvecast: b is True"], ["curvecast: is NaN"])


def test_no_name_of_a_run_reaches_the_terminal_as_a_command():
    lines = []
    Telling(lines.append).line("run \x1b[2J\n" + 9_999 * "a")
    assert lines[0].startswith("curvecast: run ?[2J?a") and len(lines[0]) == 500


def watched(logs, end=50, **how):
    lines = []
    one = Watched("acc", how | {"tell": lines.append})
    answers = [one.decide(lambda s=s: s, lambda: end, log) for s, log in enumerate(logs, 1)]
    return one.stopper, lines, answers


def test_a_value_by_its_name_has_the_horizon_of_the_training_unless_told_and_what_is_not_there_is_told_once():
    ends = [(50, {}, 50), (50, {"horizon": 30}, 30), *((none, {}, 100) for none in (None, 0, -1, math.inf))]
    for end, how, expected in ends:
        stopper, *_ = watched([{"acc": y, "loss": 1} for y in RISES], end, **how)
        assert stopper.values == RISES and stopper.check().horizon == expected
    _, lines, answers = watched([{"acc_top5": 1, "loss": 2}] * 3 + [{}], act=True)
    assert lines == ["curvecast: 'acc' is not among the logged values (acc_top5, loss): nothing to forecast"]
    assert not any(answers)


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


def test_of_threads_that_bring_the_same_run_at_once_one_counts(monkeypatch):
    """As Optuna's `n_jobs` does."""
    whole, both = WholeRuns(), threading.Barrier(2)
    monkeypatch.setattr(
        "curvecast.while_training.watched.EndedRun", lambda run: (both.wait(60), EndedRun(run))[1]
    )
    threads = [threading.Thread(target=whole.add, args=("a", ended())) for _ in range(2)]
    for each in (threading.Thread.start, threading.Thread.join):
        for thread in threads:
            each(thread)
    assert len(whole._latest) == 1


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
    refuses("remove it, or name another file", lambda: Kept(tmp_path / "run.json").read())
    assert (tmp_path / "run.json").read_text() == text


def test_what_was_kept_is_read_and_nothing_is_written_twice(tmp_path):
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
from curvecast.while_training.check import decides
rank, where = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{where}", rank=rank, world_size=2)
print([decides(rank == 0), decides(rank == 1), decides(True)])
distributed.destroy_process_group()
"""


@pytest.mark.slow
def test_of_several_processes_all_follow_the_first(tmp_path, monkeypatch):
    command = [sys.executable, "-W", "ignore", "-c", PROCESS]
    started = {"cwd": ROOT, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*command, str(rank), str(tmp_path / "meet")], **started) for rank in (0, 1)]
    assert [one.communicate(timeout=600)[0].strip() for one in both] == ["[True, False, True]"] * 2
    for torch_or_not in (torch, None):
        monkeypatch.setitem(sys.modules, "torch", torch_or_not)
        assert decides(True) and not decides(False)


@pytest.mark.parametrize(("make", "sentence"), [
    *((lambda how=how: Stopper(**how), sentence) for how, sentence in (
        ({"delta": 1.0}, "delta is 1.0"), ({"delta": "x"}, "give a number"), ({"least": 0}, "least is 0"),
        ({"every": 1.5}, "every is 1.5"), ({"every": True}, "every is"), ({"every": "3"}, "every is"),
        ({"metric": "f1"}, "metric 'f1' is unknown"), ({"best": math.nan}, "no finite number"),
        ({"horizon": math.inf}, "the horizon is inf"), ({"best": 78}, "the number to beat is 78: give one from 0 to 1"),
        ({"others": [[0.7], [70.0]]}, "the number to beat is 70"), ({"best": -1, "metric": "loss"}, "to beat is -1"),
        ({"others": [0.7, 0.8]}, "others is not a list of runs: give each run as a list"),
        ({"bounds": (1, 0)}, "the first must be below the second"),
        ({"finished": [[0.1, 0.2]], "finished_steps": [[1, 2, 3]]}, "finished run 1 has 2 values but 3 steps"),
        ({"schedule": "later"}, "give one of constant"))),
    (lambda: Stopper().load_state_dict(Stopper(metric="loss").state_dict()), "use the same metric, or start again"),
    *((lambda monitor=monitor: Watched(monitor, {}), "for two values use two callbacks")
      for monitor in (["acc", "loss"], None, "")),
    (lambda: Watched("eval_loss", {}), "'eval_loss' sounds as if lower were better: set metric='loss'"),
    *((lambda how=how, value=value: Stopper(**how).observe(1, value), f"the first value is {value:g}, outside 0 to")
      for how, value in (({}, 93.0), ({"metric": "loss"}, -2.0), ({"bounds": (0, 9)}, 10))),
])  # fmt: skip
def test_what_cannot_be_meant_is_refused_before_the_training(make, sentence):
    """A first value too, such as percent as accuracy; after NaN or a value that fits it is left out."""
    refuses(sentence, make)
    assert fed([math.nan, 93.0])[0].missing == 2
    assert Watched("eval_loss", {"metric": "loss"}).stopper.minimise
    assert not Watched("neg_loss", {"minimise": False}).stopper.minimise
