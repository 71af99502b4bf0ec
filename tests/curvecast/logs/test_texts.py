"""Guards what a text becomes: tables and JSON are runs, or a sentence that says what is wrong, where, and what to do."""

import json
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError, printable
from curvecast.logs import runs
from curvecast.logs.checked_points import Run, short
from curvecast.logs.columns import STEPS, Options
from curvecast.logs.direction import ask
from tests.curvecast.logs.made_logs import complaint
from tests.curvecast.refusals import refuses

AB = [Run("a", [1, 2], [0.5, 0.6]), Run("b", [1], [0.25])]
A = [Run("a", [1, 2], [0.5, 0.6])]
LOG = [Run("log", [1, 2], [0.5, 0.6])]
LINES = """{"run": "a", "step": 1, "value": 0.5}
{"run": "b", "step": 1, "value": 0.25}

{"epoch": 9, "value": 0.6, "step": 2, "run": "a"}
"""
HISTORY = [
    {"epoch": 1.0, "step": 50, "loss": 2.0}, {"epoch": 1.0, "step": 50, "eval_accuracy": 0.5},
    {"epoch": 2.0, "step": 100, "loss": 1.5}, {"epoch": 2.0, "step": 100, "eval_accuracy": 0.6, "train_runtime": 9.9},
]  # fmt: skip
TRAINER = json.dumps({"best_metric": None, "log_history": HISTORY}, indent=2)
SPREAD = "Step,a - acc,a - acc__MIN,a - acc__MAX,a - _step,a - _step__MIN\n1,0.5,0.4,0.6,1,1\n2,0.6,,,,\n"
TWO_STEPS = "epoch,step,a\n1,50,0.5\n2,100,0.6"
LISTS = '{"a": [0.5, 0.6], "step": [50, 100], "epoch": [1, 2]}'


def parse(text: str, **options) -> list[Run]:
    return runs.parse(text, "log.csv", **options)


