"""Guards curvecast/command/ranking.py: who will win, who could stop, and no forecast is made twice."""

import pytest

from curvecast.command import ranking
from curvecast.command.ranking import Ranking
from curvecast.logs.checked_points import Run


def run(name: str, level: float, n: int = 12) -> Run:
    return logged(name, [level * (1 - 0.8 / step) for step in range(1, n + 1)])


def logged(name: str, values: list[float]) -> Run:
    steps = [float(step) for step in range(1, len(values) + 1)]
    return Run(name, steps, values, steps)


def ranked(runs, metric=("accuracy", None, None), horizon=50.0, delta=0.05, least=5):
    return Ranking(metric, horizon, delta, least).of(runs)


RUNS = [run("low", 0.3), run("high", 0.9), run("middle", 0.6)]


def test_the_run_that_will_probably_win_comes_first():
    """Chances add up to one; the low ones could stop, and all of their steps would be saved."""
    found = ranked(RUNS)
    assert next(one.run.name for one in found) == "high"
    assert sum(one.wins for one in found) == pytest.approx(1)
    assert {one.run.name: (one.hopeless, one.left) for one in found} == {
        "high": (False, 38), "middle": (True, 38), "low": (True, 38)}  # fmt: skip


def test_the_leader_is_never_among_those_that_could_stop():
    """Also where it will hardly get better: what it has reached would be lost with it."""
    found = ranked([logged("flat", [0.9] * 30), run("low", 0.3)], delta=0.999)
    assert {one.run.name: one.hopeless for one in found} == {"flat": False, "low": True}


def test_a_run_that_has_shown_little_or_has_ended_could_not_stop():
    found = ranked([run("short", 0.2, 4), run("ended", 0.2, 50), run("high", 0.9)])
    assert not any(one.hopeless for one in found)
    assert {one.run.name: one.left for one in found}["ended"] == 0


def test_less_is_better_turns_the_order():
    """As far as the leader, who is now another."""
    assert [one.run.name for one in ranked(RUNS, ("error", None, None))][-1] == "high"


def test_only_runs_that_have_grown_are_forecast_again(monkeypatch):
    asked = []
    real = ranking.forecast
    monkeypatch.setattr(
        ranking, "forecast", lambda *a, names, **k: asked.extend(names) or real(*a, names=names, **k)
    )
    one = Ranking(("accuracy", None, None), 50.0, 0.05, 5)
    one.of(RUNS)
    one.of([RUNS[0], run("high", 0.9, 13), RUNS[2]])
    assert asked == ["low", "high", "middle", "high"]


def test_a_run_that_cannot_be_forecast_is_left_out_and_named():
    """Percent among accuracies: the others are ranked all the same."""
    one = Ranking(("accuracy", None, None), 50.0, 0.05, 5)
    found = one.of([*RUNS, run("percent", 93.0)])
    assert len(found) == 3 and "outside 0 to 1" in one.left_out["percent"]


def test_without_a_horizon_all_go_as_far_as_the_longest_needs():
    assert {one.run.steps[-1] for one in ranked([*RUNS, run("long", 0.5, 80)], horizon=None)} == {160}


def test_a_verdict_says_whether_it_can_be_trusted():
    """A run like none that the network knows is judged; others are not, which saves time."""
    found = {
        one.run.name: one
        for one in ranked([logged("zigzag", [0.5, 0.1] * 6), run("high", 0.95)], delta=0.999)
    }
    assert found["zigzag"].hopeless and ranking.unlike(found["zigzag"].run)
    assert "in_prior" not in found["high"].run.__dict__
