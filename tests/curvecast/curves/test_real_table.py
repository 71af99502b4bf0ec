"""Guards real_table.py: what is written comes out, and no part of a table is taken for the whole."""

import gzip
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from curvecast.curves import real_table
from curvecast.curves.real_table import TEST_ONLY, side
from curvecast.curves.sources.origin import objects
from curvecast.ground.errors import UserError
from tests.curvecast.refusals import refuses

ROW = {
    "file": "a.csv.gz", "source": "made up", "curve_id": "one", "task": "t", "group": "g", "metric": "accuracy",
    "higher_is_better": "1", "n_points": "3", "first_point_untrained": "0", "value_min_possible": "0",
    "value_max_possible": "1", "licence": "MIT",
}  # fmt: skip
ONE, TWO = [(0, 0.1), (10, 0.4), (20, 0.5)], [(1, 0.0), (2, 1.0), (4, 0.3)]


def write(path, rows):
    path.write_bytes(gzip.compress("".join(",".join(map(str, row)) + "\n" for row in rows).encode()))


def write_index(where, *rows):
    """Each row differs so much from ROW."""
    write(where / real_table.INDEX, [ROW, *((ROW | row).values() for row in rows)])


def write_points(where, *curves, file="a.csv.gz", source="made up"):
    points = [(source, name, *point) for name, curve in curves for point in curve]
    write(where / file, [real_table.POINTS, *points])


def folder(tmp_path, curves=None, **about):
    """Tables of made-up curves, {name: points}; `about` changes the row of the first one in the index."""
    curves = {"one": ONE, "two": TWO} if curves is None else curves
    rows = [{"curve_id": name, "n_points": len(curve)} for name, curve in curves.items()]
    write_index(tmp_path, rows[0] | about, *rows[1:])
    write_points(tmp_path, *curves.items())
    return tmp_path


def complaint(where, file=None):
    with pytest.raises(UserError) as told:
        real_table.read(where, file)
    return str(told.value).replace(f"{where}/", "")


def test_curves_are_read_as_they_were_written(tmp_path):
    first, second = real_table.read(folder(tmp_path))
    assert (first.source, first.curve_id, first.task, first.group) == ("made up", "one", "t", "g")
    assert (first.metric, first.licence) == ("accuracy", "MIT")
    assert list(zip(first.steps, first.values, strict=True)) == ONE and first.untrained is None
    assert not first.minimise and (first.low, first.high) == (0, 1)
    assert second.curve_id == "two" and list(second.values) == [0, 1, 0.3]


def test_the_untrained_point_is_kept_apart(tmp_path):
    loss = {"higher_is_better": 0, "value_max_possible": "", "value_min_possible": ""}
    first, _ = real_table.read(folder(tmp_path, first_point_untrained=1, **loss))
    assert first.untrained == 0.1 and list(first.steps) == [10, 20] and list(first.values) == [0.4, 0.5]
    assert first.minimise and (first.low, first.high) == (-math.inf, math.inf)
    assert "fewer than two" in complaint(folder(tmp_path, {"one": ONE[:2]}, first_point_untrained=1))


def test_the_order_is_that_of_the_index_over_several_files(tmp_path):
    order = [
        ("three", "b", "made up"), ("two", "a", "made up"), ("one", "b", "made up"), ("two", "c", "other"),
    ]  # fmt: skip
    write_index(tmp_path, *({"curve_id": n, "file": f"{file}.csv.gz", "source": s} for n, file, s in order))
    write_points(tmp_path, ("two", TWO))
    write_points(tmp_path, ("one", ONE), ("two", TWO), ("three", ONE), file="b.csv.gz")
    write_points(tmp_path, ("two", ONE), file="c.csv.gz", source="other")
    assert [(one.curve_id, one.source) for one in real_table.read(tmp_path)] == [(n, s) for n, _, s in order]
    assert [curve.curve_id for curve in real_table.read(tmp_path, "b.csv.gz")] == ["three", "one"]
    assert "names no file 'd.csv.gz': take one of a.csv.gz, b.csv.gz" in complaint(tmp_path, "d.csv.gz")


def test_the_variable_names_the_folder_and_what_is_not_there_is_told(tmp_path, monkeypatch):
    for value in ("some/where", ""):
        monkeypatch.setenv(real_table.VARIABLE, value)
        assert real_table.folder() == (Path(value) if value else None)
    assert "there is no folder" in complaint(tmp_path / "none")
    assert "there is no file index.csv.gz" in complaint(tmp_path)
    write_index(tmp_path, {})
    assert "there is no file a.csv.gz" in complaint(tmp_path)
    for n, curves in ((0, []), (0, [("other", ONE)]), (2, [("one", ONE[:2])])):
        write_points(tmp_path, *curves)
        assert f"has {n} points of the curve 'one', not the 3" in complaint(tmp_path)


