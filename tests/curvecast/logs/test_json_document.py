"""Guards curvecast/logs/json_document.py: documents as training tools write them, and a sentence for what is none."""

import json

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import complaint

HISTORY = {
    "best_metric": None,
    "log_history": [
        {"epoch": 1.0, "step": 50, "loss": 2.0},
        {"epoch": 1.0, "step": 50, "eval_accuracy": 0.5},
        {"epoch": 2.0, "step": 100, "loss": 1.5},
        {"epoch": 2.0, "step": 100, "eval_accuracy": 0.6},
        {"epoch": 2.0, "step": 100, "train_runtime": 9.9},
    ],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_the_state_of_a_trainer_is_a_run(indent):
    """On one line or on many; other keys are left out."""
    text = json.dumps(HISTORY, indent=indent)
    assert runs.parse(text, "a/trainer_state.json", value="eval_accuracy") == [
        Run("trainer_state", [50, 100], [0.5, 0.6])
    ]
    assert runs.parse(text, "log.json", step="epoch", value="loss") == [Run("log", [1, 2], [2.0, 1.5])]


def test_the_state_of_a_trainer_tells_its_planned_end():
    """In the unit of the steps that are read; what is no count stands for nothing."""
    text = json.dumps(HISTORY | {"max_steps": 500, "num_train_epochs": 10})
    for step, planned in (("step", 500), ("epoch", 10)):
        (run,) = runs.parse(text, "log.json", step=step, value="loss")
        assert run.planned == planned
    for odd in (-1, 0, None, True, "500", 1e300):
        (run,) = runs.parse(json.dumps(HISTORY | {"max_steps": odd}), "log.json", value="loss")
        assert run.planned is None


def test_lists_are_a_run_each():
    """Steps are counted, or given; null is a hole, which leaves its step among the rows."""
    document = {"val_accuracy": [0.4, None, 0.6], "accuracy": [0.5, 0.6, 0.7]}
    first, second = runs.parse(json.dumps(document), "history.json")
    assert first == Run("val_accuracy", [1, 3], [0.4, 0.6]) and first.rows == [1, 2, 3]
    assert second == Run("accuracy", [1, 2, 3], [0.5, 0.6, 0.7])
    nested = {"train": {"auc": [0.5]}, "valid": {"auc": [0.4, 0.6]}}  # as XGBoost keeps them
    assert runs.parse(json.dumps(nested), "evals.json")[1] == Run("valid-auc", [1, 2], [0.4, 0.6])
    stepped = document | {"epoch": [0, 5, 10]}
    assert runs.parse(json.dumps(stepped), "history.json", value="val_accuracy") == [
        Run("val_accuracy", [0, 10], [0.4, 0.6])
    ]


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        ([], {}, "is an empty list"),
        ([1, 2], {}, "entry 1 is no record: write objects such as"),
        ({"log_history": []}, {}, "is an empty list"),
        ({"log_history": 3}, {}, "is one JSON object without a list of values"),
        (HISTORY, {}, "has no 'value': pass --value with one of epoch, step, loss, eval_accuracy"),
        ([{"step": 1, "value": 0.5}, {"step": 1, "value": 0.6}], {}, "entry 2: run 'log' has step 1 twice"),
        ([{"step": 1, "value": "x"}], {}, "entry 1: 'x' of 'value' is not a number"),
        ({"a": [0.1, "x"]}, {}, "entry 2: 'x' of 'a' is not a number"),
        ({"a": [0.1, float("nan")]}, {}, "entry 2: run 'a' is NaN at step 2"),
        ({"a": []}, {}, "run 'a' has no value at all"),
        ({"a": [0.1]}, {"value": "b"}, "has no 'b': pass --value with one of a"),
        ({"a": [0.1]}, {"run": "a"}, "leave --run away"),
        ({"a": [0.1], "step": [1], "Step": [1]}, {}, "has several kinds of steps (step, Step)"),
        ({"a": [0.1, 0.2], "step": []}, {}, "'a' has more values than there are steps (0): write a step for each"),
        ({"a": [0.1], "step": [1], "epoch": [1]}, {"step": "epoch"}, "has a further list of steps, 'step': pass --value"),
        ({"step": [1]}, {}, "has no list beside 'step': add one a run"),
        ({"step": [1], "a": [0.1]}, {"value": "step"}, "has no list beside 'step'"),
        ('{"a": [0.1], "b": [0.2], "a": [0.3]}', {}, "has the key 'a' twice in one object: rename one"),
        ("[1, 2", {}, "line 1 is not a whole JSON object"),
        ("[" * 100_000, {}, "line 1 is not a whole JSON object"),
    ],
)  # fmt: skip
def test_what_is_no_log_is_one_sentence(document, options, expected):
    text = document if isinstance(document, str) else json.dumps(document)
    assert expected in complaint(text, **options)


def test_of_several_steps_one_is_taken_when_the_value_is_told():
    """Also another step, if that is what is asked for."""
    text = json.dumps({"a": [0.1, 0.2], "step": [50, 100], "epoch": [1, 2]})
    assert runs.parse(text, "log.json", step="epoch", value="a") == [Run("a", [1, 2], [0.1, 0.2])]
    assert runs.parse(text, "log.json", step="epoch", value="step") == [Run("step", [1, 2], [50, 100])]
