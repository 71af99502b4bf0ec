"""Guards reproduce/_press/answers/golden.py and freshness.py: what counts as moved, and what a reader is told."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from reproduce._press import contract, smoke
from reproduce._press.answers import freshness, golden, inputs, receipts
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.golden import Golden, line_of

floats = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)
KINDS = ["ours", "paper", "ours", "pow3"]


def moved(before: list, today: list, tolerance: str = "") -> list[str]:
    """What moved between two columns of the same name."""
    lines = ({"rows.x": line_of("rows.x", [str(v) for v in values], tolerance)} for values in (before, today))
    return golden.moved(*lines)


@pytest.mark.parametrize(
    ("before", "today", "told"),
    [
        ([0.5, 0.25], [0.5, 0.25], []),
        ([0.5, 0.25], [0.5001, 0.25], []),  # another processor adds in another order
        ([0.5, 0.25], [0.51, 0.25], ["rows.x: mean 0.375 → 0.38"]),
        ([0.5, 0.25], [0.25, 0.5], ["rows.x: ordered_mean 0.333333 → 0.416667"]),  # two rows swapped
        ([0.5, 0.25], [0.5, 0.25, 0.375], ["rows.x: count 2 → 3"]),
        ([0.5, 0.25], [0.5, ""], ["rows.x: finite 2 → 1"]),
        ([0.5, "inf"], [0.5, 0.25], ["rows.x: finite 1 → 2"]),
        ([1e-9, 2.5e-9], [3e-9, 1.5e-9], []),  # nothing but rounding errors
        ([3, 4], [3, 5], ["rows.x: other texts or integers"]),
        (KINDS, KINDS, []),
        (KINDS, ["paper", "ours", "ours", "pow3"], ["rows.x: other texts or integers"]),  # two labels swapped
        ([True, False], [False, True], ["rows.x: other texts or integers"]),
    ],
)  # fmt: skip
def test_what_counts_as_moved(before, today, told):
    """Order, count, finiteness and texts are exact; numbers may move by a thousandth of their size."""
    assert moved(before, today) == told


def test_a_column_that_comes_or_goes_has_moved():
    """Whichever side lacks it."""
    line = line_of("rows.x", ["1"])
    assert golden.moved({"rows.x": line}, {}) == ["rows.x: is gone"]
    assert golden.moved({}, {"rows.x": line}) == ["rows.x: is new"]


def test_a_declared_tolerance_is_looser_and_no_more():
    """A share of the column's size, also of integers; a chaotic column is compared by count and finiteness."""
    assert moved([0.5, 0.25], [0.51, 0.25], "0.05") == []
    assert moved([0.5, 0.25], [0.6, 0.25], "0.05") == ["rows.x: mean 0.375 → 0.425"]
    assert moved([100, 200], [101, 200], "0.05") == []
    assert moved([0.5, 0.25], [9.5, 7], "chaotic") == []
    assert moved([0.5, 0.25], [9.5, ""], "chaotic") == ["rows.x: finite 2 → 1"]
    assert moved(["a", "b"], ["b", "c"], "chaotic") == []


@given(floats)
def test_a_line_agrees_with_itself_and_survives_its_file(tmp_path_factory, values):
    """Six digits are kept; the file reads back as it was written."""
    line = line_of("rows.x", [f"{value:.9g}" for value in values], "0.001")
    assert golden.differ(line, line_of("rows.x", [f"{value:.6g}" for value in values], "0.001")) == ""
    path = tmp_path_factory.mktemp("golden") / golden.FILE
    whole = Golden({"rows.x": line}, {"smoke": "a", "laptop": "b"}, "numpy 2", "make bench, since c0ffee")
    path.write_bytes(golden.write("q", whole))
    assert golden.read(path) == whole


