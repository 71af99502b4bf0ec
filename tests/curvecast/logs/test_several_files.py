"""Guards curvecast/logs/several_files.py: the runs of several files side by side, each with the name of its file."""

import pytest

from curvecast.ground.errors import UserError
from curvecast.logs import several_files
from curvecast.logs.checked_points import Run


def run(name: str, values: int = 1) -> Run:
    return Run(name, [float(i) for i in range(values)], [0.5] * values, what="acc")


def test_runs_of_several_files_carry_the_file_and_those_of_one_do_not():
    one, two = [run("x"), run("y")], [run("x")]
    together = several_files.together(["a.csv", "there/b.csv"], [one, two])
    assert [found.name for found in together] == ["a.csv: x", "a.csv: y", "b.csv: x"]
    assert {found.what for found in together} == {"acc"}
    assert several_files.together(["a.csv"], [one]) == one


@pytest.mark.parametrize(
    ("files", "labels"),
    [
        (["x/log.csv", "y/log.csv"], ["x/log.csv", "y/log.csv"]),
        (["x/seed/log.csv", "y/seed/log.csv", "b.csv"], ["x/seed/log.csv", "y/seed/log.csv", "b.csv"]),
        (["x/log.csv", "y/x/log.csv"], ["{here}/x/log.csv", "y/x/log.csv"]),
        (["tb/one/", "tb/two"], ["one", "two"]),
        ([".", "two"], ["{here}", "two"]),
    ],
)
def test_as_much_of_the_path_as_tells_files_apart(tmp_path, monkeypatch, files, labels):
    monkeypatch.chdir(tmp_path)
    assert several_files.labels(files) == [label.format(here=tmp_path.name) for label in labels]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["a.csv", "-"], "standard input, which is read alone"),
        (["-", "-"], "standard input, which is read alone"),
        (["a.csv", "b.csv", "./a.csv"], "./a.csv is given twice"),
        (["a.csv", "link.csv"], "link.csv is given twice"),
        (["\x1b.csv", "\x1b.csv"], r"^\?\.csv is given twice"),
    ],
)
def test_each_file_once_and_standard_input_alone(tmp_path, monkeypatch, files, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("a.csv")
    with pytest.raises(UserError, match=said):
        several_files.check(files)
    several_files.check(["-"])
    several_files.check(["a.csv", "b.csv", "c.csv"])


def test_the_limits_of_one_file_are_those_of_all_together():
    with pytest.raises(UserError, match="the files have 1,002 runs: at most 1,000 at once"):
        several_files.together(["a", "b"], [[run(str(i)) for i in range(501)]] * 2)
    with pytest.raises(UserError, match="500,002 values"):
        several_files.together(["a", "b"], [[run("x", 250_001)]] * 2)
