"""Guards reproduce/language/curve_tokens.py: inputs of all kinds are among those written, and a lossy text is found out."""

from types import SimpleNamespace

import numpy as np

from curvecast.language.changes import Changes
from reproduce.language.curve_tokens import inputs_of_all_kinds, same_again, task_by_task

LEVELS = Changes(np.linspace(0, 1, 9))


def test_inputs_hold_levels_nan_infinities_and_nothing_at_all():
    inputs = list(inputs_of_all_kinds(LEVELS, 400, 0))
    values = np.concatenate(inputs)
    assert np.isnan(values).any() and np.isinf(values).any() and min(map(len, inputs)) == 0
    assert 0.6 < np.isin(values, LEVELS.levels).mean() < 0.85


def test_all_come_back_and_a_text_that_rounds_is_counted_as_other():
    inputs = list(inputs_of_all_kinds(LEVELS, 300, 1))
    assert same_again(LEVELS, inputs, at_once=70) == 300

    class Rounding(Changes):
        def encode(self, values):
            return super().encode(self.rounded(values))

    assert same_again(Rounding(LEVELS.levels), inputs) < 200


def test_halves_of_real_runs_share_at_most_one_task():
    runs = [SimpleNamespace(task=task, values=np.full(20, 0.1 * task), low=0.0, high=1.0, minimise=False)
            for _ in range(7) for task in range(1, 6)]  # fmt: skip
    tasks = [round(10 * float(one[0])) for one in task_by_task(runs, 25, seed=0)]
    assert len(tasks) == 25 and all(tasks.count(task) == 5 for task in range(1, 6))
    assert len(set(tasks[:12]) & set(tasks[12:])) == 1
