"""Guards curvecast/logs/json_lines.py: one point a line, and every line that is none is named."""

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import complaint

LINES = """{"run": "a", "step": 1, "value": 0.5}
{"run": "b", "step": 1, "value": 0.25}

{"epoch": 9, "value": 0.6, "step": 2, "run": "a"}
"""


def test_json_lines_without_runs_are_one_run():
    """Called as the file is; other keys are left out, and so are lines without a point."""
    text = '{"epoch": 1, "loss": 0.5, "lr": 1}\n\n{"epoch": 2, "lr": 1}\n'
    text += '{"epoch": 3, "loss": null}\n{"epoch": 4, "loss": 1}\n'
    assert runs.parse(text, "a/log.jsonl", value="loss") == [Run("log", [1, 4], [0.5, 1])]


def test_json_keys_may_be_chosen():
    """All three."""
    text = '{"id": 7, "t": 1, "loss": 0.5}'
    assert runs.parse(text, "log.jsonl", run="id", step="t", value="loss") == [Run("7", [1], [0.5])]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ('{\n"step": 1}', {}, "is one JSON object without a list of values: write one object on each line"),
        (LINES + "{", {}, "line 5 is not a whole JSON object"),
        (LINES + '{"run": "a", "run": "b"}', {}, "line 5 has the key 'run' twice in one object"),
        (LINES + "[1]", {}, "line 5 is not a JSON object: write {"),
        ('{"a": ' + "[" * 200_000, {}, "line 1 is not a whole JSON object"),
        ('{"step": ' + "1" * 5000 + "}", {}, "line 1 is not a whole JSON object"),
        ('{"step": 1, "a": 2}', {}, "line 1 has no 'value': pass --value with one of step, a"),
        ('{"time": 1, "value": 2}', {}, "line 1 has no 'step': pass --step NAME with one of time, value"),
        ('{"step": 1, "value": 2}', {"value": "loss"}, "has no 'loss': pass --value with one of step, value"),
        (LINES + '{"step": 3, "value": 1}', {}, "line 5 has no 'run'"),
        (LINES + '{"run": "a", "value": 1}', {}, "line 5 has no 'step'"),
        ('{"step": 1, "value": 2}\n{"run": "a", "step": 2, "value": 2}', {}, "line 2 names a run, and line 1 does not"),
        ('{"run": "a", "step": 1, "value": "0.5"}', {}, "'0.5' of 'value' is not a number: write it in digits"),
        ('{"run": "a", "step": "1", "value": 1}', {}, "'1' of 'step' is not a number"),
        ('{"run": "a", "step": 1, "value": NaN}', {}, "line 1: run 'a' is NaN at step 1: a run that diverged?"),
        ('{"run": "a", "step": 1, "value": ' + "9" * 400 + "}", {}, "run 'a' is infinite"),
        ('{"run": true, "step": 1, "value": 1}', {}, "'run' is not a name: write text in quotes"),
        ('{"run": "a", "step": 1, "value": null}', {}, "run 'a' has no value at all"),
        (LINES + '{"run": "b", "step": 1, "value": 1}', {}, "line 5: run 'b' has step 1 twice"),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_read_is_one_sentence(text, options, expected):
    """What is wrong, where, and what to do."""
    assert expected in complaint(text, **options)