@pytest.mark.parametrize(("text", "options", "expected"), [
    *((text, {}, AB) for text in (  # however they are written
        "step,a,b\n1,0.5,0.25\n2,0.6,\n", "step\ta\tb\n1\t0.5\t0.25\n2\t0.6\t", "STEP;a;b\n1;.5;2.5e-1\n2;+0.60;\n",
        "a,b,Epoch\r\n0.5,0.25,1\r\n0.6,,2\r\n", "\ufeffstep,a,b\r1,0.5,0.25\r2,0.6,\r",
        '"step", "a", "b"\n"1", "0.5", "0.25"\n 2 , 0.6 , \n', "\n\nstep,a,b\n\n1,0.5,0.25\n,,\n2,0.6,\n" + "\n" * 5000,
        "run,step,value\na,1,0.5\nb,1,0.25\na,2,0.6\n", "value;Run;epoch\n0.5;a;1\n0.25;b;1\n;b;2\n0.6;a;2\n",
        "run,step,value,epoch,note\na,1,0.5,1,x\nb,1,0.25,1,\na,2,0.6,1,nan\n", LINES, '{"a": [0.5, 0.6], "b": [0.25]}',
        '{"step": [1, 2], "a": [0.5, 0.6], "b": [0.25, null]}')),
    *((f"a,{name}\n0.5,1\n0.6,2", {}, A) for name in ("step", "Steps", "EPOCHS", "training_iteration", "iter", "_step")),
    ("epoch,Step,a\n7,1,0.5\n8,2,0.6", {"value": "a"}, A),  # step itself comes first
    ("t,a,b,time\n1,0.5,0.25,12:00\n2,0.6,,13:00", {"step": "t", "value": "b"}, AB[1:]),
    ("n,t,loss,x\na,1,0.5,x\nb,1,0.25,x\na,2,0.6,x", {"run": "n", "step": "t", "value": "loss"}, AB),
    ('"a"\n"0.5"\n 0.6\n\n\n', {}, A),  # a single column counts its rows
    ("0.5\n0.6", {}, LOG),
    ("Wall time,Step,Value\n1.7e9,1,0.5\n1.8e9,2,0.6", {}, LOG),  # TensorBoard's own download
    ("step;a\n1;0,5\n2;,6", {"decimal": ","}, A), ("0,5\n0,6", {"decimal": ","}, LOG),
    ("step  a \n  1  0.5\n2 0.6", {"sep": " "}, A), ("step|a\n1|0.5\n2|0.6", {"sep": "|"}, A),
    ("step\ta, b\n1\t0.5\n2\t0.6", {}, [Run("a, b", [1, 2], [0.5, 0.6])]),
    ('step;"a,b"\n1;0.5\n2;0.6', {}, [Run("a,b", [1, 2], [0.5, 0.6])]),
    ("step;1,5\n1;0.5\n2;0.6", {}, [Run("1,5", [1, 2], [0.5, 0.6])]),
    (SPREAD, {}, [Run("a - acc", [1, 2], [0.5, 0.6])]),  # what Weights & Biases adds is no run
    (SPREAD, {"value": "a - acc__MAX"}, [Run("a - acc__MAX", [1], [0.6])]),
    ("step,b__MIN,step__MIN\n1,2,3", {}, [Run("b__MIN", [1], [2]), Run("step__MIN", [1], [3])]),
    (TWO_STEPS, {"step": "epoch", "value": "a"}, A), (TWO_STEPS, {"value": "a"}, [Run("a", [50, 100], [0.5, 0.6])]),
    (TWO_STEPS, {"step": "epoch", "value": "step"}, [Run("step", [1, 2], [50, 100])]),
    ('{"id": 7, "t": 1, "loss": 0.5}', {"run": "id", "step": "t", "value": "loss"}, [Run("7", [1], [0.5])]),
    ('{"epoch": 1, "x": 0.5}\n{"epoch": 3, "x": null}\n{"epoch": 2}\n{"epoch": 2, "x": 0.6}', {"value": "x"}, LOG),
    (TRAINER, {"value": "eval_accuracy"}, [Run("log", [50, 100], [0.5, 0.6])]),
    (TRAINER, {"step": "epoch", "value": "loss"}, [Run("log", [1, 2], [2.0, 1.5])]),
    ('{"lr": 1}\n{"epoch": 1, "x": 0.5}\n{"epoch": 2, "x": 0.6}\n{"event": "done"}', {"value": "x"}, LOG),
    (LISTS, {"step": "epoch", "value": "a"}, A),
    (LISTS, {"step": "epoch", "value": "step"}, [Run("step", [1, 2], [50, 100])]),
    ('{"valid": {"auc": [0.5, 0.6]}}', {}, [Run("valid-auc", [1, 2], [0.5, 0.6])]),  # as XGBoost keeps them
])  # fmt: skip
def test_columns_and_keys_are_found_or_told(text, options, expected):
    assert parse(text, **options) == expected


def test_steps_of_each_data_set_are_no_runs_and_one_set_can_be_chosen_with_its_own():
    sets = json.dumps({name: {"step": [500, 1000], "loss": [0.5, 0.6]} for name in ("train", "val")})
    for how in ({}, {"value": "val-loss"}, {"step": "val-step"}):
        told = "has steps for each data set: pass --value and --step of one, such as --step train-step"
        assert told in complaint(sets, **how)
    assert parse(sets, value="val-loss", step="val-step") == [Run("val-loss", [500, 1000], [0.5, 0.6])]


def test_a_hole_leaves_its_step_among_the_rows():
    """A forecast then knows how far the log has come."""
    for text in ("step,a,b\n1,0.5,1\n2,,1\n3,0.6,1", '{"a": [0.5, null, 0.6], "b": [1, 1, 1]}'):
        first, _ = parse(text)
        assert (first.steps, first.values, first.rows, first.what) == ([1, 3], [0.5, 0.6], [1, 2, 3], "a")


@pytest.mark.parametrize("odd", [-1, 0, None, True, "500", 1e300])
def test_the_state_of_a_trainer_tells_its_planned_end(odd):
    told = {"log_history": HISTORY, "max_steps": 500, "num_train_epochs": 10}
    for step, planned in (("step", 500), ("epoch", 10)):
        assert parse(json.dumps(told), step=step, value="loss")[0].planned == planned
    assert parse(json.dumps(told | {"max_steps": odd}), value="loss")[0].planned is None


