"""Guards golden numbers and what a reader is told of them: what counts as moved, and when an answer is up to date."""

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toys import noted

from presswork import contract, questions, smoke
from presswork.answers import freshness, golden, receipts
from presswork.answers.answer import HOMES
from presswork.answers.golden import Golden, line_of
from presswork.ground.errors import UserError

KINDS = ["ours", "paper", "ours", "pow3"]


@pytest.mark.parametrize(("before", "today", "tolerance", "told"), [
    ([0.5, 0.25], [0.5001, 0.25], "", []),  # another processor adds in another order
    ([0.5, 0.25], [0.51, 0.25], "", ["rows.x: mean 0.375 → 0.38"]),
    ([0.5, 0.25], [0.25, 0.5], "", ["rows.x: ordered_mean 0.333333 → 0.416667"]),  # two rows swapped
    ([0.5, 0.25], [0.5, 0.25, 0.375], "", ["rows.x: count 2 → 3"]),
    ([0.5, 0.25], [0.5, ""], "", ["rows.x: finite 2 → 1"]), ([0.5, "inf"], [0.5, 0.25], "", ["rows.x: finite 1 → 2"]),
    ([1e-9, 2.5e-9], [3e-9, 1.5e-9], "", []),  # nothing but rounding errors
    ([3, 4], [3, 5], "", ["rows.x: other texts or integers"]), (KINDS, KINDS, "", []),
    (KINDS, ["paper", "ours", "ours", "pow3"], "", ["rows.x: other texts or integers"]),
    ([0.5, 0.25], [0.51, 0.25], "0.05", []),  # a declared share of the size, also of integers
    ([0.5, 0.25], [0.6, 0.25], "0.05", ["rows.x: mean 0.375 → 0.425"]), ([100, 200], [101, 200], "0.05", []),
    ([0.5, 0.25], [9.5, 7], "chaotic", []),  # compared by count and finiteness
    ([0.5, 0.25], [9.5, ""], "chaotic", ["rows.x: finite 2 → 1"]), (["a", "b"], ["b", "c"], "chaotic", []),
])  # fmt: skip
def test_what_counts_as_moved(before, today, tolerance, told):
    """Order, count, finiteness and texts are exact; numbers may move by a thousandth of their size, or as declared."""
    lines = ({"rows.x": line_of("rows.x", list(map(str, values)), tolerance)} for values in (before, today))
    assert golden.moved(*lines) == told


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
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
    assert kept == Golden({"a": before.lines["a"], "b": today.lines["b"]}, {"smoke": "s"}, "numpy 2.1")
    same = golden.kept(before, Golden(before.lines, {"smoke": "t"}, "numpy 2.1"))
    assert (same.settings, same.versions) == ({"smoke": "t"}, "numpy 2.0")


@pytest.mark.parametrize(("damage", "told"), [
    (lambda text: text[:-9], "is cut off"), (lambda text: "".join(text.splitlines(True)[:-1]), "has 1 of its 2 lines"),
    (lambda text: text + text.splitlines(True)[-1], "has two lines for rows.y"),
    (lambda text: text.replace(",median,", ","), "is cut off or no file of golden numbers"),
    (lambda text: text + "rows.z,1\n", "has a line of 2 fields instead of 11: 'rows.z,1'"),
    (lambda text: text.replace("0.375", "0.3<"), "has '0.3<' in the line of rows.x"), (lambda _: "", "is cut off"),
])  # fmt: skip
def test_a_damaged_file_is_told_with_the_way_out_and_proves_nothing(tree, damage, told):
    lines = {name: line_of(name, ["0.5", "0.25"]) for name in ("rows.x", "rows.y")}
    path = tree / "figures" / "q" / golden.FILE
    path.write_text(damage(golden.write("q", Golden(lines)).decode()))
    with pytest.raises(UserError, match=rf"figures/q/golden\.csv {told}.*git checkout.*smoke q --keep"):
        freshness.of("q", tree)
    assert state(tree) == "made by earlier code"


@pytest.mark.parametrize(("rows", "declared", "says"), [
    ("x,seconds\n", {}, r"toy\.py measures no row at smoke scale"),
    ("x\n0.5\n", {"TOLERANCES": {"rows.y": (0.1, "why")}}, r"TOLERANCES names rows\.y, which is no column"),
])  # fmt: skip
def test_what_is_measured_at_smoke_scale_is_guarded(tmp_path, monkeypatch, rows, declared, says):
    """But for stopwatches, which no two runs share; no rows, or a tolerance of no column, would guard nothing."""
    monkeypatch.setattr(questions, "outside_the_tests", lambda *_: None)
    folder = tmp_path / HOMES["smoke"] / "toy" / "smoke"
    folder.mkdir(parents=True)
    config = dataclass(frozen=True)(type("Config", (), {}))()

    def measured(text: str, **more) -> Golden:
        (folder / "rows.csv").write_text(text)
        module = SimpleNamespace(SCALES=dict.fromkeys(contract.SCALES, config), **more)
        return smoke.measured(contract.Question("toy", module, Path("toy.py")), tmp_path)

    found = measured("x,seconds\n0.5,3\n", STOPWATCHES=("rows.seconds",))
    assert list(found.lines) == ["rows.x"] and set(found.settings) == set(contract.SCALES)
    with pytest.raises(UserError, match=says):
        measured(rows, **declared)


LINES = {"rows.x": line_of("rows.x", ["0.5", "0.25"])}


@pytest.fixture
def tree(tmp_path):
    """A published answer of q that is up to date."""
    (tmp_path / "figures" / "q" / "laptop").mkdir(parents=True)
    keep(tmp_path, LINES)
    note(tmp_path)
    return tmp_path


