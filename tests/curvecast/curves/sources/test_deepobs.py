"""Guards curvecast/curves/sources/deepobs.py, on a made-up clone: the same run for each problem."""

import json

from curvecast.curves.sources import deepobs

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
    curves = list(deepobs.read(tmp_path))
    assert [curve.task for curve in curves] == list(deepobs.PROBLEMS)
    assert curves[0].curve_id == "cifar100_allcnnc/AdamOptimizer/lr0.0158/seed43" and curves[0].untrained
    assert curves[0].points() == [(0, 0.1), (1, 0.6)] and curves[0].config["beta1"] == 0.9