@pytest.mark.parametrize("case", [
    ("", "log.csv is empty: write a header such as step,a"), ("\ufeff \n\t\n\n", "log.csv is empty"),
    ("step,a\0\n", "log.csv is not a text file"), ("step,a,b", "log.csv: run 'a' has no value at all"),
    ("run,step,value\n", "log.csv has no values: write at least one row"),
    ("step\n1\n2", "has nothing beside 'step': add a column a run"),
    ("step,a,b\n1,1,1\n2,1,hello", "log.csv, line 3, column 'b': 'hello' is not a number: write a number, or leave"),
    ("step,a\n5,1\n6,nan", "line 3: run 'a' is NaN at step 6: cut the run before it if it diverged, or leave the"),
    ("step,a\n1,-1e999", "line 2: run 'a' is infinite at step 1"),
    ("step,a\nnan,1", "line 2: run 'a' has a step that is NaN: write"),
    ("step,a\n1e999,1", "line 2: run 'a' has a step that is infinite: write"),
    ("step,a\n-1,1", "line 2: run 'a' has step -1: steps count from 0"),
    ("step,a\n5,1\n5,1", "log.csv, line 3: run 'a' has step 5 twice: sort the rows; those of several"),
    ("run,step,value\na,5,1\nb,1,1\na,2.5,2", "line 4: run 'a' goes back from step 5 to step 2.5: sort"),
    ('#{"t_start": 1}\nr,l,t\nx,9,0.1', "line 3, column 'reward': 'x' is not a number"),
    ("step,a\n,2", "line 2 has no step: fill the column 'step'"),
    ("step,a\n1,2,3", "line 2 has 3 cells and the header 2: each row needs one cell a column"),
    ("step;a\n1,0.5", "line 2 is separated by ',' and the header by ';': take one of them"),
    ("step,a\n1\t0.5", "line 2 is separated by tabs and the header by ','"),
    ("step,a\n1;0,5", "line 2, column 'step': '1;0' is not a number: separate the cells of all rows"),
    ("t;a,b\n1;2,3", "has several separators in its header: pass --sep"),
    ("step;a\n1;0,53", "'0,53' is not a number: write 0.53, or pass --decimal ,"),
    (",,\nstep,a,b\n1,2,3", "line 1 has no names: write a header"), ("step,a, \n1,2,3", "column 3 has no name"),
    ("step,a,a \n1,2,3", "two columns are called 'a': rename"),
    ("step,value,Value\n1,2,3", "two columns are called 'value' and 'Value': rename"),
    ("1,2\n2,3", "line 1: '1,2' has numbers where names of columns should be"),
    ("a,b\n1,2", "has no 'step': pass --step NAME with one of a, b; if none of them counts steps, add one that does"),
    ("t,a,a__MIN,a__MAX\n1,2,2,2", "pass --step NAME with one of t, a;"),
    ("timestamp\tstep\tacc\n9\t1\t0.5", "also has times, 'timestamp': pass --value NAME with one of acc"),
    ("step,acc,lr\n1,0.5,0.1", "also has learning rates, 'lr': pass --value NAME with one of acc"),
    ("epoch,acc,took\n1,0.5,04:39", "'04:39' is not a number: write a number, or leave the cell empty; or choose"),
    ("step 0: loss 1.5, accuracy 0.5\n", "begins with a text, not with names of columns: take its numbers out"),
    ("9:05:07, 12 INFO started\n", "begins with a text"), ("s:0 loss:1.5\ns:1 loss:1.4", "if this is a text, take its"),
    ("epoch,iter,a\n1,1,2", "several kinds of steps (epoch, iter): pass --step"),
    ("epoch,step,a\n1,1,2", "two kinds of steps, 'step' and 'epoch': pass --step NAME and --value NAME"),
    ("run,step,loss\na,1,2", "has no column 'value': pass --value NAME with one of loss"),
    ("run,epoch,value,lr\na,1,2,3", "has further columns (lr): pass --step epoch to leave them out"),
    ("run,step,value\n ,1,2", "line 2 does not name its run"),
    ("loss\n0.5\nloss\n0.6", "line 3 has the header once more: after a restart write one"),
    ("loss\n0.5\n\n0.6", "line 3 is empty: without a column of steps every line is one step"),
    ('loss\n0.5\n""\n0.6', "line 3 is empty"), ("0.5\n93%", "write 0.93 or 93 instead of 93%"),
    ('step,a\n1,"2\n3,4', "line 2 cannot be split into cells (unexpected end of data): mend its quotes"),
    ("step,a\n1," + "1" * 200_000, "line 2 cannot be split into cells (field larger"),
    ("step,1_0\n1,1_000", "column '1_0': '1_000' is not a number: write the digits 0 to 9 with nothing between"),
    ("step,a\n1,١", "'١' is not a number"), ("step,a\n1,\x1b[31m", "'?[31m' is not a number"),
    ("run_id,k,value,step\nabc,acc,0.5,1", "if this column names the runs, pass --run run_id and --value NAME"),
    ("step,a,b\n1,N/A,0.5\n", "'N/A' is not a number: write a number, or leave the cell empty"),
    ("step," + ",".join(map(str, range(9999))), "has 9,999 runs: at most 1,000 at once"),
    ("t," + ",".join(map(str, range(2012))), "with one of t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2,001 more"),
    ('{\n"step": 1}', "is one JSON object without a list of values: write one object on each line"),
    (LINES + "{", "line 5 is not a whole JSON object"),
    (LINES + '{"run": "a", "run": "b"}', "line 5 has the key 'run' twice in one object"),
    (LINES + "[1]", "line 5 is not a JSON object: write {"),
    ('{"a": ' + "[" * 200_000, "line 1 is not a whole JSON object"),
    ('{"step": ' + "1" * 5000 + "}", "line 1 is not a whole JSON object"),
    ('{"step": 1, "a": 2}', "line 1 has no 'value': pass --value with one of step, a"),
    ('{"lr": 1}\n{"step": 1, "a": 2}', "line 1 has no 'value': pass --value with one of lr, step, a"),
    ('{"lr": 1}\n{"step": 1, "a": 2}', {"value": "b"}, "log.csv has no 'b': pass --value with one of lr, step, a"),
    ('{"lr": 1}', {"value": "b"}, "log.csv has no 'b': pass --value with one of lr"),
    ('{"time": 1, "value": 2}', "line 1 has no 'step': pass --step NAME with one of time, value"),
    (LINES + '{"step": 3, "value": 1}', "line 5 has no 'run'"),
    (LINES + '{"run": "a", "value": 1}', "line 5 has no 'step'"),
    ('{"step": 1, "value": 2}\n{"run": "a", "step": 2, "value": 2}', "line 2 names a run, and line 1 does not"),
    ('{"step": 1, "value": "0.5"}', "'0.5' of 'value' is not a number: write it in digits"),
    ('{"step": "1", "value": 1}', "'1' of 'step' is not a number"),
    ('{"step": 1, "value": ' + "9" * 400 + "}", "run 'log' is infinite"),
    ('{"run": true, "step": 1, "value": 1}', "line 1 does not name its run"), ("[]", "is an empty list"),
    ("[\n1, 2]", "entry 1 is no record: write objects such as"),
    ('{"log_history": 3}', "is one JSON object without a list of values"),
    (TRAINER, "has no 'value': pass --value with one of epoch, step, loss, eval_accuracy"),
    ('[{"step": 1, "value": 0.5}, {"step": 1, "value": 0.6}]', "entry 2: run 'log' has step 1 twice"),
    ('{"a": [0.1, "x"]}', "entry 2: 'x' of 'a' is not a number"),
    ('{"a": [0.1], "step": [1], "epoch": [1]}', "has two kinds of steps, 'step' and 'epoch': pass --step"),
    ('{"a": [0.1, 0.2], "step": []}', "'a' has more values than there are steps (0): write a step for each"),
    ('{"a": [0.1], "b": [0.2], "a": [0.3]}', "has the key 'a' twice in one object: rename one"),
    ("[" * 100_000, "line 1 is not a whole JSON object"),
    # an option that does not fit, with what would
    ("step,a\n1,2", {"step": "t"}, "has no 't': pass --step with one of step, a"),
    ("step,a\n1,2", {"value": "step"}, "has nothing beside 'step'"),
    ("run,step\na,2", {"value": "step"}, "must be three columns"),
    ("1\n2", {"value": "a"}, "is a number, so that no column is called 'a': write a header"),
    (TWO_STEPS, {"step": "epoch"}, "has two kinds of steps, 'epoch' and 'step'"),
    ("step,a\n1,2", {"decimal": ","}, "is separated by commas"),
    ("step;a\n1;0.5", {"decimal": ","}, "'0.5' is not a number: write 0,5, or leave --decimal away"),
    ("step;a\n1;0,5", {"sep": ","}, "line 2 has 2 cells and the header 1"),
    ('{"a": [0.1]}', {"value": "b"}, "has no 'b': pass --value with one of a"),
    ('{"a": [0.1]}', {"run": "a"}, "leave --run away"),
])  # fmt: skip
def test_a_text_that_cannot_be_read_is_one_sentence(case):
    text, *options, expected = case
    assert expected in complaint(text, **(options[0] if options else {}))


