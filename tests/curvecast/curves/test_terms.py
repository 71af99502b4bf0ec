"""Guards curvecast/curves/terms.py: nobody can forget the licence of a source."""

from dataclasses import FrozenInstanceError

import pytest

from curvecast.curves.terms import Terms


def test_terms_are_whole_and_stay_as_they_are():
    """No field has a default."""
    with pytest.raises(TypeError, match="licence"):
        Terms(file="a.csv.gz", source="a", copyright="They", citation="they2020")
    with pytest.raises(FrozenInstanceError):
        Terms("a.csv.gz", "a", "MIT", "They", "they2020").licence = "none"