@pytest.mark.parametrize(("curve", "told"), [
    ([(0, 0.1)], "fewer than two trained points"), ([(0, 0.1), (1, 0.2), (1, 0.3)], "steps that do not rise"),
    ([(0, 0.1), (1, 1.2), (2, 0.3)], "values outside 0 to 1"), ([(0, 0.1), (1, -0.2)], "values outside 0 to 1"),
])  # fmt: skip
def test_a_curve_that_cannot_be_is_told(tmp_path, curve, told):
    assert complaint(folder(tmp_path, {"two": TWO, "one": curve})) == f"a.csv.gz: the curve 'one' has {told}"


@pytest.mark.parametrize(("about", "told"), [
    ({"higher_is_better": "True"}, "the curve 'one' has a higher_is_better other than 0 and 1"),
    ({"first_point_untrained": ""}, "the curve 'one' has a first_point_untrained other than 0 and 1"),
    ({"value_max_possible": "much"}, "has a bound that is no number"),
    ({"value_min_possible": 1}, "the curve 'one' has bounds that do not rise"),
    ({"curve_id": "two"}, "the curve 'two' is there twice"),
])  # fmt: skip
def test_a_row_of_the_index_that_cannot_be_is_told(tmp_path, about, told):
    said = complaint(folder(tmp_path, **about))
    assert said.startswith("index.csv.gz") and told in said


def test_a_table_that_is_cut_off_or_none_is_told_with_its_file(tmp_path):
    whole = (folder(tmp_path) / "a.csv.gz").read_bytes()
    for data in (
        *(whole[:cut] for cut in (4, 12, 30, -12, -3)),
        b"step,value\n",
        gzip.compress(b"step\n1\n"),
    ):
        (tmp_path / "a.csv.gz").write_bytes(data)
        assert complaint(tmp_path).startswith("a.csv.gz cannot be read as a gzipped table")
    write_points(tmp_path, ("one", [(0, 0.1), (1, "nan"), (2, 0.3)]))
    assert complaint(tmp_path) == "a.csv.gz: value is not a finite number everywhere"


def test_text_stays_text_and_numbers_are_exact(tmp_path):
    digits = "0.1234567890123456"
    write(tmp_path / "t.csv.gz", [("name", "more", "step"), ("001", "x", 1), ("NA", "x", digits)])
    table = real_table.table(tmp_path / "t.csv.gz", ("name",), ("step",))
    assert list(table) == ["name", "step"] and list(table["name"]) == ["001", "NA"]
    assert table["step"].dtype == np.float64 and table["step"].iat[1] == float(digits)


class Deed:
    """Unpickling it creates a file."""

    def __init__(self, proof: Path):
        self.proof = proof

    def __reduce__(self):
        return Path.touch, (self.proof,)


def test_containers_and_numbers_come_out_of_a_pickle_and_nothing_in_it_runs(tmp_path):
    """One object after the other, as the old format of torch has them."""
    held = [1001, {"acc": [0.1, 0.2]}, [1, True, None, "x"]]
    for protocol in (2, 4):
        (tmp_path / "log").write_bytes(b"".join(pickle.dumps(one, protocol) for one in held))
        assert objects(tmp_path / "log") == held
    evil = pickle.dumps({"acc": [0.1], "deed": Deed(tmp_path / "proof")})
    pickle.loads(evil)
    (tmp_path / "proof").unlink()  # the deed is one
    (tmp_path / "log").write_bytes(evil)
    told = r"log is not a pickle of containers and numbers alone \(.*it asks for "
    refuses(told, objects, tmp_path / "log")
    assert not (tmp_path / "proof").exists()


@pytest.mark.parametrize(("data", "told"), [
    (b"", "is empty"), (b"\xff\xff", "alone"), (pickle.dumps([1, 2])[:-1], "cut off"),
    (b"NQ.", "persistent id"),  # of what lies outside the file
    (pickle.dumps(print), "asks for builtins.print"),
])  # fmt: skip
def test_a_file_that_is_no_plain_pickle_is_told_in_a_sentence(tmp_path, data, told):
    (tmp_path / "log").write_bytes(data)
    refuses(f"log .*{told}", objects, tmp_path / "log")


GROUPS = [f"made up/{i}" for i in range(4000)]


def test_which_side_a_group_is_on_was_settled_once_and_stays():
    """These were there before the first fit; about half of many is on each side, and the source counts too."""
    lstm = side("taskset", "imdb_patch128_LSTM128_bs64")
    assert side("algoperf", "librispeech_conformer/amos") == lstm == "look"
    assert side("deepobs", "cifar10_3c3d/AdamOptimizer") == side("lcdb11", "openml-11") == "judge"
    assert {"adabelief_cifar10", "modded_nanogpt", "pythia"} == set(TEST_ONLY)
    assert {side(source, name) for source in TEST_ONLY for name in GROUPS} == {"judge"}
    one, other = ([side(source, name) == "look" for name in GROUPS] for source in ("taskset", "deepobs"))
    assert abs(np.mean(one) - 0.5) < 0.032 and abs(np.mean(np.equal(one, other)) - 0.5) < 0.032