def tens(first: int, last: int) -> list[int]:
    return [*range(10 * first, 10 * last + 1, 10)]


@pytest.mark.parametrize(("steps", "left", "told"), [
    ([1, 2, 3, 4, 3, 4, 5], [1, 2, 3, 4, 5], "at step 3 after step 4 (line 6): its later values replace the earlier ones"),
    ([1, 2, 3, "step,a", 1, 2, 3, 4], [1, 2, 3, 4], "at step 1 after step 3 (line 6): only its last start is read"),
    ([*tens(1, 49), 10], [10], "at step 10 after step 490 (line 51): only its last start is read"),
    ([*8 * tens(1, 29), *tens(1, 9)], tens(1, 9), "8 times, at last at step 10 after step 290 (line 234): only its last"),
    ([*tens(1, 39), *tens(30, 99), *tens(0, 9)], tens(0, 9), "2 times, at last at step 0 after step 990 (line 111): only"),
])  # fmt: skip
def test_a_restart_replaces_what_was_logged_before_it_and_says_so(steps, left, told):
    rows = [step if isinstance(step, str) else f"{step},{line}" for line, step in enumerate(steps, 2)]
    (found,) = parse("\n".join(["step,a", *rows]))
    last = {step: float(line) for line, step in enumerate(steps, 2)}
    assert found.steps == left and found.values == [last[step] for step in left]
    (doubt,) = found.doubts
    assert doubt.startswith("was restarted ") and told in doubt