def keep(root, lines: dict) -> None:
    content = golden.write("q", Golden(lines, {"laptop": "settings"}))
    (root / "figures" / "q" / golden.FILE).write_bytes(content)


def note(root, **other) -> None:
    receipt = {
        "question": "q", "part": "a", "parts": ["a"], "scale": "laptop", "settings": "settings", "inputs": {},
        "golden": golden.texts(LINES), "command": "python -m reproduce run q --scale laptop", "files": {},
    } | other  # fmt: skip
    some = {name: value for name, value in receipt.items() if value is not None}
    (root / "figures/q/laptop" / receipts.RECEIPTS).write_text(json.dumps(receipts.together([some])))


def state(root) -> str:
    return freshness.freshness("q", "laptop", root).state


@pytest.mark.parametrize(("noted", "then"), [
    ({}, "up to date"), ({"settings": "others"}, "settings have changed"),
    ({"settings": None, "golden": None}, "settings have changed"),  # receipts once had keys of code
    ({"inputs": {"ours-1x64": "0"}}, "settings have changed"),
    ({"inputs": {"ours-huge": "0"}}, "up to date"),  # what is not here cannot be compared
])  # fmt: skip
def test_an_answer_is_up_to_date_while_its_settings_and_inputs_stand(tree, noted, then):
    weights = tree / "weights" / "published" / "ours-1x64.safetensors"
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"new")
    note(tree, **({"inputs": {"ours-1x64": receipts.hash_of_file(weights)}} | noted))
    assert state(tree) == then
    assert freshness.freshness("q", "paper", tree).state == "missing"


@pytest.mark.parametrize(("name", "values", "tolerance", "then"), [
    ("rows.x", ["0.5001", "0.25"], "", "up to date"),  # another processor
    ("rows.x", ["0.5", "0.5"], "", "made by earlier code"),
    ("rows.x", ["0.6", "0.25"], "0.5", "up to date"),  # by the tolerances of today
    ("rows.x", ["0.6", "0.25"], "chaotic", "up to date"),
    ("rows.y", ["1"], "", "made by earlier code"),  # a column that came later
    ("race.x", ["1"], "", "up to date"),  # a table that came later says nothing of older parts
])  # fmt: skip
def test_an_answer_is_up_to_date_while_its_golden_numbers_stand(tree, name, values, tolerance, then):
    keep(tree, LINES | {name: line_of(name, values, tolerance)})
    assert state(tree) == then


def test_a_question_that_somebody_has_just_begun_rests_on_its_inputs_and_counts_its_parts(tree):
    (tree / "figures" / "q" / golden.FILE).unlink()
    note(tree, golden=[], parts=["a", "b", "c"])
    assert state(tree) == "up to date"
    assert freshness.freshness("q", "laptop", tree).parts == "1 of 3 parts"


def test_the_first_golden_numbers_are_noted_where_the_code_has_not_changed_since(project):
    """Else an answer of earlier code would pass for one of today."""
    project.commit()
    project.run("run", "line", "grid", "--scale", "laptop")
    project.run("publish", "line", "--scale", "laptop")
    assert noted(project.published("line"))["all"]["golden"]
    project.edit("lib/scores/metrics.py", "x + 1", "1 + x")
    project.run("publish", "grid", "--scale", "laptop")
    assert not any(receipt["golden"] for receipt in noted(project.published("grid")).values())
    assert (project.published("grid").parent / "golden.csv").is_file()


def test_an_answer_is_up_to_date_when_golden_numbers_of_its_own_code_are_kept_later(project):
    """The first ones, and others: what made it is the commit that is measured for them."""
    for edit in (("x + 1", "1 + x"), ("1 + x", "2 + x")):
        project.edit("lib/scores/metrics.py", *edit)
        project.commit()
        project.run("run", "line", "--scale", "paper")
        project.run("check", "line", "--write", expect=0)
        assert "paper, here: up to date" in project.run("list").stdout
    project.edit("lib/scores/metrics.py", "2 + x", "3 + x")
    project.run("check", "line", "--write", expect=0)
    assert "paper, here: made by earlier code" in project.run("list").stdout


def test_without_git_an_answer_is_of_earlier_code_where_any_was_edited_since(project):
    """What `publish` says of it makes it up to date."""
    project.run("run", "line", "grid")
    assert "though" not in project.run("publish", "grid").stdout
    project.edit("lib/scores/metrics.py", "x + 1", "2 + x")
    told = project.run("publish", "line").stdout
    assert (
        "though made by earlier code (it is older than its golden numbers, and its code may be another one"
        in told
    )
    project.run(*told.split("python -m presswork ")[1].split())
    assert "though" not in project.run("publish", "line").stdout


def test_an_answer_of_another_config_is_up_to_date_once_it_is_published(project):
    """Also for pages, which import no question: the settings beside its golden numbers are those of today."""
    for points in (3, 4):
        if points > 3:
            project.edit("reproduce/toys/line.py", '"laptop": Config(3)', f'"laptop": Config({points})')
        project.commit()
        project.run("run", "line", "--scale", "laptop")
        assert "though" not in project.run("publish", "line", "--scale", "laptop").stdout
        assert "laptop, published: up to date" in project.run("list").stdout


@pytest.mark.parametrize("file", ["helper.py", "pyproject.toml"])
def test_an_answer_is_dirty_where_what_lies_beside_the_questions_was_edited(project, file):
    project.commit()
    with project.imported():
        runner = importlib.import_module("presswork.run")
        assert runner.commit(project.root)[1] is False
        with open(project.root / file, "a") as edited:
            edited.write("# more\n")
        assert runner.commit(project.root)[1] is True
