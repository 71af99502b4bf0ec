"""Guards reproduce/_press/contract.py: what a question that breaks the contract is told."""

from types import SimpleNamespace

import pytest

from curvecast.ground.errors import UserError
from reproduce._press import contract


def test_unknown_names_get_the_nearest_known_one():
    """A typing error costs one sentence."""
    with pytest.raises(UserError, match="There is no scale 'latop'; did you mean 'laptop'"):
        contract.known("scale", "latop", contract.SCALES)
    with pytest.raises(UserError, match="there are: a, b"):
        contract.known("question", "xyz", ["a", "b"])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"__doc__": None}, "docstring"),
        ({"Config": object}, "frozen dataclass"),
        ({"SCALES": {}}, "smoke, laptop, paper"),
        ({"measure": None}, "measure is missing"),
        ({"claims": None}, "claims is missing"),
        (
            {"TOLERANCES": {"rows.x": (0.1, "")}},
            'TOLERANCES["rows.x"] must be (a share or "chaotic", "the reason")',
        ),
        ({"TOLERANCES": {"rows.x": 0.1}}, "the reason"),
        ({"TOLERANCES": {"rows.x": ("loose", "no idea")}}, "a share or"),
    ],
)
def test_a_broken_question_is_told_what_it_misses(change, complaint):
    """The complaint names the first thing that the contract asks for and does not find."""
    from dataclasses import make_dataclass

    config = make_dataclass("Config", [], frozen=True)
    scales = dict.fromkeys(contract.SCALES, config())
    whole = {"__doc__": "Why?", "Config": config, "SCALES": scales}
    whole |= dict.fromkeys(("measure", "draw", "tabulate", "claims"), print)
    assert contract.broken(SimpleNamespace(**whole)) is None
    assert complaint in contract.broken(SimpleNamespace(**(whole | change)))


def test_every_question_keeps_the_contract():
    """All files of reproduce/ without a leading underscore load, at every scale."""
    for name in contract.names():
        question = contract.load(name)
        for scale in contract.SCALES:
            assert question.parts(scale) and question.models(scale) is not None