@pytest.mark.parametrize(("header", "rows", "how", "told"), [
    ("step,a", "{step},0.5", {}, "line 6: run 'a' begins 3 times and ends at step 4 each time: name several runs in a"),
    ("step,a,seed", "{step},0.5,{start}", {"value": "a"}, "run 'a' begins anew with another 'seed': pass --run seed if it"),
    ("run,step,metric,value", "a,{step},f{start},0.5", {}, "with another 'metric': write it into 'run' too if it tells runs"),
])  # fmt: skip
def test_runs_that_follow_one_another_without_a_name_of_their_own_are_no_restart(header, rows, how, told):
    lines = [rows.format(step=step, start=start) for start in range(3) for step in range(1, 5)]
    assert told in complaint("\n".join([header, *lines]), **how)
    same = [line.replace("f2", "f0").replace("f1", "f0").rsplit(",", 1)[0] + ",0.5" for line in lines[:-1]]
    assert parse("\n".join([header, *same]), **how)[0].steps == [1, 2, 3], "a last start that is not over"


@pytest.mark.parametrize("steps", [
    [*range(40, 0, -1)], sorted(range(1, 101), key=str), [1, *range(10, 13), *range(2, 10)],
    [*range(1, 90), 91, 90, *range(92, 99)], [*range(51, 101), *range(1, 51)],
    [*tens(1, 8), *tens(1, 12), *tens(9, 16), *tens(13, 24)], [*tens(1, 12), *tens(1, 8), *tens(13, 24), *tens(9, 16)],
    [step for block in range(5) for _ in "ab" for step in range(10 * block, 10 * block + 10)],
    [1, 2, 3] * 5, [*range(10)] * 102,
], ids=["down", "as texts", "few as texts", "swapped", "halves", "b8 a12", "a12 b8", "blocks", "short", "many"])  # fmt: skip
def test_rows_out_of_order_and_those_of_two_runs_are_no_restart(steps):
    for text in ("step,a\n{}", "run,step,value\n{}"):
        rows = "\n".join(f"{'a,' * text.startswith('run')}{step},0.5" for step in steps)
        assert "goes back from step " in complaint(text.format(rows))
        assert "sort the rows; those of several runs need a column 'run'" in complaint(text.format(rows))


