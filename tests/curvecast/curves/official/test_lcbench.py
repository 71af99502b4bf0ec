"""Guards curvecast/curves/official/lcbench.py, on a made-up file: 2 data sets, 3 configurations, 52 entries."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from curvecast.curves.official import lcbench
from curvecast.curves.sources import lcbench_notebook
from curvecast.ground.errors import UserError


def run(number):
    log = {"Train/val_accuracy": [50 + number + epoch / 10 for epoch in range(52)]}
    log |= {"Train/val_cross_entropy": [1 / (1 + epoch) for epoch in range(52)]}
    return {"log": log, "results": {"final": 3.0}, "config": {"num_layers": True if number == 0 else number}}


def written(folder, held=None):
    path = folder / "data_2k_lw.json"
    held = held or {dataset: {str(n): run(n) for n in range(3)} for dataset in ("higgs", "adult")}
    path.write_text(json.dumps(held))
    return path


def test_the_fifty_epochs_as_fractions(tmp_path):
    """Entry 0 is untrained and entry 51 an extra evaluation: both go."""
    found = lcbench.load(written(tmp_path))
    assert (
        len(found.about) == 6
        and list(found.about["n_points"]) == [50] * 6
        and found.about["curve_id"].is_unique
    )
    assert list(found.points["step"][:50]) == list(range(1, 51))
    assert found.points["value"][0] == pytest.approx(0.501) and found.points["value"][49] == pytest.approx(
        0.55
    )
    assert set(found.about["higher_is_better"]) == {1} and set(found.about["task"]) == {"higgs", "adult"}


def test_a_loss_is_no_percentage_and_less_of_it_is_better(tmp_path):
    found = lcbench.load(written(tmp_path), "Train/val_cross_entropy", datasets=["adult"])
    assert set(found.about["task"]) == {"adult"} and found.points["value"][0] == 0.5
    assert set(found.about["higher_is_better"]) == {0} and set(found.about["value_max_possible"]) == {""}


def test_a_layer_count_of_true_is_one(tmp_path):
    layers = [
        json.loads(config)["num_layers"] for config in lcbench.load(written(tmp_path)).about["config"][:3]
    ]
    assert layers == [1, 1, 2] and all(type(count) is int for count in layers)


def test_curves_with_nan_are_counted(tmp_path):
    """JSON of Python writes NaN; null stands for the same."""
    held = {"higgs": {str(n): run(n) for n in range(3)}}
    held["higgs"]["0"]["log"][lcbench.USUAL][7] = float("nan")
    held["higgs"]["2"]["log"][lcbench.USUAL][50] = None
    held["higgs"]["1"]["log"][lcbench.USUAL][51] = None  # is no epoch
    found = lcbench.load(written(tmp_path, held))
    assert list(found.about["curve_id"]) == ["higgs/0001"] and dict(found.left_out) == {
        "with a value that is not finite": 2
    }


def test_the_archive_is_read_as_it_was_downloaded(tmp_path):
    """Of the published name only with the published md5."""
    plain, packed = written(tmp_path), tmp_path / lcbench.LCBENCH.name
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(plain, plain.name)
    with pytest.raises(UserError, match=f"has the md5 .* not {lcbench.LCBENCH.md5}"):
        lcbench.load(packed)
    assert lcbench.load(packed, any_checksum=True).points.equals(lcbench.load(plain).points)


@pytest.mark.parametrize(
    ("change", "told"),
    [({lcbench.USUAL: ["0.5"] * 52}, "higgs, configuration 1 .*is text"),
     ({lcbench.USUAL: [50] * 51}, "higgs, configuration 1 .*51 entries, not 52"),
     ({lcbench.USUAL: None}, "higgs, configuration 1 is not laid out"),
     ({lcbench.USUAL: [5000] * 52}, "curve 'higgs/0001', step 1: val_accuracy is 50, outside 0 to 1")],
)  # fmt: skip
def test_what_is_wrong_in_one_curve_is_told_with_its_place(tmp_path, change, told):
    held = {"higgs": {"0": run(0), "1": run(1) | {"log": change}}}
    with pytest.raises(UserError, match=told):
        lcbench.load(written(tmp_path, held))


def test_a_file_that_is_missing_or_cut_off_is_told(tmp_path):
    path = tmp_path / "data_2k_lw.json"
    with pytest.raises(
        UserError,
        match=r"no .*data_2k_lw\.json: download data_2k_lw\.zip \(340 MB, .*Apache-2\.0\) from .*21188598",
    ):
        lcbench.load(path)
    text = written(tmp_path).read_text()
    path.write_text(text[: len(text) // 2])
    with pytest.raises(UserError, match=r"data_2k_lw\.json is cut off or damaged"):
        lcbench.load(path)


def test_a_tag_that_is_not_known_is_told(tmp_path):
    with pytest.raises(UserError, match="no tag 'Train/acc' here: take one of Train/val_accuracy, "):
        lcbench.load(written(tmp_path), "Train/acc")


def test_the_two_real_curves_come_out_as_the_converter_has_them(tmp_path):
    """Of the authors' notebook, put into the layout of their file: epochs 1 to 50, in the same units."""
    clone = Path(os.environ.get("CURVECAST_CLONES", "nowhere")) / "LCBench"
    if not clone.is_dir():
        pytest.skip(
            "CURVECAST_CLONES names no folder with a clone LCBench: curvecast convert --list says how to get it"
        )
    loss, accuracy = lcbench_notebook.read(clone)
    percent = [100 * value for value in accuracy.values]
    log = {"Train/loss": list(loss.values), "Train/val_accuracy": percent}
    path = written(tmp_path, {"higgs": {"0": {"log": log, "config": {}}}})
    for tag, curve in (("Train/loss", loss), ("Train/val_accuracy", accuracy)):
        found = lcbench.load(path, tag)
        assert list(found.points["value"]) == pytest.approx(list(curve.values)[1:51], abs=1e-12)
