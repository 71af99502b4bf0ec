"""Guards curvecast/curves/real_table.py: what is read is what is written, and what cannot be is told with its line."""

import gzip
import math

import pytest

from curvecast.curves import real_table
from curvecast.ground.errors import UserError

ROW = {
    "file": "a.csv.gz", "source": "made up", "curve_id": "one", "task": "t", "group": "g", "metric": "accuracy",
    "higher_is_better": "1", "n_points": "3", "first_point_untrained": "0", "value_min_possible": "0",
    "value_max_possible": "1", "licence": "MIT",
}  # fmt: skip
ONE, TWO = [(0, 0.1), (10, 0.4), (20, 0.5)], [(1, 0.3), (2, 0.3), (4, 0.3)]


def write(path, rows):
    path.write_bytes(gzip.compress("".join(",".join(map(str, row)) + "\n" for row in rows).encode()))


def folder(tmp_path, curves=None, file="a.csv.gz", **about):
    """Tables of made-up curves, {name: points}; `about` changes the row of the first one in the index."""
    curves = {"one": ONE, "two": TWO} if curves is None else curves
    points = [("made up", name, *point) for name, curve in curves.items() for point in curve]
    rows = [ROW | {"curve_id": name, "n_points": len(curve)} for name, curve in curves.items()]
    rows[0] |= about
    write(tmp_path / real_table.INDEX, [ROW, *(row.values() for row in rows)])
    write(tmp_path / file, [real_table.POINTS, *points])
    return tmp_path


def complaint(where, file=None):
    with pytest.raises(UserError) as told:
        real_table.read(where, file)
    return str(told.value)


def test_curves_are_read_as_they_were_written(tmp_path):
    """Names, steps, values, direction and bounds, in the order of the index."""
    first, second = real_table.read(folder(tmp_path))
    assert (first.source, first.curve_id, first.task, first.group) == ("made up", "one", "t", "g")
    assert (first.metric, first.licence) == ("accuracy", "MIT")
    assert list(zip(first.steps, first.values, strict=True)) == ONE and first.untrained is None
    assert not first.minimise and (first.low, first.high) == (0, 1)
    assert second.curve_id == "two" and list(second.values) == [
        0.3,
        0.3,
        0.3,
    ]  # constant: a curve like any other


def test_the_untrained_point_is_kept_apart(tmp_path):
    """It is no point of the curve; a loss is one whose direction is down and whose upper bound is empty."""
    where = folder(
        tmp_path, first_point_untrained=1, higher_is_better=0, value_max_possible="", value_min_possible=""
    )
    first, _ = real_table.read(where)
    assert first.untrained == 0.1 and list(first.steps) == [10, 20] and list(first.values) == [0.4, 0.5]
    assert first.minimise and (first.low, first.high) == (-math.inf, math.inf)


def test_the_order_is_that_of_the_index_over_several_files(tmp_path):
    """Whichever file a curve lies in and wherever in it; one file alone can be asked for."""
    curves = {"one": ONE, "two": TWO, "three": ONE}
    where = folder(tmp_path, curves, file="b.csv.gz")
    order = [("three", "b"), ("two", "a"), ("one", "b")]
    rows = [ROW | {"curve_id": name, "file": f"{file}.csv.gz"} for name, file in order]
    write(where / real_table.INDEX, [ROW, *(row.values() for row in rows)])
    write(where / "a.csv.gz", [real_table.POINTS, *[("made up", "two", *point) for point in TWO]])
    assert [curve.curve_id for curve in real_table.read(where)] == ["three", "two", "one"]
    assert [curve.curve_id for curve in real_table.read(where, "b.csv.gz")] == ["three", "one"]
    assert "names no file 'c.csv.gz': take one of a.csv.gz, b.csv.gz" in complaint(where, "c.csv.gz")


def test_the_variable_names_the_folder(monkeypatch):
    """Without it there is none."""
    monkeypatch.setenv(real_table.VARIABLE, "some/where")
    assert str(real_table.folder()) == "some/where"
    monkeypatch.delenv(real_table.VARIABLE)
    assert real_table.folder() is None