@pytest.mark.parametrize(
    ("again", "left"), [(range(46, 49), 4), (range(1, 18), 1), (range(50, 52), 5), (range(1, 9), 0)]
)
def test_a_column_forgets_what_was_logged_before_a_restart_of_its_table(again, left):
    """Though it has had no value since then."""
    rows = [f"{s},{n},{n if s % 10 == 0 else ''}" for n, s in enumerate([*range(1, 61), *again])]
    dense, *sparse = parse("\n".join(["step,a,b", *rows]))
    assert dense.steps == dense.rows == [*range(1, again[-1] + 1)]
    assert dense.values[-len(again) :] == [*range(60, 60 + len(again))]
    told = f"was restarted at step {again[0]} after step 60 (line 62)"
    assert all(run.doubts[0].startswith(told) for run in (dense, *sparse))
    assert [len(run.steps) for run in sparse] == [left] * (left > 0)
    assert left or dense.doubts[1] == "left out, without a value since the restart: b"
    value = {"value": "b"}
    if not left:
        assert "'b' has no value at all since the restart" in complaint(
            "\n".join(["step,a,b", *rows]), **value
        )
        return
    assert parse("\n".join(["step,a,b", *rows]), **value) == sparse


def test_tables_one_below_the_other_are_no_restart():
    found = parse("step,a,b\n" + "".join(f"{step},0.5,\n" for step in (1, 2, 3)) + "1,,0.5\n2,,0.5\n")
    assert [run.steps for run in found] == [[1, 2, 3], [1, 2]] and not any(run.doubts for run in found)


@pytest.mark.parametrize(("steps", "left"), [
    ([*range(1, 41), *range(30, 61)], 60), ([*range(1, 41), 40, 41], 41), ([*range(1, 41), *range(1, 6)], 5),
    ([*range(1, 43)], None), ([*range(1, 43), 41, 42], None),
])  # fmt: skip
def test_a_run_that_goes_back_before_its_nan_has_not_diverged(steps, left):
    text = "step,a\n" + "".join(f"{s},{'nan' if n == 39 else 0.5}\n" for n, s in enumerate(steps))
    if left is None:
        assert "line 41: run 'a' is NaN at step 40" in complaint(text)
    else:
        (found,) = parse(text)
        assert found.steps == [*range(1, left + 1)] and {*found.values} == {0.5} and found.doubts


@pytest.mark.parametrize(("steps", "told"), [
    ([*range(1, 31), 30], "has step 30 twice (line 32): the later value counts"),
    ([1, 2, 3, 3, 4, 4, 5, 6], "has 2 steps twice, at last step 4 (line 7): the later value counts"),
    ([1, 2, 3, 4, 4, 4], "has step 4 twice (line 7): the later value counts"),
    ([1, 2, 3, 4, 4, 1], "was restarted at step 1 after step 4 (line 7): only its last start is read; if these "
     "are several runs, name them in a column 'run'"),
    ([1, 1, 2, 2, 3, 3], "line 3: run 'a' has step 1 twice: sort the rows; those of several runs need a column"),
])  # fmt: skip
def test_of_a_step_that_is_there_twice_the_later_value_counts_unless_each_is(steps, told):
    text = "step,a\n" + "".join(f"{step},{n}\n" for n, step in enumerate(steps))
    if "sort" in told:
        assert told in complaint(text)
        return
    (found,) = parse(text)
    last = {step: n for n, step in enumerate(steps) if step <= steps[-1]}
    assert (found.steps, found.values, found.doubts) == ([*last], [*last.values()], [told])


