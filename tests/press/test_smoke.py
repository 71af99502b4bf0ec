"""Guards every question: its whole chain runs at smoke scale, and gives its golden numbers on any machine."""

import matplotlib.pyplot as plt
import pytest

from presswork import contract, run, smoke, style
from presswork.answers import freshness
from tests.once import made_once


@pytest.fixture
def folder(tmp_path_factory, monkeypatch):
    """Of all these tests: what several questions read or train is measured and trained once.

    Figures are drawn and neither laid out nor written, which takes longest: test_answers.py does both with published ones,
    once a week with all."""

    def drawn(figure):
        figure.set_layout_engine("none")
        figure.draw_without_rendering()
        plt.close(figure)
        return b"<svg/>"

    monkeypatch.setattr(style, "svg", drawn)
    monkeypatch.setattr(run, "commit", lambda _: (None, None))  # else git is asked for each of 500 parts
    return made_once(tmp_path_factory, "smoke", lambda _: None)


@pytest.mark.slow
@pytest.mark.parametrize("question", contract.names())
def test_numbers_at_smoke_scale_are_the_golden_ones(question, folder):
    """Within tolerance; settings of every scale are those of the head, from which a badge reads them without torch."""
    if why := smoke.cannot(question):
        pytest.skip(why)
    changed = smoke.compare(question, keep=False, folder=folder)
    assert not changed, f"{'; '.join(changed)}: python -m reproduce smoke {question} --keep"


@pytest.mark.parametrize("question", contract.names())
def test_the_head_has_the_settings_of_today(question):
    """Also of questions that the tests cannot measure, which say so in their head."""
    before = freshness.of(question, contract.ROOT)
    asked = contract.load(question)
    assert before.settings == {scale: asked.settings(scale) for scale in contract.SCALES}
    assert bool(before.unmeasured) == bool(contract.outside_the_tests(question))


def test_few_columns_are_too_chaotic_to_compare():
    """What is compared by count and finiteness alone guards little; each has its reason beside the question."""
    tolerances = [contract.load(name).tolerances() for name in contract.names()]
    assert sum(how == "chaotic" for by_column in tolerances for how in by_column.values()) <= 24
