"""Guards reproduce/practice/finished_bands on a small folder of MADE-UP curves: they are no measurement of anything."""

import numpy as np
import pandas as pd
import pytest

from curvecast.curves.tuning_and_test import side
from curvecast.forecasting import shipped
from curvecast.forecasting.finished_runs import Finished
from curvecast.forecasting.kept_promises import Draw
from curvecast.forecasting.normalise import METRICS, Scale
from reproduce._press import contract, drawing
from reproduce.practice.finished_bands import chosen, question
from reproduce.practice.finished_bands.with_finished import Case, Run, Task, survivors, tasks, worths
from tests.protocols.made_up_tables import Made, write

FILE = "deepobs_baselines.csv.gz"


def curve(seed, length=30):
    rng, x = np.random.default_rng(seed), np.arange(1.0, length + 1)
    return np.clip(0.85 - 0.6 * x ** -rng.uniform(0.4, 1.2) + rng.normal(0, 0.01, length), 0, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rising accuracies of one task, in forty groups of two runs, and two runs of another one."""
    tasks = [("a", f"group {i // 2}") for i in range(80)] + [("too few", "group 0")] * 2
    made = [Made(FILE, "made_up", *one, "test_accuracy", False, 1, curve(i)) for i, one in enumerate(tasks)]
    return write(tmp_path_factory.mktemp("made-up"), made)


def runs(values):
    return [
        Run(Scale(METRICS["accuracy"], 0.5), Finished(np.arange(1.0, len(v) + 1), np.array(v)))
        for v in values
    ]


def test_a_task_has_runs_of_one_side_and_enough_of_them(folder, monkeypatch):
    monkeypatch.setenv("CURVECAST_DATA", str(folder))
    count = {
        which: sum(side("made_up", f"group {i // 2}") == which for i in range(80))
        for which in ("look", "judge")
    }
    for which, n in count.items():
        (task,) = tasks("deepobs", which, 9, 60, 0)
        assert task.name == "a" and len(task.runs) == n
        assert len(next(tasks("deepobs", which, 9, 7, 0)).runs) == 7


def test_halving_leaves_those_that_were_better_when_it_looked():
    """Of four, the two that lead after a quarter, and of them the one that leads after a half."""
    flat = [0.1] * 8
    late = [0.1] * 6 + [0.9] * 2
    leads = [0.5] * 8
    falls = [0.6] * 2 + [0.2] * 6
    assert survivors(runs([flat, late, leads, falls])) == {2}


def test_a_run_is_never_its_own_evidence():
    """A run that is like no other keeps its bad forecast, however often it is in the task."""
    task = Task("t", "", runs([curve(i) for i in range(11)] + [np.r_[curve(50)[:10], np.full(20, 0.1)]]))
    cases = [Case(0), Case(11)]
    network, rng = shipped.load().network, np.random.default_rng(0)
    found = [
        (case.finished, told) for i, case, told in worths(network, task, 0.33, cases, 12, rng) if i == 11
    ]
    assert [n for n, _ in found] == [0, 11] and all(told.in90 < 0.5 for _, told in found)


def test_a_case_without_enough_runs_is_left_out():
    task = Task("t", "", runs([curve(i) for i in range(8)]))
    network, rng = shipped.load().network, np.random.default_rng(0)
    found = list(worths(network, task, 0.2, [Case(0), Case(7), Case(8), Case(5, survivors=True)], 2, rng))
    assert {(case.finished, case.survivors) for _, case, _ in found} == {(0, False), (7, False)}


def test_a_task_is_one_vote():
    """However many shares of it were seen: two tasks, one of which has four times the rows."""
    line = {
        "source": "s",
        "who": "any run",
        "whom": "any run",
        "finished": 5,
        "in50": 0.5,
        "width": 1.0,
        "ratio": 1.0,
    }
    rows = pd.DataFrame(
        [line | {"task": "a", "seen": s, "in90": 1.0} for s in (10, 20, 40, 80)]
        + [line | {"task": "b", "seen": 10, "in90": 0.5}]
    )
    assert question.by_task(rows)["in90"].mean() == pytest.approx(0.75)


def test_the_rule_takes_the_best_of_the_honest_and_the_most_even_shape():
    def line(n, mean, spread, shape, in90, ratio):
        return {
            "source": "s",
            "finished": n,
            "mean": mean,
            "spread": spread,
            "shape": shape,
            "in90": in90,
            "ratio": ratio,
        }

    rows = pd.DataFrame([
        line(5, 1.0, 2.0, 10.0, 0.80, 0.5), line(5, 3.0, 5.0, 10.0, 0.90, 0.9), line(5, 6.0, 5.0, 10.0, 0.90, 0.8),
        *(line(10, 3.0, 5.0, 3.0, held, 1.0) for held in (0.80, 1.0)), line(10, 3.0, 5.0, 30.0, 0.92, 1.0),
    ])  # fmt: skip
    assert chosen.draw(rows) == Draw(6.0, 5.0, 30.0)


def test_the_library_has_what_the_published_rows_choose():
    """The strengths are a constant of the library, and the question shows where it comes from."""
    rows, _ = drawing.rows_on_disk(contract.load("finished_bands"), "laptop", contract.ROOT / "figures")
    assert chosen.draw(rows["draws"]) == Draw()
