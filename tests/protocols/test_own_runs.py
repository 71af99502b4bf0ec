"""Guards reproduce/protocols/own_runs.py: what stands in rows is what other questions get."""

import math

import pandas as pd

from reproduce.protocols.own_runs import own_runs

ROWS = {
    "runs": pd.DataFrame({
        "run": ["a", "b"], "learner": ["networks", "ada"], "task": "wine", "group": ["a", "b"], "seed": 1,
        "x": ["epoch", "tree"], "classes": 3, "guess": 0.4, "broke": [2.0, None], "settings": ['{"rate":0.1}', "{}"],
    }),
    "rows": pd.DataFrame({
        "run": ["a"] * 4 + ["b"] * 2, "step": [0, 1, 2, 3, 1, 2], "accuracy": [0.3, 0.5, 0.4, 0.4, 0.9, 0.8],
        "loss": [1.1, 0.9, 16.12, 16.12, 0.2, 0.3],
    }),
}  # fmt: skip


def test_a_run_has_its_values_its_bounds_and_its_settings():
    """The untrained value is no observation."""
    run = own_runs(ROWS, least=1)[2]
    assert (run.name, run.metric, run.low, run.high, run.minimise) == ("a", "loss", 0, math.inf, True)
    assert run.steps.tolist() == [1, 2, 3] and run.values.tolist() == [0.9, 16.12, 16.12]
    assert run.untrained == 1.1 and run.broke == 2 and run.settings == {"rate": 0.1} and run.classes == 3


def test_what_was_never_untrained_says_so():
    run = own_runs(ROWS, ("accuracy",), least=1)[1]
    assert run.untrained is None and run.broke is None and run.values.tolist() == [0.9, 0.8] and run.high == 1


def test_runs_that_are_too_short_are_left_out():
    assert [run.name for run in own_runs(ROWS, ("loss",), least=3)] == ["a"]
