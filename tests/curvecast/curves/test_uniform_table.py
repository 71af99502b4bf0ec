"""Guards uniform_table.py and origin.py of the sources: which curves are kept, files that never change by chance."""

import csv
import gzip
import json
import shutil
import subprocess
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
VALUES = [1 / (2 + i) for i in range(25)]
ONE = Curve("one", range(25), VALUES, "t", "g", LOSS, {"b": 1, "a": "ä"}, untrained=True)
ORIGIN = Origin("a.csv.gz", "a", "MIT", "They", "they2020", "them/thing", "c" * 40, "data", 1, "0" * 64)
OTHER = replace(ORIGIN, file="b.csv.gz", source="b")


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_left_out_is_counted_by_reason():
    """Steps are made unique first, the last value counts; equal is what is equal to the last digit that is written."""
    near, other = (replace(ONE, curve_id=str(by), values=[v + by for v in VALUES]) for by in (1e-12, 1e-4))
    short = replace(ONE, curve_id="short", steps=range(19), values=VALUES[:19])
    twice = replace(ONE, curve_id="twice", steps=[i // 2 for i in range(25)])
    hole = replace(ONE, curve_id="hole", values=[*VALUES[:-1], float("nan")])
    left_out = Counter()
    kept = [curve.curve_id for curve in uniform_table.kept([ONE, short, twice, hole, near, other], left_out)]
    assert kept == ["one", "0.0001"]
    assert left_out == {
        "with fewer than 20 points": 2, "with a value that is not finite": 1, "equal to an earlier one": 1,
    }  # fmt: skip
    curve = replace(ONE, steps=[3, 1, 2, 1], values=[0.3, 9.0, 0.2, 0.1])
    assert curve.points() == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_the_same_curves_give_the_same_bytes(tmp_path):
    """Whenever they are written, and in whatever order the sources are converted."""
    order = ["b.csv.gz", "a.csv.gz"]
    for folder, origins in (("x", (ORIGIN, OTHER)), ("y", (OTHER, ORIGIN, ORIGIN))):
        for origin in origins:
            uniform_table.write(tmp_path / folder, origin, [ONE], order)
    for name in (*order, uniform_table.INDEX):
        first = (tmp_path / "x" / name).read_bytes()
        assert first == (tmp_path / "y" / name).read_bytes() and first[4:8] == bytes(4), name
    assert [row["file"] for row in rows(tmp_path / "x" / uniform_table.INDEX)] == order


def test_what_is_written_has_its_source_and_licence_and_can_be_read(tmp_path):
    uniform_table.write(tmp_path, ORIGIN, [ONE, replace(ONE, curve_id="two", untrained=False)], [])
    about, points = rows(tmp_path / uniform_table.INDEX), rows(tmp_path / ORIGIN.file)
    assert {(row["source"], row["licence"]) for row in (*about, *points)} == {("a", "MIT")}
    assert points[1]["value"] == "0.333333" and json.loads(about[0]["config"]) == ONE.config
    first, second = real_table.read(tmp_path)
    assert first.untrained == 0.5 and second.untrained is None and first.minimise
    assert (first.low, first.high) == (0, float("inf")) and list(second.steps) == list(range(25))
    assert second.values == pytest.approx(VALUES, rel=1e-5)


PACKED = [gzip.compress(text, mtime=0) for text in (b"file,source\n" * 99, b"file,source\na,b\n", b"\xff\n")]


@pytest.mark.parametrize("data", [b"no gzip", PACKED[0][:-9], *PACKED[1:]])
def test_an_index_that_is_none_is_told_before_anything_is_written(tmp_path, data):
    """Another file of that name, one that is cut off, other columns."""
    (tmp_path / uniform_table.INDEX).write_bytes(data)
    told = r"index\.csv\.gz (cannot be read|is no index of curves).*take it away"
    with pytest.raises(UserError, match=told):
        uniform_table.write(tmp_path, ORIGIN, [ONE], [])
    assert not (tmp_path / ORIGIN.file).exists()


def test_many_at_once_all_come_into_the_index(tmp_path):
    """Each waits for the other between reading and writing it."""
    origins = [replace(ORIGIN, file=f"{i}.csv.gz") for i in range(12)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda origin: uniform_table.write(tmp_path, origin, [ONE], []), origins))
    assert {row["file"] for row in rows(tmp_path / uniform_table.INDEX)} == {one.file for one in origins}


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_command_to_clone_brings_the_folder_at_the_commit(tmp_path):
    """Tried on a repository of ours, whose second commit takes the file away."""

    def git(*words):
        named = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main", *words]
        return subprocess.run(named, cwd=tmp_path / "ours", check=True, capture_output=True, text=True).stdout

    for name in ("data/a.json", "elsewhere/b.json"):
        (tmp_path / "ours" / name).parent.mkdir(parents=True)
        (tmp_path / "ours" / name).write_text("[1]")
    for words in (("init",), ("add", "."), ("commit", "-m", "first")):
        git(*words)
    origin = replace(ORIGIN, commit=git("rev-parse", "HEAD").strip())
    git("rm", "-r", "data")
    git("commit", "-m", "second")
    command = origin.to_clone.replace(origin.address, f"file://{tmp_path / 'ours'} thing")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert origin.json(*origin.inside(tmp_path / "thing", "*.json")) == [1]
    assert not (tmp_path / "thing" / "elsewhere").exists()
