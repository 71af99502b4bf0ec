"""Guards curvecast/logs/delimited.py: tables of either shape become runs, or a sentence that helps."""

import pytest

from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from tests.curvecast.logs.complaints import complaint

AB = [Run("a", [1, 2], [0.5, 0.6]), Run("b", [1], [0.25])]


def parse(text: str, **options) -> list[Run]:
    return runs.parse(text, "log.csv", **options)


@pytest.mark.parametrize(
    "text",
    [
        "step,a,b\n1,0.5,0.25\n2,0.6,\n",
        "step\ta\tb\n1\t0.5\t0.25\n2\t0.6\t",
        "STEP;a;b\n1;.5;2.5e-1\n2;+0.60;\n",
        "a,b,Epoch\r\n0.5,0.25,1\r\n0.6,,2\r\n",
        "\ufeffstep,a,b\r1,0.5,0.25\r2,0.6,\r",
        '"step", "a", "b"\n"1", "0.5", "0.25"\n 2 , 0.6 , \n',
        "\n\nstep,a,b\n\n1,0.5,0.25\n,,\n2,0.6,\n" + "\n" * 5000,
    ],
)
def test_a_wide_table_has_a_column_a_run(text):
    """However it is separated, quoted and ended; an empty cell is no value."""
    assert parse(text) == AB


@pytest.mark.parametrize(
    "text",
    [
        "run,step,value\na,1,0.5\nb,1,0.25\na,2,0.6\n",
        "value;Run;epoch\n0.5;a;1\n0.25;b;1\n;b;2\n0.6;a;2\n",
        "run,step,value,epoch,note\na,1,0.5,1,x\nb,1,0.25,1,\na,2,0.6,1,nan\n",
    ],
)
def test_a_long_table_has_a_row_a_point(text):
    """Runs may be mixed, columns in any order, further ones are left out."""
    assert parse(text) == AB


def test_columns_may_be_chosen():
    """Of a wide table one column, of a long one all three."""
    assert parse("t,a,b,time\n1,0.5,0.25,12:00\n2,0.6,,13:00", step="t", value="b") == AB[1:]
    long = "name,t,loss,time\na,1,0.5,x\nb,1,0.25,x\na,2,0.6,x"
    assert parse(long, run="name", step="t", value="loss") == AB


@pytest.mark.parametrize("text", ["loss\n0.5\n0.6\n\n\n", '"loss"\n"0.5"\n 0.6'])
def test_a_single_column_counts_its_rows(text):
    """Steps are 1, 2, 3, ..."""
    assert parse(text) == [Run("loss", [1, 2], [0.5, 0.6])]


def test_a_single_column_may_be_without_a_name():
    """The run is called as the file is."""
    assert parse("0.5\n0.6") == [Run("log", [1, 2], [0.5, 0.6])]


def test_the_csv_of_tensorboard_is_one_run():
    """Its download has three columns, and the time is none of them."""
    assert parse("Wall time,Step,Value\n1.7e9,1,0.5\n1.8e9,2,0.6") == [Run("log", [1, 2], [0.5, 0.6])]


@pytest.mark.parametrize(
    "text", ["step;a\n1;0,53\n2;,5", "step\ta\n1\t0,53\n2\t0,5", "a\n0,53\n0,5", "0,53\n0,5"]
)
def test_decimal_commas_are_read_when_told(text):
    """And only then."""
    assert parse(text, decimal=",")[0].values == [0.53, 0.5]
    assert "pass --decimal ," in complaint(text)


