"""Guards curvecast/command/npz.py: curves come and go as whole files."""

import numpy as np
import pytest

from curvecast.__main__ import main


def sampled(path, *options) -> int:
    return main(["sample", "-n", "5", "--length", "30", "-o", str(path), *options])


def test_the_suffix_is_added_and_nothing_else_is_left(tmp_path):
    assert sampled(tmp_path / "curves") == 0
    assert [p.name for p in tmp_path.iterdir()] == ["curves.npz"]
    with np.load(tmp_path / "curves.npz") as file:
        assert file["noisy"].shape == (5, 30)


@pytest.mark.parametrize(("folder", "seed", "said"), [(".", "-1", "negative"), ("no", "1", "cannot write")])
def test_a_negative_seed_and_a_missing_folder_are_complaints(folder, seed, said, tmp_path, capsys):
    assert sampled(tmp_path / folder / "curves.npz", "--seed", seed) == 2
    assert said in capsys.readouterr().err
