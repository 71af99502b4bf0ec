"""Guards curvecast/command/output.py: bands as CSV, JSON, SVG and PNG; the whole file or none."""

import csv
import io
import json

import pytest

from curvecast import forecast
from curvecast.command import output
from curvecast.command.terminal import tell
from curvecast.ground.errors import UserError


@pytest.fixture(scope="module")
def forecasts():
    return forecast([[0.3, 0.4, 0.45], [0.2, 0.3, 0.32]], names=[r"$\foo$", "_hid"], horizon=20)


def test_csv_has_a_row_for_each_run_and_step(tmp_path, forecasts):
    output.write(tmp_path / "x.csv", forecasts, tell(forecasts, None))
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert len(rows) == 2 * 17 and rows[0]["run"] == r"$\foo$" and float(rows[0]["step"]) == 4
    assert all(float(row["q05"]) < float(row["median"]) < float(row["q95"]) for row in rows)


def test_json_is_what_is_printed(tmp_path, forecasts):
    told = tell(forecasts, None)
    output.write(tmp_path / "x.json", forecasts, told)
    assert json.loads((tmp_path / "x.json").read_text()) == {"runs": told}


@pytest.mark.parametrize(("suffix", "begins"), [(".svg", b"<?xml"), (".png", b"\x89PNG")])
def test_pictures_are_pictures_whatever_the_names(tmp_path, forecasts, suffix, begins):
    for some in (forecasts, type(forecasts)(forecasts[1:])):
        output.write(tmp_path / f"x{suffix}", some, [])
        assert (tmp_path / f"x{suffix}").read_bytes().startswith(begins)


def test_too_many_runs_are_no_picture(tmp_path):
    many = forecast([[0.3, 0.4]] * 41, check=False)
    with pytest.raises(UserError, match="too many for one picture"):
        output.write(tmp_path / "x.svg", many, [])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.pdf", "x", "no/x.svg"])
def test_what_cannot_be_written_is_said_before_the_work(tmp_path, name):
    with pytest.raises(UserError, match=r"suffix|no folder"):
        output.check(tmp_path / name, ["-"])


def test_none_of_the_files_that_are_read_is_written(tmp_path):
    (tmp_path / "b.csv").touch()
    (tmp_path / "link.csv").symlink_to("b.csv")
    for name in ("b.csv", "link.csv"):
        with pytest.raises(UserError, match="is one of the files that are read"):
            output.check(tmp_path / name, ["-", str(tmp_path / "no.csv"), str(tmp_path / "b.csv")])


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_name_of_a_run_is_a_formula_of_a_spreadsheet(name):
    """Excel and others would compute it: a ' before it makes it text."""
    told = {"name": name, "steps": [1], **{key: [0.5] for key in ["median", "q05", "q25", "q75", "q95"]}}
    (row,) = list(csv.reader(io.StringIO(output.as_csv([told]).decode())))[1:]
    assert row[0] == f"'{name}"