@pytest.mark.parametrize(
    ("sep", "text"), [("|", "step|a\n1|0.5"), (" ", "step  a \n  1  0.5"), ("\t", "step\ta\n1\t0.5")]
)
def test_the_separator_may_be_told(sep, text):
    """Several spaces are one."""
    assert parse(text, sep=sep) == [Run("a", [1], [0.5])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step,a,b", "log.csv: run 'a' has no value at all"),
        ("run,step,value\n", "log.csv has no values: write at least one row"),
        ("step,a,b\n1,0.5,\n2,0.6,", "run 'b' has no value at all"),
        ("step\n1\n2", "has no column beside 'step': add one a run"),
        ("step,a,b\n1,1,1\n2,1,hello", "log.csv, line 3, column 'b': 'hello' is not a number: write a number, or leave"),
        ("step,a\nx,1", "line 2, column 'step': 'x' is not a number"),
        ("step,a\n1,1\n2,nan", "line 3: run 'a' is NaN at step 2: a run that diverged?"),
        ("step,a\n1,1e999", "line 2: run 'a' is infinite"),
        ("run,step,value\na,5,1\nb,1,1\na,2,2", "line 4: run 'a' goes back from step 5 to step 2"),
        ("step,a\n,2", "line 2 has no step: fill the column 'step'"),
        ("step,a\n1,2,3", "line 2 has 3 cells and the header 2: each row needs one cell a column"),
        ("step,a,b\n\n1,2", "line 3 has 2 cells and the header 3"),
        ("step;a\n1,0.5", "line 2 is separated by ',' and the header by ';': take one of them"),
        ("step,a\n1\t0.5", "line 2 is separated by tabs and the header by ','"),
        ("step,a\n1;0,5", "line 2, column 'step': '1;0' is not a number: separate the cells of all rows"),
        ("step loss\n1 0.5", "line 2, column 'step loss': '1 0.5' is not a number"),
        ('step,a\n1,"0,53"', "'0,53' is not a number: write 0.53"),
        (",,\nstep,a,b\n1,2,3", "line 1 has no names: write a header"),
        ("1,2\n2,3", "line 1: '1,2' has numbers where names of columns should be"),
        ("a,b\n1,2", "log.csv has no 'step': pass --step NAME with one of a, b"),
        ("epoch,step,a\n1,1,2", "two columns of steps, 'step' and 'epoch': pass --step NAME and --value NAME"),
        ("run,step,loss\na,1,2", "has no column 'value': pass --value NAME with one of loss"),
        ("run,epoch,value,lr\na,1,2,3", "has further columns (lr): pass --step epoch to leave them out"),
        ("run,step,value\n ,1,2", "line 2 does not name its run"),
        ("loss\n0.5\n\n0.6", "line 3 is empty: without a column of steps every line is one step"),
        ('loss\n0.5\n""\n0.6', "line 3 is empty"),
        ('step,a\n1,"2\n3,4', "line 2 cannot be split into cells (unexpected end of data): mend its quotes"),
        ("step,a\n1," + "1" * 200_000, "line 2 cannot be split into cells (field larger"),
        ("step,1_0\n1,1_000", "column '1_0': '1_000' is not a number: write the digits 0 to 9 with nothing between"),
        ("step,a\n1,93%", "'93%' is not a number: write 0.93 or 93 instead of 93%"),
        ("step,a\n1,\x1b[31m", "'?[31m' is not a number"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_one_sentence(text, expected):
    """What is wrong, where, and what to do."""
    assert expected in complaint(text)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("step,a\n1,2", {"step": "t"}, "has no 't': pass --step with one of step, a"),
        ("step,a\n1,2", {"value": "step"}, "has no column beside 'step'"),
        ("1\n2", {"value": "a"}, "is a number, so that no column is called 'a': write a header"),
        ("1\n2", {"step": "a"}, "no column is called 'a'"),
        ("epoch,step,a\n1,1,2", {"step": "epoch"}, "has a further column of steps, 'step': pass --value NAME, or take"),
        ("epoch,step,a\n1,1,2", {"step": "step"}, "has a further column of steps, 'epoch': pass --value NAME"),
        ("step,a\n1,2", {"decimal": ","}, "is separated by commas"),
        ("step;a\n1;0.5", {"decimal": ","}, "'0.5' is not a number: write 0,5, or leave --decimal away"),
        ("step;a\n1;0,5", {"sep": ","}, "line 2 has 2 cells and the header 1"),
    ],
)  # fmt: skip
def test_an_option_that_does_not_fit_is_one_sentence(text, options, expected):
    """The complaint tells what would fit."""
    assert expected in complaint(text, **options)


def test_a_wide_table_with_too_many_columns_tells_how_many():
    """One of them may still be chosen."""
    text = "step," + ",".join(f"r{i}" for i in range(9999)) + "\n1" + ",2" * 9999
    assert "has 9,999 runs: at most 1,000 at once" in complaint(text)
    assert parse(text, value="r7") == [Run("r7", [1], [2])]


def test_the_spread_that_weights_and_biases_adds_is_no_run():
    """Only beside the column that it belongs to."""
    text = "Step,a - acc,a - acc__MIN,a - acc__MAX,b__MIN\n1,0.5,0.4,0.6,0.1\n"
    assert [run.name for run in runs.parse(text, "export.csv")] == ["a - acc", "b__MIN"]
    (chosen,) = runs.parse(text, "export.csv", value="a - acc__MAX")
    assert chosen.values == [0.6]
    assert [run.name for run in parse("step,step__MIN,a\n1,2,3\n")] == ["step__MIN", "a"]  # step is no run


def test_the_steps_that_weights_and_biases_adds_are_no_runs():
    """And if there is nothing else, that is said."""
    steps = ["a - _step", "a - _step__MIN", "a - _step__MAX"]
    assert parse(f"Step,{','.join(steps)},a - acc\n1,1,1,1,0.5\n") == [Run("a - acc", [1], [0.5])]
    assert parse(f"Step,{steps[0]}\n1,7\n", value=steps[0])[0].values == [7]
    assert "has no column beside 'Step'" in complaint(f"Step,{','.join(steps)}\n1,1,1,1\n")


def test_of_several_steps_one_is_taken_when_the_value_is_told():
    """Also another step, if that is what is asked for."""
    text = "epoch,step,a\n1,50,0.5\n2,100,0.6"
    assert parse(text, step="epoch", value="a") == [Run("a", [1, 2], [0.5, 0.6])]
    assert parse(text, value="a") == [Run("a", [50, 100], [0.5, 0.6])]
    assert parse(text, step="epoch", value="step") == [Run("step", [1, 2], [50, 100])]


def test_a_column_of_names_is_told_of():
    said = complaint("run_id,key,value,step\nabc,acc,0.5,1\n")
    assert "if this column names the runs, pass --run run_id and --value NAME" in said
    assert "--run" not in complaint("step,a\n1,x\n")


@pytest.mark.parametrize("cell", ["NA", "N/A", "None", " null ", "n/a", "nan"])
def test_what_stands_for_no_number_names_no_run(cell):
    """Such a table is wide, and its cell is to be left empty."""
    said = complaint(f"step,a,b\n1,{cell},0.5\n")
    assert "--run" not in said
    assert "leave the cell empty" in said or "is NaN" in said
