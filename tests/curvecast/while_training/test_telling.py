"""Guards curvecast/while_training/telling.py."""

from curvecast.while_training.telling import Telling, beside_a_log


def test_a_complaint_is_told_once_and_lines_each_time(capsys):
    """To standard error, so that a pipe of results stays clean."""
    telling = Telling()
    for _ in range(2):
        telling.once("value", "is NaN")
        telling.line("step 1")
    assert capsys.readouterr() == ("", "curvecast: is NaN\n" + 2 * "curvecast: step 1\n")


def test_beside_a_log_only_the_first_check_of_a_hopeless_run_is_told():
    lines = []
    telling = Telling(lines.append, every_check=False)
    for run, hopeless in (("a", False), ("a", True), ("a", True), ("b", True)):
        telling.check(run, f"{run} is {hopeless}", hopeless)
    assert lines == ["curvecast: a is True", "curvecast: b is True"]


def test_complaints_are_warnings_in_the_trainers_log():
    """Who reads warnings alone learns of what went wrong."""
    log, warnings = [], []
    telling = beside_a_log(None, log.append, warnings.append)
    telling.check("a", "could stop", hopeless=True)
    telling.once("value", "is NaN")
    assert (log, warnings) == (["curvecast: could stop"], ["curvecast: is NaN"])


def test_no_name_of_a_run_reaches_the_terminal_as_a_command():
    """Control characters and line ends become question marks, and a line has an end."""
    lines = []
    Telling(lines.append).line("run \x1b[2J\n" + 9_999 * "a")
    assert lines[0].startswith("curvecast: run ?[2J?a") and len(lines[0]) == 500