def test_only_lines_that_moved_are_written_anew():
    """What another processor makes of the rest stays out of the diff, and so do its libraries."""
    before = Golden({"a": line_of("a", ["0.5"]), "b": line_of("b", ["0.5"])}, {"smoke": "s"}, "numpy 2.0")
    today = Golden({"a": line_of("a", ["0.5001"]), "b": line_of("b", ["0.7"])}, {"smoke": "s"}, "numpy 2.1")
    kept = golden.kept(before, today)
    assert (kept.lines["a"], kept.lines["b"], kept.versions) == (
        before.lines["a"],
        today.lines["b"],
        "numpy 2.1",
    )
    same = golden.kept(before, Golden(before.lines, {"smoke": "t"}, "numpy 2.1"))
    assert (same.settings, same.versions) == ({"smoke": "t"}, "numpy 2.0")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda text: text[:-9], "is cut off"),
        (lambda text: "".join(text.splitlines(True)[:-1]), "has 1 of its 2 lines"),
        (lambda text: text + text.splitlines(True)[-1], "has two lines for rows.y"),
        (lambda text: text.replace(",median,", ","), "is cut off or no file of golden numbers"),
        (lambda text: text + "rows.z,1\n", "has a line of 2 fields instead of 11: 'rows.z,1'"),
        (lambda text: text.replace("0.375", "0.3<"), "has '0.3<' in the line of rows.x"),
        (lambda _: "", "is cut off"),
    ],
)
def test_a_damaged_file_is_told_with_the_way_out(tmp_path, damage, told):
    """Cut off anywhere, a column twice, a field missing: the file, what is wrong, and both ways out."""
    lines = {name: line_of(name, ["0.5", "0.25"]) for name in ("rows.x", "rows.y")}
    path = tmp_path / "figures" / "q" / golden.FILE
    path.parent.mkdir(parents=True)
    path.write_text(damage(golden.write("q", Golden(lines)).decode()))
    with pytest.raises(UserError, match=rf"figures/q/golden\.csv {told}.*git checkout.*smoke q --keep"):
        freshness.of("q", tmp_path)


@pytest.fixture
def smoked(tmp_path, monkeypatch):
    """The golden numbers of a toy that gave these rows at smoke scale."""
    monkeypatch.setattr(contract, "on_request", lambda *_: None)

    def make(rows: str, **declared):
        folder = tmp_path / HOMES["smoke"] / "toy" / "smoke"
        folder.mkdir(parents=True)
        (folder / "rows.csv").write_text(rows)
        config = dataclass(frozen=True)(type("Config", (), {}))()
        module = SimpleNamespace(SCALES=dict.fromkeys(contract.SCALES, config), **declared)
        return smoke.measured(contract.Question("toy", module, Path("toy.py")), tmp_path)

    return make


def test_stopwatches_have_no_golden_numbers(smoked):
    """No two runs share them; the rest is there, with the settings of every scale."""
    found = smoked("x,seconds\n0.5,3\n", STOPWATCHES=("rows.seconds",))
    assert list(found.lines) == ["rows.x"] and set(found.settings) == set(contract.SCALES)


def test_a_question_without_rows_at_smoke_scale_is_refused(smoked):
    """Nothing would guard it."""
    with pytest.raises(UserError, match=r"toy\.py measures no row at smoke scale"):
        smoked("x,seconds\n")


def test_a_tolerance_of_an_unknown_column_is_refused(smoked):
    """A column that was renamed would lose its tolerance unseen."""
    with pytest.raises(UserError, match=r"TOLERANCES names rows\.y, which is no column"):
        smoked("x\n0.5\n", TOLERANCES={"rows.y": (0.1, "a reason")})


# ------------------------------------------------------------------------------------------ what a reader is told

LINES = {"rows.x": line_of("rows.x", ["0.5", "0.25"])}


@pytest.fixture
def tree(tmp_path):
    """A published answer of q that is up to date."""
    (tmp_path / "figures" / "q" / "laptop").mkdir(parents=True)
    keep(tmp_path, Golden(LINES, {"laptop": "settings"}))
    note(tmp_path)
    return tmp_path


