"""Guards the parts of a question: names of files, made once from values and never taken apart again; and what it returns."""

import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from presswork import contract, store
from presswork.ground.errors import UserError


@dataclass(frozen=True)
class Config:
    rows: tuple = ("LSTM", "encoder–decoder, both ways")
    seeds: int = 2
    model: str = "small"
    cutoffs: tuple = ()


def question(**names) -> contract.Question:
    module = ModuleType("question")
    module.__file__ = __file__
    vars(module).update({"Config": Config, "reads": lambda config: ["line"]} | names)
    return contract.Question("question", module, Path("question.py"))


def asked(names, scale="smoke"):
    """What `measure` is given for each part."""
    given = []

    def measure(config, part, row, seed, others):
        given.append((part, row, seed, others))
        return [{"x": 1}]

    one = question(measure=measure, **names)
    for part in one.parts(scale):
        one.measure(scale, part, {"line": "its rows"})
    return given


def test_the_last_field_of_a_template_is_the_outermost_loop_and_measure_gets_values():
    read = {"line": "its rows"}
    assert asked({"PARTS": ("sum", "{row}-{seed}", "none{cutoff}")}) == [
        ("sum", None, None, read),
        ("LSTM-0", "LSTM", 0, read),
        ("encoder-decoder.both_ways-0", "encoder–decoder, both ways", 0, read),
        ("LSTM-1", "LSTM", 1, read),
        ("encoder-decoder.both_ways-1", "encoder–decoder, both ways", 1, read),
    ]


def test_what_no_part_of_a_scale_stands_for_is_none():
    """And not the rows that are read, as a name would get that no scale knows."""
    scales = {"smoke": Config(rows=()), "laptop": Config(), "paper": Config()}
    assert asked({"PARTS": ("sum", "{row}-{seed}"), "SCALES": scales})[0][1:3] == (None, None)


def test_parts_may_say_their_values_themselves():
    read = {"line": "its rows"}
    assert asked({"parts": lambda config: {"a": {"row": 7, "seed": 1}}}) == [("a", 7, 1, read)]
    none = dict.fromkeys(("row", "seed"))
    assert asked({"parts": lambda config: {"a": none}}) == [("a", None, None, read)]


def test_what_parts_need_is_made_before_once():
    one = question(PARTS="{row}-{seed}", needs=lambda config, seed: [f"training {seed}"])
    assert one.needed("smoke", "LSTM-1") == ["training 1"]
    assert one.models("smoke") == ["training 0", "training 1"]


@pytest.mark.parametrize(("parts", "rows", "wrong"), [
    ("{width}", (), "PARTS names {width}, but Config has neither widths nor"),
    ("{row}", ("no é", "no ü"), "{'row': 'no é'} and {'row': 'no ü'} are both the part 'no_': rename one."),
])  # fmt: skip
def test_parts_that_cannot_be_made_are_told_with_their_line(parts, rows, wrong):
    scales = dict.fromkeys(("smoke", "laptop", "paper"), Config(rows=rows))
    with pytest.raises(UserError, match=r"question.py:\d+: " + re.escape(wrong)):
        question(PARTS=parts, SCALES=scales, measure=len).parts("smoke")


def refused(read, **names):
    """The sentence about a question that reads, or does not."""
    one = question(PARTS="{row}-{seed}", **names)
    if not read:
        del one.module.reads
    with pytest.raises(UserError) as told:
        one.needed("smoke", "LSTM-0") if "needs" in names else one.measure("smoke", "LSTM-0", {})
    return str(told.value)


def test_a_name_that_nobody_gives_is_told_with_the_nearest_one():
    """Where the question reads others, one such name of `measure` asks for their rows, and no second one."""
    near = "could ask for, 'sead'; did you mean 'seed'?"
    assert refused(False, measure=lambda config, sead: []).endswith(near)
    assert refused(True, measure=lambda config, sead, rows_of_others: []).endswith(near)
    assert refused(True, needs=lambda config, sead: []).endswith(near)


TABLE = pd.DataFrame({"seed": [0, 1], "method": ["None", "NA"], "ll": [1.5, 2.5]})


@pytest.mark.parametrize(("returned", "wrong"), [
    (None, "`measure` must return a DataFrame"),
    ("rows", "`measure` must return a DataFrame"),
    ({"rows": [1]}, "`measure` must return a DataFrame"),
    ([TABLE, TABLE], "`measure` must return a DataFrame"),
    (TABLE.groupby("method").mean(), r"the table 'rows' of `measure` has labels in its index, .* \.reset_index\(\)"),
    (TABLE.set_index(["seed", "method"]), "labels in its index"),
    (TABLE.T, "labels in its index"), (TABLE[[]], "of `measure` has no columns"), ({}, "must return a DataFrame"),
    ({"each": TABLE[["ll", "ll"]]}, "the table 'each' of `measure` has columns of one name"),
])  # fmt: skip
def test_what_cannot_be_stored_as_it_was_measured_is_refused(returned, wrong):
    """Rows that were left out leave holes in numbers that nobody named: these may go."""
    assert [*question(measure=lambda: TABLE[1:]).measure("smoke", "all", {})] == ["rows"]
    with pytest.raises(UserError, match=r"question\.py:\d+: .*" + wrong):
        question(measure=lambda: returned).measure("smoke", "all", {})


@pytest.mark.parametrize(("function", "returned", "wrong"), [
    ("estimates", {"a": 1.0}, "must return {key: Interval}"),
    ("draw", None, 'must return {"name": Figure}'),
    ("tabulate", {"a": "text"}, 'must return {"name": DataFrame}'),
    ("tabulate", {"a/b": TABLE}, "'a/b' of `tabulate` cannot be the name of a file"),
    ("claims", {"a": 1.0}, "must return [Claim(…), …]"),
    ("claims", None, "must return [Claim(…), …]"),
])  # fmt: skip
def test_what_is_shown_is_of_its_kind(function, returned, wrong):
    assert question(estimates=lambda rows: {"a": None}).estimates(TABLE, "smoke") == {}
    with pytest.raises(UserError, match=r"question\.py:\d+: .*" + re.escape(wrong)):
        question(measure=len, **{function: lambda rows: returned}).show(function, TABLE, "smoke")


def test_rows_are_read_back_as_they_were_measured(tmp_path):
    """Also labels that pandas would take for missing ones."""
    store.write_rows(tmp_path, {"rows": TABLE}, {"part": "all", "parts": ["all"]})
    assert store.read(tmp_path, ["all"])[0].equals(TABLE)
