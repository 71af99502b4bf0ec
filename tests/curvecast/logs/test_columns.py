"""Guards curvecast/logs/columns.py: what a header says, and that nothing is guessed from it."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs.columns import Options, bare, exact, header, listed, separator, step_name


@pytest.mark.parametrize("name", ["step", "Steps", "epoch", "EPOCHS", "training_iteration", "iter", "_step"])
def test_a_step_has_several_names(name):
    """In large letters or small ones."""
    assert step_name(["a", name], None, "log.csv") == name


def test_step_itself_comes_first():
    """Only if no column is called so, two names of steps are a question."""
    for names in (["epoch", "step"], ["epoch", "Step"], ["STEP", "step"]):
        assert step_name(names, None, "log.csv") == names[1]
    with pytest.raises(UserError, match=r"several kinds of steps \(epoch, iter\): pass --step"):
        step_name(["epoch", "iter"], None, "log.csv")


def test_of_many_names_twelve_are_listed():
    assert listed([str(i) for i in range(2013)]).endswith("10, 11 and 2,001 more")


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        (["step", "a", " "], "column 3 has no name"),
        (["step", "a", "a "], "two columns are called 'a': rename"),
        (["step", "value", "Value"], "two columns are called 'value' and 'Value': rename"),
    ],
)
def test_names_are_there_and_differ(cells, complaint):
    """White space around them does not count, and neither does their case."""
    with pytest.raises(UserError, match=complaint):
        header(cells, "log.csv, line 1")


def test_further_columns_are_left_out_only_without_doubt():
    """Run, step and value called so or chosen."""
    exact(["run", "step", "value", "lr"], ("run", "step", "value"), Options(), "log.csv")
    exact(["run", "step", "loss", "lr"], ("run", "step", "loss"), Options(value="loss"), "log.csv")
    exact(["run", "epoch", "value"], ("run", "epoch", "value"), Options(), "log.csv")
    with pytest.raises(UserError, match="must be three columns"):
        exact(["run", "step"], ("run", "step", "step"), Options(value="step"), "log.csv")


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("step,a,b", ","),
        ("step\ta, b", "\t"),
        ("step;a,b", ";"),
        ('step;"a,b"', ";"),
        ('"step";a,b', ";"),
        ('step,";\n', ","),
        ("loss", ";"),
    ],
)
def test_the_header_tells_the_separator(first, found):
    """Of several the one that sets a name of steps free; without any it does not matter."""
    assert separator(first, Options(), "log.csv") == found


def test_a_separator_in_doubt_is_asked_for():
    with pytest.raises(UserError, match="pass --sep"):
        separator("t;a,b", Options(), "log.csv")
    assert separator("t;a,b", Options(step="t"), "log.csv") == ";"


@pytest.mark.parametrize("first", ["0.5", "-1e-5", '"0.5"', "nan", "93%", "1_000", "١"])
def test_a_number_on_top_is_no_header(first):
    """Else the first point would be lost; also what is no good number is not a name."""
    assert bare(first, "log.csv, line 1", Options())


@pytest.mark.parametrize("first", ["loss", "step,1,2", "step", "1 epoch", ";;", "e5"])
def test_a_name_on_top_is_a_header(first):
    """Runs may be called 1, 2, 3."""
    assert not bare(first, "log.csv, line 1", Options())


@pytest.mark.parametrize("sep", ["", ",,", "a", "1", '"', "\n", ".", "-"])
def test_some_characters_cannot_separate_numbers(sep):
    """Letters, digits, signs, quotes and ends of lines."""
    with pytest.raises(UserError, match="--sep"):
        Options(sep=sep)


def test_decimals_have_a_point_or_a_comma():
    """And a comma only if it does not separate."""
    with pytest.raises(UserError, match="--decimal ';' is not known: take"):
        Options(decimal=";")
    with pytest.raises(UserError, match="--sep ','"):
        Options(sep=",", decimal=",")