@pytest.mark.parametrize(("header", "row", "how", "way"), [
    ("", '{{"step": {}, "metric": "{}", "value": 0.5}}', {}, "pass --run metric if it tells runs apart, or keep one"),
    ("step,metric,value\n", "{},{},0.5", {"value": "value"}, "pass --run metric if it tells runs apart, or keep one"),
    ("run,step,metric,value\n", "a,{},{},0.5", {}, "write it into 'run' too if it tells runs apart, or keep one"),
])  # fmt: skip
def test_a_step_that_is_there_as_two_metrics_is_none_that_was_evaluated_once_more(header, row, how, way):
    def log(metric):
        rows = ((step, name) for step in range(1, 41) for name in ["train", metric][: 1 + (step % 5 == 0)])
        return header + "\n".join(row.format(*one) for one in rows)

    assert f"has step 5 twice, in 'metric' as 'train' and as 'val': {way}" in complaint(log("val"), **how)
    for same in ("train", "", "2026-11-30", "None"):
        assert "has 8 steps twice, at last step 40" in parse(log(same), **how)[0].doubts[0]


BASELINES = (
    "rollout/ep_len_mean,rollout/ep_rew_mean,time/total_timesteps,train/loss\n9,-20,2048,\n9,-10,4096,0.5\n"
)
MONITOR = '#{"t_start": 1.7e9, "env_id": "CartPole-v1"}\nr,l,t\n-20.0,9,0.1\n-10.0,9,0.2\n'


@pytest.mark.parametrize(("text", "expected"), [
    (BASELINES, Run("rollout/ep_rew_mean", [2048, 4096], [-20, -10])), (MONITOR, Run("reward", [1, 2], [-20, -10])),
    ("eval/mean_ep_length,eval/mean_reward,time/total_timesteps\n9,-10,2\n", Run("eval/mean_reward", [2], [-10])),
])  # fmt: skip
def test_of_stable_baselines_the_reward_is_read_and_its_highest_value_asked_for(text, expected):
    assert parse(text) == [expected]
    assert parse(BASELINES, value="train/loss") == [Run("train/loss", [4096], [0.5])]
    asked = f"'{expected.name}' has a scale of its own, as rewards do: pass --bounds none 500"
    assert asked in refuses("--bounds", ask, [expected.name])
    ask(["reward_accuracy"])
    for lower in ("reward_loss", "validation_0-merror", "valid_0-l2", "loss1"):
        assert "looks like a metric where lower is better" in refuses("--metric", ask, [lower])


@pytest.mark.parametrize("header", [
    "Name,State,Notes,User,Tags,Created,Runtime,Sweep,epoch,acc", "Name,acc", ",summary,config,name",
    "Name,State,Step,acc",
])  # fmt: skip
def test_final_values_of_runs_are_no_learning_curve(header):
    for options in ({}, {"value": "acc"}):
        said = complaint(f"{header}\n", **options)
        assert "final values, without a value for each step: export a chart of them in its place" in said


@pytest.mark.parametrize("rows", ["r1,1,0.5\nr2,2,0.5\n", "1,1,0.5\n2,2,0.5\n", "r,1,0.5\nr,2,0.5\ns,3,0.5"])
def test_a_column_of_several_names_is_none_of_values(rows):
    text = f"Name,Step,acc\n{rows}"
    for options in ({}, {"value": "acc"}, {"step": "Step", "value": "acc"}):
        assert "in its column 'Name', and no column 'run': pass --run Name and --value NAME" in complaint(
            text, **options
        )
    assert len(parse(text, run="Name", value="acc")) == 2


def test_columns_that_say_what_they_are_are_read_whatever_else_is_there():
    text = "run,step,value,name,user,state\na,1,0.5,n,u,s\n"
    assert parse(text) == parse(text, run="run", step="step") == [Run("a", [1], [0.5])]
    assert parse("Name,step,acc\nr,1,0.5\n", value="acc") == [Run("acc", [1], [0.5])]
    assert [run.name for run in parse("step,r,l,t\n1,2,3,4\n")] == ["r", "l", "t"]
    assert [run.name for run in parse("r,l,t,step\n1,2,3,4\n")] == ["r", "l", "t"]


