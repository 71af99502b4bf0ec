"""Guards curvecast/curves/sources/taskset.py, on a made-up clone of two tasks."""

import json

import numpy as np
import pytest

from curvecast.curves.sources import taskset
from curvecast.ground.errors import UserError


def test_validation_loss_every_200_iterations(tmp_path):
    """The number of a setting is its place in the file, also after one that diverged."""
    (tmp_path / "data" / "taskset").mkdir(parents=True)
    for task in ("b", "a"):
        runs = [
            {
                "hp": {"l1": n},
                "train": {"loss": [9.0]},
                "valid": {"loss": [0.7, value]},
                "test": {"loss": [8.0]},
            }
            for n, value in enumerate((float("nan"), 0.5))
        ]
        (tmp_path / "data" / "taskset" / f"{taskset.FAMILY}{task}.json").write_text(json.dumps(runs))
    curves = list(taskset.read(tmp_path))
    assert [curve.curve_id for curve in curves] == ["a/0000", "a/0001", "b/0000", "b/0001"]
    assert (
        curves[1].points() == [(0, 0.7), (200, 0.5)] and curves[1].config == {"l1": 1} and curves[1].untrained
    )


@pytest.mark.parametrize("value", [0.69414902, 2e19, 1e-9, 3.0, 0.1])
def test_no_digit_of_the_float32_is_lost(value):
    single = np.float32(value)
    text = taskset.shortest(float(single))
    assert np.float32(text) == single and len(text) <= 12


@pytest.mark.parametrize("text", ['{"valid": 1}', '[{"hp": {}}]', '[{"hp": {}, "valid": {"loss": 3}}]'])
def test_another_layout_is_told_with_the_file(tmp_path, text):
    (tmp_path / "data" / "taskset").mkdir(parents=True)
    (tmp_path / "data" / "taskset" / f"{taskset.FAMILY}a.json").write_text(text)
    with pytest.raises(UserError, match=r"_a\.json is not laid out as at commit cfba15a"):
        list(taskset.read(tmp_path))