def test_what_is_not_there_is_told(tmp_path):
    """No folder, no index, an index of no curve, no file, a curve that only the index has."""
    assert "there is no folder" in complaint(tmp_path / "none")
    assert f"there is no file {tmp_path / real_table.INDEX}" in complaint(tmp_path)
    write(tmp_path / real_table.INDEX, [ROW])
    assert "names no curve" in complaint(tmp_path)
    where = folder(tmp_path, file="b.csv.gz")
    assert f"there is no file {where / 'a.csv.gz'}" in complaint(where)
    where = folder(tmp_path, curve_id="other")
    assert "has 0 points of the curve 'other', not the 3" in complaint(where)
    write(where / "a.csv.gz", [real_table.POINTS])
    assert "has 0 points of the curve 'other', not the 3" in complaint(where)


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([(0, 0.1)], "line 2: 'one' has fewer than two trained points"),
        ([(0, 0.1), (1, 0.2), (1, 0.3)], "line 4: step 1 does not come after 1"),
        ([(0, 0.1), (1, 1.2), (2, 0.3)], "line 3: value 1.2 lies outside 0 to 1"),
        ([(0, 0.1), (1, "good"), (2, 0.3)], "line 3: value is 'good', not a finite number"),
        ([("first", 0.1), (1, 0.2)], "line 2: step is 'first', not a finite number"),
    ],
)
def test_a_curve_that_cannot_be_is_told_with_its_line(tmp_path, points, told):
    """One point, steps that repeat or fall, values out of bounds, text in numbers."""
    assert complaint(folder(tmp_path, {"one": points})) == f"{tmp_path / 'a.csv.gz'}, {told}"


def test_lines_are_counted_over_all_curves(tmp_path):
    """The second curve's third row is line 7."""
    where = folder(tmp_path, {"one": ONE, "two": [*TWO[:2], (4, 9)]})
    assert complaint(where) == f"{where / 'a.csv.gz'}, line 7: value 9 lies outside 0 to 1"


def test_an_untrained_point_alone_does_not_count(tmp_path):
    """Two points of which one was before the training are one."""
    where = folder(tmp_path, {"one": ONE[:2]}, first_point_untrained=1)
    assert "fewer than two trained points" in complaint(where)


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"higher_is_better": 2}, "higher_is_better is '2', neither 0 nor 1"),
        ({"first_point_untrained": "no"}, "first_point_untrained is 'no', neither 0 nor 1"),
        ({"licence": ""}, "licence is empty: is the row cut off?"),
        ({"value_max_possible": "much"}, "the bounds '0' and 'much' are not two numbers that rise"),
        ({"value_min_possible": 1}, "the bounds '1' and '1' are not two numbers that rise"),
    ],
)
def test_an_entry_of_the_index_that_cannot_be_is_told_with_its_line(tmp_path, about, told):
    """Flags that are neither 0 nor 1, bounds that are no numbers or do not rise."""
    assert complaint(folder(tmp_path, **about)) == f"{tmp_path / real_table.INDEX}, line 2: {told}"


@pytest.mark.parametrize("points", [2, 4, "many"])
def test_a_curve_that_is_shorter_or_longer_than_the_index_says_is_told(tmp_path, points):
    """A table may be cut off between two rows."""
    told = complaint(folder(tmp_path, n_points=points))
    assert f"has 3 points of the curve 'one', not the {points}" in told and "cut off" in told


@pytest.mark.parametrize(
    "name", ["../x.csv.gz", "/etc/x.csv.gz", "b/x.csv.gz", "x.csv", "..", "x\x00.csv.gz"]
)
def test_nothing_outside_the_folder_is_read(tmp_path, name):
    """A file column may not leave it, nor name what is no table."""
    where = tmp_path / "in"
    where.mkdir()
    write(folder(where) / real_table.INDEX, [ROW, (ROW | {"file": name}).values()])
    write(tmp_path / "x.csv.gz", [real_table.POINTS, *[("made up", "one", *point) for point in ONE]])
    assert "nothing outside it is read" in complaint(where)


def test_a_curve_named_twice_is_told(tmp_path):
    """In the index with its line; in a file where its rows do not lie together."""
    where = folder(tmp_path)
    write(where / real_table.INDEX, [ROW, ROW.values(), ROW.values()])
    assert complaint(where) == f"{where / real_table.INDEX}, line 3: the curve 'one' is there twice"
    apart = [("made up", name, 1, 0.5) for name in ("one", "two", "one")]
    where = folder(tmp_path)
    write(where / "a.csv.gz", [real_table.POINTS, *apart])
    assert "line 4: the curve 'one' begins a second time; keep its rows together" in complaint(where)


def test_two_sources_may_use_one_name(tmp_path):
    """A curve is known by its source and its name together."""
    where = folder(tmp_path)
    rows = [ROW | {"source": source} for source in ("p", "q")]
    write(where / real_table.INDEX, [ROW, *(row.values() for row in rows)])
    write(where / "a.csv.gz", [real_table.POINTS, *[(s, "one", *point) for s in "pq" for point in ONE]])
    assert [curve.source for curve in real_table.read(where)] == ["p", "q"]
