"""Guards curvecast/command/options.py: what may be told."""

import argparse

import pytest

from curvecast.command.options import METRICS, bound, separator
from curvecast.forecasting import normalise


@pytest.mark.parametrize(
    ("text", "meant"), [("-1e3", -1000.0), ("500", 500.0), ("none", None), ("NONE", None)]
)
def test_a_bound_is_a_number_or_none(text, meant):
    """None is no bound on that side."""
    assert bound(text) == meant


def test_a_bound_that_is_a_word_is_refused():
    """And repeated in the sentence that says so."""
    with pytest.raises(argparse.ArgumentTypeError, match="'low' is neither a number nor the word none"):
        bound("low")


def test_the_metrics_are_those_that_are_known():
    """They are written a second time only so that a help text imports nothing."""
    assert set(METRICS) == set(normalise.METRICS)


def test_a_separator_that_no_shell_passes_has_a_name():
    assert [separator(text) for text in ("tab", "\\t", "space", "|")] == ["\t", "\t", " ", "|"]
