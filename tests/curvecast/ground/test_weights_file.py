"""Guards curvecast/ground/weights_file.py: read without torch, and refused if it is not whole."""

import numpy as np
import pytest

from curvecast.forecasting import shipped
from curvecast.ground import weights, weights_file
from curvecast.ground.errors import UserError


def test_it_reads_what_torch_reads():
    ours, info = weights_file.read(shipped.PATH)
    theirs, same = weights.read(shipped.PATH)
    assert info == same and ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[key], theirs[key].numpy()) for key in ours)


def test_what_a_header_says_moves_no_cursor():
    """As whatever else a complaint quotes: members of archives, names in pickles, heads of tables."""
    with pytest.raises(UserError) as told:
        weights_file.config_of({"network": "\x1b[2J\u202e"}, shipped.PATH, {})
    assert "?[2J?" in str(told.value) and str(told.value).isprintable()


@pytest.mark.parametrize("text", ["{", "[]", "7", "[" * 100_000])
@pytest.mark.parametrize("key", ["behaviour", "config"])
def test_a_header_of_the_wrong_kind_is_a_sentence(tmp_path, key, text):
    info = {"behaviour": "{}", "config": "{}"} | {key: text}
    with pytest.raises(UserError, match=r"has a header that is damaged|was written by earlier code"):
        weights_file.config_of(info, tmp_path / "w", {"model": 1})
