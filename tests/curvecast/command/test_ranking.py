"""Guards curvecast/command/ranking.py: who will win, who could stop, and no forecast is made twice."""

from dataclasses import replace

import pytest

from curvecast import forecast
from curvecast.command import ranking
from curvecast.command.ranking import Ranking
from curvecast.logs.checked_points import Run


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
    monkeypatch.setattr(
        ranking, "forecast", lambda *a, names, **k: asked.append(names) or real(*a, names=names, **k)
    )
    return asked


RUNS = [run("low", 0.3), run("high", 0.9), run("middle", 0.6)]


def test_the_run_that_will_probably_win_comes_first():
    """Chances add up to one; the low ones could stop, and all of their steps would be saved; with an error others lead."""
    found = ranked(RUNS)
    assert found[0].run.name == "high" and sum(one.wins for one in found) == pytest.approx(1)
    told = {one.run.name: (one.hopeless, one.left) for one in found}
    assert told == {"high": (False, 38), "middle": (True, 38), "low": (True, 38)}
    assert ranked(RUNS, ("error", None, None))[-1].run.name == "high"


def test_the_leader_is_never_among_those_that_could_stop():
    """Also where it will hardly get better: what it has reached would be lost with it."""
    found = ranked([logged("flat", [0.9] * 30), run("low", 0.3)], delta=0.999)
    assert {one.run.name: one.hopeless for one in found} == {"flat": False, "low": True}


def test_a_run_that_has_shown_little_or_has_ended_could_not_stop():
    found = ranked([run("short", 0.2, 4), run("ended", 0.2, 50), run("high", 0.9)])
    assert not any(one.hopeless for one in found)
    assert {one.run.name: one.left for one in found}["ended"] == 0


def test_only_runs_that_have_grown_are_forecast_again(asked):
    one = Ranking(("accuracy", None, None), 50.0, 0.05, 5)
    one.of(RUNS)
    one.of([RUNS[0], run("high", 0.9, 13), RUNS[2]])
    assert asked == [["low", "high", "middle"], ["high"]]


def test_a_run_that_cannot_be_forecast_is_left_out_and_named():
    """Percent among accuracies: the others are ranked all the same."""
    one = Ranking(("accuracy", None, None), 50.0, 0.05, 5)
    found = one.of([*RUNS, run("percent", 93.0)])
    assert len(found) == 3 and "outside 0 to 1" in one.left_out["percent"]


def test_without_a_horizon_all_go_as_far_as_the_longest_needs():
    assert {one.run.steps[-1] for one in ranked([*RUNS, run("long", 0.5, 80)], horizon=None)} == {160}


def test_a_verdict_says_whether_it_can_be_trusted():
    """A run like none that the network knows is judged; others are not, which saves time."""
    found = by_name(ranked([logged("zigzag", [0.5, 0.1] * 6), run("high", 0.95)], delta=0.999))
    assert found["zigzag"].hopeless and ranking.unlike(found["zigzag"].run)
    assert "in_prior" not in found["high"].run.__dict__


ENDED = [run("ended a", 0.8, 20), run("ended b", 0.75, 20), run("ended c", 0.2, 20)]


def by_name(found) -> dict[str, ranking.Standing]:
    return {one.run.name: one for one in found}


def test_runs_at_the_planned_end_have_finished_and_calibrate_the_others():
    """As `forecast` does with them; they have nothing left, and could not stop."""
    found = by_name(ranked([*ENDED, *RUNS], horizon=None, ends_at=20.0))
    assert [found[one.name].finished for one in (*ENDED, *RUNS)] == [True] * 3 + [False] * 3
    assert all(found[one.name].left == 0 and not found[one.name].hopeless for one in ENDED)
    told = forecast(RUNS[2].values, finished=[one.values for one in ENDED], check=False)
    assert found["middle"].run.finished == 3
    assert found["middle"].run.median.tolist() == pytest.approx(told.median.tolist(), abs=1e-5)


def test_a_log_that_knows_its_end_is_taken_at_its_word():
    """Of several the largest counts for all; one that is at its own end has finished, and is no evidence for longer ones."""
    runs = [replace(run("whole", 0.8, 20), planned=20.0), replace(run("short", 0.3, 10), planned=10.0), *RUNS]
    found = by_name(ranked(runs, horizon=None))
    assert found["short"].finished and found["whole"].finished and not found["short"].hopeless
    assert {found[one.name].run.finished for one in RUNS} == {1}
    assert found["low"].run.steps[-1] == 20


def test_a_run_that_finishes_makes_all_others_be_forecast_again(asked):
    """And only them: those that had finished before are kept, as is what was found of them."""
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    one.of([*ENDED[:2], *RUNS])
    del asked[:]
    one.of([*ENDED[:2], *RUNS])
    assert asked == []
    found = one.of([*ENDED, *RUNS])
    assert asked == [["ended c"], ["low", "high", "middle"]] and by_name(found)["low"].run.finished == 3


def test_a_finished_run_whose_log_was_rewritten_is_evidence_with_its_new_values():
    """One that broke down calibrates as if it had never been otherwise."""
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    before = by_name(one.of([*ENDED, *RUNS]))["middle"].run.median.tolist()
    again = [logged("ended a", [0.8] * 12 + [0.1] * 8), *ENDED[1:], *RUNS]
    found = by_name(one.of(again))["middle"].run
    afresh = by_name(ranked(again, horizon=None, ends_at=20.0))["middle"].run
    assert found.finished == 3 and found.median.tolist() == pytest.approx(afresh.median.tolist(), abs=1e-5)
    assert found.median.tolist() != pytest.approx(before, abs=1e-4)  # unlike the others, it moves little


def test_a_finished_run_that_cannot_be_read_as_the_others_is_left_out_alone():
    """Percent among accuracies is neither ranked nor evidence."""
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=20.0)
    found = by_name(one.of([*ENDED, run("percent", 93.0, 20), *RUNS]))
    assert list(one.left_out) == ["percent"] and found["low"].run.finished == 3


def test_a_run_beyond_the_planned_end_is_left_out_and_named():
    one = Ranking(("accuracy", None, None), None, 0.05, 5, ends_at=12.0)
    assert {s.run.name for s in one.of([*ENDED[:1], *RUNS])} == {"high", "middle", "low"}
    assert "run 'ended a' has reached step 20, after --ends-at 12" in one.left_out["ended a"]
