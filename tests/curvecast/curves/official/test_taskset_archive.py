"""Guards curvecast/curves/official/taskset_archive.py, on made-up files: 4 settings, 5 seeds, 51 values, 4 splits."""

import json

import numpy as np
import pytest

from curvecast.curves.official import taskset_archive
from curvecast.curves.sources.taskset import FAMILY
from curvecast.ground.errors import UserError

NAME = f"adam8p_wide_grid_1k{taskset_archive.ENDING}.npz"


@pytest.fixture
def losses():
    """Setting 2 diverges in seed 3."""
    found = np.random.default_rng(0).uniform(0.5, 0.7, (4, 5, 51, 4)).astype(np.float32)
    found[2, 3, 40:, :] = np.nan
    return found


@pytest.fixture
def task(tmp_path, losses):
    folder = tmp_path / f"{FAMILY}made_up"
    folder.mkdir()
    np.savez(folder / NAME, ys=losses, xs=np.arange(51) * 200, optimizers=np.array(list("abcd")))
    return folder


def test_the_mean_over_the_seeds_of_the_validation_loss(task, losses):
    """A setting with nan in any seed is left out and counted."""
    found = taskset_archive.load(task)
    assert list(found.about["curve_id"]) == [f"made_up/adam8p_wide_grid_1k/000{i}" for i in (0, 1, 3)]
    assert dict(found.left_out) == {"with a value that is not finite": 1}
    assert list(found.points["step"][:51]) == list(range(0, 10_001, 200))
    assert found.points["value"][:51].to_numpy() == pytest.approx(losses[0, :, :, 1].mean(axis=0), rel=1e-6)
    assert set(found.about["first_point_untrained"]) == {1} and set(found.about["higher_is_better"]) == {0}


def test_each_seed_is_a_curve_where_that_is_asked_for(task, losses):
    """So it is in the paper: 4 settings of 5 seeds, one of which diverged."""
    found = taskset_archive.load(task / NAME, each_seed=True)
    assert len(found.about) == 19 and found.about["curve_id"].is_unique
    assert set(found.about["group"]) == {"made_up"}, "seeds and settings of a task hang together"
    assert found.points["value"][51:102].to_numpy() == pytest.approx(losses[0, 1, :, 1])


def test_the_files_of_dyhpo_are_the_same_curves(tmp_path, task, losses):
    """They hold the mean over the seeds, and nothing else of what npz has."""
    runs = [{"hp": {}, "valid": {"loss": seeds[:, :, 1].mean(axis=0).tolist()}} for seeds in losses]
    (tmp_path / f"{FAMILY}made_up.json").write_text(json.dumps(runs))
    mean, theirs = taskset_archive.load(task), taskset_archive.load(tmp_path / f"{FAMILY}made_up.json")
    assert list(mean.points["value"]) == pytest.approx(list(theirs.points["value"]), rel=1e-6)
    assert list(mean.points["step"]) == list(theirs.points["step"]) and mean.left_out == theirs.left_out
    assert set(theirs.points["source"]) == {"taskset"}, "the source that the converter has"


def test_what_is_missing_is_told_with_where_it_is(tmp_path):
    with pytest.raises(
        UserError, match=r"no .*nowhere\.npz: download <task>/.*Apache-2\.0.* from gs://gresearch/task_set"
    ):
        taskset_archive.load(tmp_path / "nowhere.npz")
    with pytest.raises(UserError, match="download <task>/"):
        taskset_archive.load(tmp_path)


@pytest.mark.parametrize(
    ("arrays", "told"),
    [({"xs": np.arange(51)}, "is not laid out"), ({"ys": np.zeros((4, 5, 51)), "xs": np.arange(51)}, "is not laid out"),
     ({"ys": np.zeros((4, 5, 50, 4)), "xs": np.arange(51)}, "is not laid out"),
     ({"ys": np.array([print], dtype=object), "xs": np.arange(51)}, "Object arrays")],
)  # fmt: skip
def test_another_layout_is_told_with_the_file(tmp_path, arrays, told):
    """No losses, no splits, other steps; arrays of objects would be a pickle and stay closed."""
    np.savez(tmp_path / NAME, **arrays)
    with pytest.raises(UserError, match=rf"{NAME} .*{told}"):
        taskset_archive.load(tmp_path / NAME)


def test_a_file_that_is_cut_off_is_told(task):
    (task / NAME).write_bytes((task / NAME).read_bytes()[:-50])
    with pytest.raises(UserError, match="is cut off or damaged"):
        taskset_archive.load(task)