def keep(root, today: Golden) -> None:
    (root / "figures" / "q" / golden.FILE).write_bytes(golden.write("q", today))


def note(root, **other) -> None:
    receipt = {
        "question": "q", "part": "a", "parts": ["a"], "scale": "laptop", "settings": "settings", "inputs": {},
        "golden": golden.texts(LINES), "command": "python -m reproduce run q --scale laptop", "files": {},
    } | other  # fmt: skip
    gone = {name for name, value in receipt.items() if value is None}
    some = {name: value for name, value in receipt.items() if name not in gone}
    (root / "figures/q/laptop" / receipts.FILE).write_text(json.dumps(receipts.together([some])))


def state(root) -> str:
    return freshness.freshness("q", "laptop", root).state


def test_an_answer_is_up_to_date_while_settings_inputs_and_golden_numbers_stand(tree):
    """Each of the three alone makes another state; no answer is missing."""
    assert state(tree) == "up to date"
    note(tree, settings="others")
    assert state(tree) == "settings have changed"
    note(tree)
    keep(tree, Golden({"rows.x": line_of("rows.x", ["0.5", "0.5"])}, {"laptop": "settings"}))
    told = freshness.freshness("q", "laptop", tree)
    assert told.state == "made by earlier code" and "rows.x: mean 0.375 → 0.5" in told.detail
    assert freshness.freshness("q", "paper", tree).state == "missing"


@pytest.mark.parametrize(("name", "then"), [("race.x", "up to date"), ("rows.y", "made by earlier code")])
def test_a_table_that_came_later_says_nothing_of_older_parts_and_a_column_does(tree, name, then):
    keep(tree, Golden(LINES | {name: line_of(name, ["1"])}, {"laptop": "settings"}))
    assert state(tree) == then


@pytest.mark.parametrize(("today", "tolerance"), [("0.5001", ""), ("0.6", "0.5"), ("0.6", "chaotic")])
def test_golden_numbers_within_tolerance_leave_an_answer_up_to_date(tree, today, tolerance):
    """So that another processor may keep them; answers of before are compared by the tolerances of today."""
    keep(tree, Golden({"rows.x": line_of("rows.x", [today, "0.25"], tolerance)}, {"laptop": "settings"}))
    assert state(tree) == "up to date"


def test_replaced_weights_and_rows_are_changed_settings(tree):
    """What is not here cannot be compared; what lies here in another version is named."""
    weights = tree / "weights" / "published" / "ours-1x64.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"new")
    note(tree, inputs={"ours-1x64": inputs.sha256(weights), "ours-huge": "0"})
    assert state(tree) == "up to date"
    note(tree, inputs={"ours-1x64": "0"})
    told = freshness.freshness("q", "laptop", tree)
    assert told.state == "settings have changed" and "ours-1x64" in told.detail


def test_a_receipt_without_settings_has_changed_settings(tree):
    """Receipts had keys of code once."""
    note(tree, golden=None, settings=None)
    assert state(tree) == "settings have changed"


def test_missing_parts_are_counted(tree):
    """An answer of which only some parts were measured says how many."""
    note(tree, parts=["a", "b", "c"])
    assert freshness.freshness("q", "laptop", tree).parts == "1 of 3 parts"


def test_damaged_golden_numbers_prove_nothing(tree):
    """The reader sees made by earlier code, and which file is damaged."""
    (tree / "figures" / "q" / golden.FILE).write_text("")
    told = freshness.freshness("q", "laptop", tree)
    assert told.state == "made by earlier code" and "figures/q/golden.csv is cut off" in told.detail


def test_without_golden_numbers_an_answer_rests_on_its_inputs(tree):
    """As a question that somebody has just begun."""
    (tree / "figures" / "q" / golden.FILE).unlink()
    note(tree, golden=[])
    assert state(tree) == "up to date"
