"""Guards curvecast/curves/official/pd1.py, on a made-up folder: two trials in each of its four files."""

import gzip
import json

import pytest

from curvecast.curves.official import pd1
from curvecast.ground.errors import UserError

DONE = {
    "dataset": "mnist", "model": "cnn", "hps.batch_size": 256, "status": "done", "trial_dir": "t/1",
    "global_step": [0, 100, 200], "valid/error_rate": [0.9, 0.3, 0.2], "valid/ce_loss": [2.3, 1.0, 0.9],
    **dict.fromkeys(pd1.TUNED, 0.5),
}  # fmt: skip
DIVERGED = DONE | {"trial_dir": "t/2", "status": "diverged", "global_step": None, "valid/error_rate": None}


def written(folder, *trials, packed=True):
    for part in pd1.PARTS:
        text = "".join(json.dumps(trial) + "\n" for trial in trials or (DONE, DIVERGED)).encode()
        (folder / (f"{part}.gz" if packed else part)).write_bytes(gzip.compress(text) if packed else text)
    return folder


@pytest.mark.parametrize("packed", [True, False])
def test_a_curve_a_trial_from_all_four_files(tmp_path, packed):
    """A trial that diverged before its first value is counted."""
    found = pd1.load(written(tmp_path, packed=packed))
    parts = [f"{matched}_phase{phase}" for matched in ("matched", "unmatched") for phase in (0, 1)]
    assert list(found.about["curve_id"]) == [f"{part}/t/1" for part in parts]
    assert dict(found.left_out) == {"with fewer than 2 points": 4}
    assert list(found.points["step"][:3]) == [0, 100, 200] and list(found.points["value"][:3]) == [
        0.9,
        0.3,
        0.2,
    ]
    assert set(found.about["higher_is_better"]) == {0} and set(found.about["task"]) == {"mnist/cnn/bs256"}
    assert set(found.about["first_point_untrained"]) == {1} and set(found.about["licence"]) == {"CC-BY-4.0"}


def test_a_list_that_ends_early_ends_the_curve(tmp_path):
    """A trial that diverged has fewer values than steps."""
    found = pd1.load(written(tmp_path, DONE | {"valid/error_rate": [0.9, 0.3]}))
    assert set(found.about["n_points"]) == {2}


def test_a_hole_in_a_list_leaves_the_curve_out(tmp_path):
    found = pd1.load(
        written(tmp_path, DONE, DONE | {"trial_dir": "t/3", "valid/error_rate": [0.9, None, 0.2]})
    )
    assert len(found.about) == 4 and dict(found.left_out) == {"with a value that is not finite": 4}


def test_the_cross_entropy_has_no_upper_bound(tmp_path):
    found = pd1.load(written(tmp_path, DONE), "valid/ce_loss")
    assert set(found.about["value_max_possible"]) == {""} and found.points["value"].max() == 2.3


@pytest.mark.parametrize(
    ("trial", "told"),
    [({"status": "done"}, "line 2 is not laid out .*'global_step'"),
     (DONE | {"valid/error_rate": [0.9, "0.3", 0.2]}, "line 2 is not laid out .*is text"),
     (DONE, "has the curve 'matched_phase0/t/1' twice"),
     (DONE | {"trial_dir": "t/9", "valid/error_rate": [90, 30, 20]}, "step 0: valid_error_rate is 90, outside 0 to 1")],
)  # fmt: skip
def test_what_is_wrong_in_one_trial_is_told_with_its_place(tmp_path, trial, told):
    with pytest.raises(UserError, match=told):
        pd1.load(written(tmp_path, DONE, trial))


def test_a_file_that_is_missing_or_cut_off_is_told(tmp_path):
    with pytest.raises(
        UserError,
        match=r"no .*matched_phase0_results\.jsonl\.gz: download pd1\.tar\.gz, unpacked .*CC-BY-4\.0",
    ):
        pd1.load(tmp_path)
    path = written(tmp_path) / f"{pd1.PARTS[1]}.gz"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UserError, match=r"matched_phase1_results\.jsonl\.gz is cut off or damaged"):
        pd1.load(tmp_path)


def test_a_line_without_an_end_is_not_read_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(pd1, "LONGEST", 10_000)
    written(tmp_path)
    (tmp_path / f"{pd1.PARTS[0]}.gz").write_bytes(gzip.compress(b" " * 1_000_000))
    with pytest.raises(
        UserError, match=r"phase0_results\.jsonl\.gz is not laid out .*a line of more than 10,000 characters"
    ):
        pd1.load(tmp_path)


def test_a_metric_that_is_not_known_is_told(tmp_path):
    with pytest.raises(UserError, match="no metric 'loss' here: take one of valid/error_rate, valid/ce_loss"):
        pd1.load(written(tmp_path), "loss")
