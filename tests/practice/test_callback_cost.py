"""Guards reproduce/practice/callback_cost.py: claims follow their rows, and each check makes a forecast. Nothing is timed."""

from itertools import count
from types import SimpleNamespace

import pandas as pd

from reproduce.practice import callback_cost
from reproduce.practice.callback_cost import Config

TASKS = [f"{seen} values{words}" for seen in (10, 100) for words in callback_cost.KINDS]


def timed(milliseconds: float) -> pd.DataFrame:
    """Rows of checks that take so long, and of a training of three seconds with three of them."""
    rows = []
    for number in range(1, 10):
        for task in TASKS:
            rows.append(
                {"task": task, "round": number, "looks": 40, "seconds": 0.04 * milliseconds, "training": 0.0}
            )
        inside = 3 * milliseconds / 1000
        rows.append({"task": "training", "round": number, "looks": 1, "seconds": inside, "training": 3.0})
    return pd.DataFrame(rows)


def test_four_milliseconds_meet_all_claims_and_twelve_none():
    assert all(claim.holds() for claim in callback_cost.claims(timed(4)))
    assert not any(claim.holds() for claim in callback_cost.claims(timed(12)))


def test_values_are_milliseconds_per_check_and_percent():
    assert [round(claim.value, 6) for claim in callback_cost.claims(timed(4))] == [4] * 10 + [0.4]


def test_each_look_makes_a_forecast(monkeypatch):
    """As many as the rows say, and one more to warm up; a training of half a second has one."""
    asked = []
    real = callback_cost.Stopper.forecast
    monkeypatch.setattr(
        callback_cost.Stopper, "forecast", lambda self: asked.append(len(self.values)) or real(self)
    )
    clock = count(step=0.001).__next__  # a core that is busy elsewhere would leave no time for any look
    monkeypatch.setattr(callback_cost, "time", SimpleNamespace(perf_counter=clock))
    monkeypatch.setattr(
        callback_cost.finished_runs, "MOST", 8
    )  # finished runs, beside which a look takes its time
    rows = callback_cost.measure(Config(1, 2, training=0.01), "all")
    assert asked == [*[10] * 9, *[100] * 9, 11] * 2
    assert rows["task"].tolist() == [*TASKS, "training"]


def test_the_check_of_a_verdict_is_made_of_runs_alone_that_become_hopeless(monkeypatch):
    checked = []
    monkeypatch.setattr(
        "curvecast.forecasting.forecast.belief.oddness", lambda *_: checked.append(1) or [0.0]
    )
    for words, times in (("", 0), (", still hopeless", 0), (", calibrated", 0), (", hopeless", 3)):
        callback_cost._looks(Config(looks=3), 10, callback_cost.KINDS[words])
        assert len(checked) == times


def test_with_finished_runs_the_intervals_are_calibrated_on_fifty(monkeypatch):
    found = []
    real = callback_cost.Stopper.forecast
    monkeypatch.setattr(callback_cost.Stopper, "forecast", lambda self: found.append(real(self)) or found[-1])
    callback_cost._looks(Config(looks=2), 10, callback_cost.KINDS[", calibrated"])
    assert [run.finished for run in found] == [50, 50]


def test_the_first_run_computes_what_the_others_use(monkeypatch):
    found = []
    real = callback_cost.finished_runs.scores
    monkeypatch.setattr(callback_cost.finished_runs, "scores", lambda *told: found.append(1) or real(*told))
    for words, times in ((", calibrated", 1), (", first calibrated", 2)):
        found.clear()
        callback_cost._looks(Config(looks=20), 10, callback_cost.KINDS[words])
        assert len(found) == times
