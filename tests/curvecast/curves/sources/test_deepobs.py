"""Guards curvecast/curves/sources/deepobs.py, on a made-up clone: the same run for each problem."""

import json

import pytest

from curvecast.curves.sources import deepobs
from curvecast.ground.errors import UserError

RUN = {
    "optimizer": "AdamOptimizer", "learning_rate": 0.0158489, "random_seed": 43, "batch_size": 8,
    "hyperparams": {"beta1": 0.9}, "test_accuracies": [0.1, 0.6], "train_accuracies": [0.2, 0.7],
}  # fmt: skip


def clone(folder, run):
    for problem in (*deepobs.PROBLEMS, "quadratic_deep"):
        (folder / problem / "AdamOptimizer" / "setting").mkdir(parents=True)
        (folder / problem / "AdamOptimizer" / "setting" / "random_seed__43.json").write_text(json.dumps(run))


def test_test_accuracy_from_epoch_0(tmp_path):
    """The four problems that classify, and no other."""
    clone(tmp_path, RUN)
    found = list(deepobs.read(tmp_path))
    assert [curve.task for curve in found] == list(deepobs.PROBLEMS)
    assert found[0].curve_id == "cifar100_allcnnc/AdamOptimizer/lr0.0158/seed43" and found[0].untrained
    assert found[0].points() == [(0, 0.1), (1, 0.6)] and found[0].config["beta1"] == 0.9


def test_another_layout_is_told_with_the_file(tmp_path):
    clone(tmp_path, {name: value for name, value in RUN.items() if name != "test_accuracies"})
    with pytest.raises(UserError, match=r"random_seed__43\.json is not laid out .*'test_accuracies'"):
        list(deepobs.read(tmp_path))
