"""Guards curvecast/curves/sources/uniform_table.py: which curves are kept, and that their files never change by chance."""

import csv
import gzip
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from curvecast.curves import real_table
from curvecast.curves.sources import uniform_table
from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError

LOSS = Measure("loss", higher_is_better=False, step_unit="epochs")
ONE = Curve(
    "one", range(25), [1 / (2 + i) for i in range(25)], "t", "g", LOSS, {"b": 1, "a": "ä"}, untrained=True
)
ORIGIN = Origin(
    "a.csv.gz", "a", "MIT", "They", "they2020", "them/thing", "c" * 40, "data", 1, "0" * 64
)  # fmt: skip


def kept(*curves):
    left_out = Counter()
    return [curve.curve_id for curve in uniform_table.kept(curves, left_out)], dict(left_out)


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_steps_rise_and_a_repeated_one_has_its_last_value():
    curve = replace(ONE, steps=[3, 1, 2, 1], values=[0.3, 9.0, 0.2, 0.1])
    assert curve.points() == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_what_is_left_out_is_counted_by_reason():
    """Short ones, those with a hole, and those that equal an earlier one to the last digit that is written."""
    short = replace(ONE, curve_id="short", steps=range(19), values=ONE.values[:19])
    hole = replace(ONE, curve_id="hole", values=[*ONE.values[:-1], float("nan")])
    near = replace(ONE, curve_id="near", values=[value + 1e-12 for value in ONE.values])
    other = replace(ONE, curve_id="other", values=[value + 1e-4 for value in ONE.values])
    assert kept(ONE, short, hole, near, other) == (
        ["one", "other"],
        {"with fewer than 20 points": 1, "with a value that is not finite": 1, "equal to an earlier one": 1},
    )


def test_a_curve_is_counted_after_its_steps_were_made_unique():
    """Twenty rows of ten steps are ten points."""
    twice = replace(ONE, steps=[i // 2 for i in range(20)], values=ONE.values[:20])
    assert kept(twice) == ([], {"with fewer than 20 points": 1})


def test_the_same_curves_give_the_same_bytes(tmp_path):
    """Whenever they are written, and in whatever order the sources are converted."""
    other = replace(ORIGIN, file="b.csv.gz", source="b")
    order = ["b.csv.gz", "a.csv.gz"]
    for folder, origins in (("x", (ORIGIN, other)), ("y", (other, ORIGIN, ORIGIN))):
        for origin in origins:
            uniform_table.write(tmp_path / folder, origin, [ONE], order)
    for name in (*order, uniform_table.INDEX):
        first = (tmp_path / "x" / name).read_bytes()
        assert first == (tmp_path / "y" / name).read_bytes() and first[4:8] == bytes(4), name
    assert [row["file"] for row in rows(tmp_path / "x" / uniform_table.INDEX)] == order


def test_a_row_carries_its_source_and_its_licence(tmp_path):
    uniform_table.write(tmp_path, ORIGIN, [ONE], [])
    (about,), points = rows(tmp_path / uniform_table.INDEX), rows(tmp_path / ORIGIN.file)
    assert {(row["source"], row["licence"]) for row in (about, *points)} == {("a", "MIT")}
    assert points[1]["value"] == "0.333333" and json.loads(about["config"]) == ONE.config
    assert (about["value_min_possible"], about["value_max_possible"], about["n_points"]) == ("0", "", "25")


def test_the_reader_of_tables_reads_what_is_written(tmp_path):
    uniform_table.write(tmp_path, ORIGIN, [ONE, replace(ONE, curve_id="two", untrained=False)], [])
    first, second = real_table.read(tmp_path)
    assert (
        first.untrained == 0.5 and second.untrained is None and first.minimise and first.high == float("inf")
    )
    assert list(second.steps) == list(range(25)) and second.values == pytest.approx(ONE.values, rel=1e-5)


PACKED = [gzip.compress(text, mtime=0) for text in (b"file,source\n" * 99, b"file,source\na,b\n", b"\xff\n")]


@pytest.mark.parametrize("data", [b"no gzip", PACKED[0][:-9], *PACKED[1:]])
def test_an_index_that_is_none_is_told_before_anything_is_written(tmp_path, data):
    """Another file of that name, one that is cut off, other columns."""
    (tmp_path / uniform_table.INDEX).write_bytes(data)
    with pytest.raises(
        UserError, match=r"index\.csv\.gz (cannot be read|is no index of curves).*take it away"
    ):
        uniform_table.write(tmp_path, ORIGIN, [ONE], [])
    assert not (tmp_path / ORIGIN.file).exists()


def test_three_at_once_all_come_into_the_index(tmp_path, monkeypatch):
    """Each waits for the other between reading and writing it."""
    index = uniform_table._index
    monkeypatch.setattr(uniform_table, "_index", lambda path: (index(path), time.sleep(0.1))[0])
    origins = [replace(ORIGIN, file=f"{name}.csv.gz") for name in "abc"]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda origin: uniform_table.write(tmp_path, origin, [ONE], []), origins))
    assert {row["file"] for row in rows(tmp_path / uniform_table.INDEX)} == {one.file for one in origins}
