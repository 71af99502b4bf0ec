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


@pytest.mark.parametrize("error", [TypeError("bfloat16"), AttributeError("float8"), ValueError("float16")])
def test_numbers_that_numpy_does_not_know_are_a_sentence(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(weights_file, "safe_open", fail)
    with pytest.raises(UserError, match=rf"curvecast\.safetensors is not a whole .*{error}"):
        weights_file.read(shipped.PATH)


def test_what_a_header_says_moves_no_cursor():
    """As whatever else a complaint quotes: members of archives, names in pickles, heads of tables."""
    with pytest.raises(UserError) as told:
        weights_file.config_of({"network": "\x1b[2J\u202e"}, shipped.PATH, {})
    assert "?[2J?" in str(told.value) and str(told.value).isprintable()
