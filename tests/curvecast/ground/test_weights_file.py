"""Guards curvecast/ground/weights_file.py: read without torch, and refused if it is not whole."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from curvecast.forecasting import shipped
from curvecast.ground import weights, weights_file
from curvecast.ground.errors import UserError


def test_it_reads_what_torch_reads():
    ours, info = weights_file.read(shipped.PATH)
    theirs, same = weights.read(shipped.PATH)
    assert info == same and ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[key], theirs[key].numpy()) for key in ours)


def test_it_needs_no_torch():
    program = "import sys; from curvecast.ground import weights_file; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "some.safetensors"
    weights.write(path, {"a": torch.ones(3)}, {})
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\x00" if whole[-1:] != b"\x00" else whole[:-1] + b"\x01")
    with pytest.raises(UserError, match="damaged"):
        weights_file.read(path)


def test_numbers_that_numpy_does_not_know_are_a_sentence(tmp_path):
    path = tmp_path / "brain.safetensors"
    save_file({"a": torch.ones(3, dtype=torch.bfloat16)}, path)
    with pytest.raises(UserError, match=r"brain\.safetensors"):
        weights_file.read(path)


def test_no_file_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="no weights at"):
        weights_file.read(tmp_path / "nowhere.safetensors")
