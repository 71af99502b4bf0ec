"""Guards every question: its whole chain runs at the scale of tests and gives its golden numbers; what it declares is so."""

import functools
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from presswork import contract, questions, run, smoke, style
from presswork.answers import freshness
from presswork.contract import Question
from presswork.ground.blog import BLOG, SCALES

NAMES = contract.names()
LARGER = SCALES[1:]
load = functools.cache(contract.load)  # each time it looks through all chapters
each_question = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def folder(tmp_path_factory, monkeypatch, request) -> Path:
    """Of all these tests, of several processes too: what several questions read or train is made once.

    Figures are drawn and neither laid out nor written, which takes longest: answers.py does both with published ones."""

    def drawn(figure):
        figure.set_layout_engine("none")
        figure.draw_without_rendering()
        plt.close(figure)
        return b"<svg/>"

    monkeypatch.setattr(style, "svg", drawn)
    monkeypatch.setattr(run, "commit", lambda _: (None, None))  # else git is asked for each part
    base = tmp_path_factory.getbasetemp()
    made = (base.parent if hasattr(request.config, "workerinput") else base) / "at the scale of tests"
    made.mkdir(exist_ok=True)
    return made


@pytest.mark.slow
@each_question
def test_numbers_at_the_scale_of_tests_are_the_golden_ones(name, folder):
    """Within tolerance; settings of every scale are those of the head, from which a badge reads them without an import."""
    if why := smoke.cannot(name):
        pytest.skip(why)
    changed = smoke.compare(name, keep=False, folder=folder)
    assert not changed, f"{'; '.join(changed)}: {BLOG.command} check {name} --write keeps them"


@each_question
def test_the_head_has_the_settings_of_today(name):
    """Also of questions that the tests cannot measure, which say so in their head."""
    before = freshness.of(name, contract.ROOT)
    assert before.settings == {scale: load(name).settings(scale) for scale in SCALES}
    assert bool(before.unmeasured) == bool(questions.outside_the_tests(name))


@each_question
@pytest.mark.parametrize("scale", SCALES)
def test_what_parts_need_and_read_is_there(name, scale):
    """No part twice; what is made before is needed by one of them, and what is read at a scale is published."""
    question = load(name)
    parts, models = question.parts(scale), question.models(scale)
    assert parts and len(set(parts)) == len(parts)
    needed = [model for part in parts for model in question.needed(scale, part)]
    assert all(model in models for model in needed) and all(model in needed for model in models)
    for other, _, at in (read.partition("/") for read in question.reads(scale)):
        assert other in NAMES and (not at or (contract.ROOT / "figures" / other / at).is_dir())


# ------------------------------------------------------------------------ the scale of tests names what larger ones name

Choices = dict[str, set[object]]  # by the field that they stand in, "asked.kinds"


def choices(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """What a Config chooses: names in its tuples, texts and switches inside what it holds. Numbers, and texts like 3x128, are
    sizes and no choices."""
    if is_dataclass(value):
        for field in fields(value):
            inner = getattr(value, field.name)
            if path or not isinstance(inner, str | bool):  # of the Config itself one text is no tuple
                yield from choices(inner, f"{path}.{field.name}".lstrip("."))
    elif isinstance(value, dict | tuple | list | frozenset):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from choices(entry, path)
    elif isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"\d+x\d+", value)):
        yield path, value


def words(names: set[str]) -> set[str]:
    """Of names of parts, without their numbers: "exact10" and "network-3x128" are exact, network and x."""
    return {re.sub(r"\d+", "", word) for name in names for word in re.split(r"[-._]", name)}


def unnamed(question: Question) -> Choices:
    """What a larger scale names and that of tests does not; under "parts" kinds of parts that follow from no such field."""
    found = {scale: list(choices(question.config(scale))) for scale in SCALES}
    parts = {scale: words(set(question.parts(scale))) for scale in SCALES}
    larger = [choice for scale in LARGER for choice in found[scale]]
    sizes = [value for scale in LARGER for value in vars(question.config(scale) or object).values()]
    called = {str(key) for one in sizes if isinstance(one, dict) for key in one} | {str(x) for _, x in larger}
    kinds = set[object](chain(*(parts[scale] for scale in LARGER))) - parts[BLOG.smoke]
    lacking: Choices = {"parts": kinds - words(called)}
    for path, choice in set(larger) - set(found[BLOG.smoke]):
        lacking.setdefault(path, set()).add(choice)
    return {path: named for path, named in lacking.items() if named}


@each_question
def test_the_scale_of_tests_names_all_choices_or_says_why_not(name):
    """And no reason is left for what is named by now."""
    question = load(name)
    reasons, lacks = getattr(question.module, "NOT_AT_SMOKE_SCALE", {}), unnamed(question)
    assert set(lacks) == set(reasons), (
        f"{question.path}: name these at the scale of tests, or say why not: {lacks}"
    )
    assert all(len(reason.split()) > 3 for reason in reasons.values())
