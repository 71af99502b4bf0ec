"""Guards smoke scale: whatever a question chooses from at a larger scale it names at smoke scale, or it says why not.

A choice is a name in a tuple of the Config, or a text or a switch inside what the Config holds: the head of a network that
is trained, say. Numbers are sizes and no choices, and so are texts like 3x128.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from types import SimpleNamespace

import pytest

from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce._press import contract
from reproduce._press.contract import Question

SIZE = re.compile(r"\d+x\d+")
Choices = dict[str, set[object]]  # by the field that they stand in, "asked.kinds"


def choices(question: Question, *scales: str) -> Choices:
    found: Choices = {}
    for scale in scales:
        for path, choice in _choices(question.config(scale), ""):
            found.setdefault(path, set()).add(choice)
    return found


def _choices(value: object, path: str) -> Iterator[tuple[str, object]]:
    if is_dataclass(value):
        for field in fields(value):
            inner = getattr(value, field.name)
            if path or not isinstance(inner, str | bool):  # of the Config itself one text is no tuple
                yield from _choices(inner, f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, dict | tuple | list | frozenset):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _choices(entry, path)
    elif isinstance(value, bool) or (isinstance(value, str) and not SIZE.fullmatch(value)):
        yield path, value


def words(names: set[str]) -> set[str]:
    """Of names of parts, without their numbers: "exact10" and "network-3x128" are exact, network and x."""
    return {re.sub(r"\d+", "", word) for name in names for word in re.split(r"[-._]", name)}


def parts(question: Question, *scales: str) -> set[str]:
    return words({part for scale in scales for part in question.parts(scale)})


def sizes(question: Question, *scales: str) -> set[str]:
    """Names by which a Config calls networks in a dict: what these are like counts, and not what they are called."""
    values = [value for scale in scales for value in vars(question.config(scale)).values()]
    return words({str(key) for value in values if isinstance(value, dict) for key in value})


def missing(question: Question) -> Choices:
    """What a larger scale names and smoke scale does not; under "parts" kinds of parts that follow from no such field."""
    smoke, larger = choices(question, "smoke"), choices(question, "laptop", "paper")
    lacking = {field: named - smoke.get(field, set()) for field, named in larger.items()}
    chosen = {str(choice) for named in larger.values() for choice in named}
    kinds = parts(question, "laptop", "paper") - parts(question, "smoke")
    lacking["parts"] = kinds - words(chosen) - sizes(question, "laptop", "paper")
    return {field: named for field, named in lacking.items() if named}


def excuses(question: Question) -> dict[str, str]:
    return dict(getattr(question.module, "NOT_AT_SMOKE_SCALE", {}))


@pytest.mark.parametrize("name", contract.names())
def test_smoke_scale_names_all_choices_or_says_why_not(name):
    """And no reason is left for what is named by now."""
    question = contract.load(name)
    lacks, reasons = missing(question), excuses(question)
    unnamed = {field: sorted(map(str, named)) for field, named in lacks.items() if field not in reasons}
    assert not unnamed, (
        f"{question.path}: name these at smoke scale, or say why not in NOT_AT_SMOKE_SCALE: {unnamed}"
    )
    assert not set(reasons) - set(lacks), (
        f"{question.path}: smoke scale lacks nothing of {set(reasons) - set(lacks)}"
    )
    assert all(len(reason.split()) > 3 for reason in reasons.values())


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = ("a", "b")
    networks: dict | None = None
    seeds: tuple[int, ...] = (1, 2)
    size: str = "3x128"


def question(smoke: Config, paper: Config, parts=lambda config: ["all"]) -> Question:
    scales = {"smoke": smoke, "laptop": smoke, "paper": paper}
    return Question("made_up", SimpleNamespace(SCALES=scales, parts=parts), "made_up.py")


def test_a_name_that_smoke_scale_leaves_out_is_found():
    assert missing(question(Config(("a",)), Config())) == {"rows": {"b"}}
    assert missing(question(Config(), Config(("a",)))) == {}


def test_numbers_and_sizes_are_no_choices():
    assert missing(question(Config(seeds=(1,), size="1x16"), Config())) == {}


def test_another_kind_of_network_is_a_choice():
    """Whatever it is called."""
    ours = TrainConfig(ModelConfig(16, 1, 2), curves=64)
    paper = {"P3": replace(ours, optimiser="adam"), "large": replace(ours, curves=128)}
    assert missing(question(Config(networks={"tiny": ours}), Config(networks=paper))) == {
        "networks.optimiser": {"adam"}
    }


def test_a_kind_of_part_that_smoke_scale_has_not_is_found():
    """Numbers of parts, and parts that are called as what was chosen, are none."""
    some = question(
        Config(), Config(size="2x96"), lambda c: ["a-0", "whole"] if c.size == "2x96" else ["a-1"]
    )
    assert missing(some) == {"parts": {"whole"}}