def test_of_a_table_with_spaces_between_its_cells_the_separator_is_asked_for():
    assert "'1 0.5' is not a number: if spaces separate the columns, pass --sep space" in complaint(
        "step acc\n1 0.5"
    )
    assert "write the digits 0 to 9 with nothing between" in complaint("acc\n1 000")


@pytest.mark.parametrize("sep", ["", ",,", "a", "1", '"', "\n", ".", "-"])
def test_some_characters_cannot_separate_numbers(sep):
    for options in ({"sep": sep}, {"sep": ",", "decimal": ","}, {"decimal": ";"}):
        refuses(r"--sep|--decimal ';' is not known: take", Options, **options)


def test_what_is_printed_is_short_and_whole():
    names = {"\x1b[31mred\x07\n": "?[31mred??", "\u202eabc\ud800": "?abc?", "x" * 41: "x" * 39 + "…"}
    for name, shown in names.items():
        assert printable(name) == shown
    numbers = [1234567.0, 1234567.5, -1.0, 1e300, np.float64(0.1), nan, inf]
    assert [*map(short, numbers)] == ["1234567", "1234567.5", "-1", "1e+300", "0.1", "nan", "inf"]


finite = st.floats(allow_nan=False, allow_infinity=False)
step_lists = st.lists(st.floats(0, 1e9), min_size=1, max_size=8, unique=True).map(sorted)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
names = texts.map(str.strip).filter(lambda name: name and name.lower() not in ("run", *STEPS))


@st.composite
def some_runs(draw) -> list[Run]:
    found = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower)):
        steps = draw(step_lists)
        found.append(Run(name, steps, draw(st.lists(finite, min_size=len(steps), max_size=len(steps)))))
    return found


def records(found: list[Run]) -> list[dict]:
    pairs = ((run.name, *point) for run in found for point in zip(run.steps, run.values, strict=True))
    return [dict(zip(("run", "step", "value"), point, strict=True)) for point in pairs]


def columns(found: list[Run], hole: object) -> list[list]:
    """A header and a row for each step."""
    tables = [dict(zip(run.steps, run.values, strict=True)) for run in found]
    steps = sorted({step for run in found for step in run.steps})
    head = ["step", *(run.name for run in found)]
    return [head, *([s, *(one.get(s, hole) for one in tables)] for s in steps)]


def rows(table: list) -> str:
    quoted = ([str(cell).replace('"', '""') for cell in cells] for cells in table)
    return "".join(",".join(f'"{cell}"' for cell in cells) + "\r\n" for cells in quoted)


WRITERS = {
    "wide": lambda found: rows(columns(found, "")),
    "long": lambda found: rows([("run", "step", "value"), *(one.values() for one in records(found))]),
    "lines": lambda found: "\n".join(map(json.dumps, records(found))),
    "records": lambda found: json.dumps(records(found)),
    "trainer": lambda found: json.dumps({"best_metric": None, "log_history": records(found)}, indent=2),
    "lists": lambda found: json.dumps({head: own for head, *own in zip(*columns(found, None), strict=True)}),
}


@pytest.mark.parametrize("write", WRITERS)
@given(found=some_runs())
def test_what_is_written_is_read(write, found):
    assert runs.parse(WRITERS[write](found), "log") == found


pieces = [*",;|:\t\n\r {}[]\"a1\0\ufeff", "step", "run", "value", "0.5", "0,5", "nan", "1e999", "null",
          '{"step": 1, "value": 2}', "\n1,2", "\n2,3"]  # fmt: skip
garbage = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(pieces), max_size=30).map("".join))


@given(text=garbage, sep=st.sampled_from([None, ",", ";", " ", "|", "\t"]), decimal=st.sampled_from(".,"))
def test_any_text_is_runs_or_a_sentence(text, sep, decimal):
    said, found = "a sentence", [Run("a", [1], [1])]
    try:
        found = runs.parse(text, "log", sep=sep, decimal=decimal)
    except UserError as error:
        said = str(error)
    assert said.isprintable()
    for run in found:
        assert len(run.steps) == len(run.values) > 0 and run.steps == sorted(set(run.steps))
