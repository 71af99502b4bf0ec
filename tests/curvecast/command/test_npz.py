"""Guards curvecast/command/npz.py: curves come and go as whole files."""

import numpy as np
import pytest

from curvecast.command import npz
from curvecast.ground.errors import UserError


def test_the_suffix_is_added_and_nothing_else_is_left(tmp_path):
    npz.write(5, 1, 30, tmp_path / "curves")
    assert [p.name for p in tmp_path.iterdir()] == ["curves.npz"]
    with np.load(tmp_path / "curves.npz") as file:
        assert file["noisy"].shape == (5, 30)


def test_a_negative_seed_is_a_complaint(tmp_path):
    with pytest.raises(UserError, match="negative"):
        npz.write(5, -1, 30, tmp_path / "curves.npz")
