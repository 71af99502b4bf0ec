"""Guards every question: its whole chain runs at smoke scale, and gives its golden numbers on any machine."""

import pytest

from reproduce._press import contract, smoke
from reproduce._press.answers import freshness

pytestmark = pytest.mark.slow
QUESTIONS = [
    pytest.param(name, marks=pytest.mark.skipif(smoke.cannot(name) is not None, reason=str(smoke.cannot(name))))
    for name in contract.names()
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS)
def test_numbers_at_smoke_scale_are_the_golden_ones(question):
    """Within tolerance; settings of every scale are those of the head, from which a badge reads them without torch."""
    changed = smoke.compare(question, keep=False)
    assert not changed, f"{'; '.join(changed)}: python -m reproduce smoke {question} --keep"


@pytest.mark.parametrize("question", contract.names())
def test_the_head_has_the_settings_of_today(question):
    """Also of questions that the tests cannot measure, which say so in their head."""
    before = freshness.of(question, contract.ROOT)
    asked = contract.load(question)
    assert before.settings == {scale: asked.settings(scale) for scale in contract.SCALES}
    assert bool(before.unmeasured) == bool(smoke.outside_the_tests(question))


def test_few_columns_are_too_chaotic_to_compare():
    """What is compared by count and finiteness alone guards little; each has its reason beside the question."""
    tolerances = [contract.load(name).tolerances() for name in contract.names()]
    assert sum(how == "chaotic" for by_column in tolerances for how in by_column.values()) <= 24
