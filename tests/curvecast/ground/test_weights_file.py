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


@pytest.mark.parametrize("text", ["{", "[]", "7", "[" * 100_000])
@pytest.mark.parametrize("key", ["behaviour", "config"])
def test_a_header_of_the_wrong_kind_is_a_sentence(tmp_path, key, text):
    info = {"behaviour": "{}", "config": "{}"} | {key: text}
    with pytest.raises(UserError, match="has a header that is damaged|was written by earlier code"):
        weights_file.config_of(info, tmp_path / "w", {"model": 1})


@pytest.mark.parametrize("error", [TypeError("bfloat16"), AttributeError("float8"), ValueError("float16")])
def test_numbers_that_numpy_does_not_know_are_a_sentence(monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(weights_file, "safe_open", fail)
    with pytest.raises(UserError, match=rf"curvecast\.safetensors is not a whole .*{error}"):
        weights_file.read(shipped.PATH)
