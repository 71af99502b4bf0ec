"""Guards curvecast/curves/sources/adabelief.py, on made-up logs in the old format of torch."""

import pickle

import pytest

from curvecast.curves.sources import adabelief
from curvecast.ground.errors import UserError

NAME = "vgg-yogi-lr0.001-run0"


def log(clone, *held):
    folder = clone / adabelief.ORIGIN.folder
    folder.mkdir(parents=True)
    (folder / NAME).write_bytes(b"".join(pickle.dumps(stored, protocol=2) for stored in held))


def test_percent_become_fractions_from_epoch_1(tmp_path):
    log(
        tmp_path,
        119547037146038801333356,
        1001,
        {"little_endian": True},
        {"train_acc": [9.0], "test_acc": [40.0, 62.5]},
        [],
    )
    (curve,) = adabelief.read(tmp_path)
    assert curve.points() == [(1, 0.4), (2, 0.625)] and curve.curve_id == "vgg/yogi"
    assert curve.group == "cifar10/vgg" and curve.config["run"] == NAME


@pytest.mark.parametrize("held", [[1, 2], [1, 2, 3, {"train_acc": [9.0]}], [1, 2, 3, 4]])
def test_another_layout_is_told_with_the_file(tmp_path, held):
    log(tmp_path, *held)
    with pytest.raises(UserError, match=rf"{NAME} is not laid out"):
        list(adabelief.read(tmp_path))


def test_a_log_that_would_run_something_is_refused(tmp_path):
    log(tmp_path, 1, 2, 3, {"test_acc": print})
    with pytest.raises(UserError, match=r"asks for \w+\.print"):
        list(adabelief.read(tmp_path))
