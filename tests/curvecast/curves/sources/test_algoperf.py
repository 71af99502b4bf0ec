"""Guards curvecast/curves/sources/algoperf.py, on a made-up clone of one submission."""

import pytest

from curvecast.curves.sources import algoperf
from curvecast.ground.errors import UserError

LOG = "global_step,validation/accuracy,validation/wer\n1,0.1,0.9\n20,,0.8\n30,0.3,0.7\n"


def trial(clone, task, text=LOG):
    folder = clone / algoperf.ORIGIN.folder / "mine" / "study_0" / task / "trial_1"
    folder.mkdir(parents=True)
    (folder / "eval_measurements.csv").write_text(text)


def test_each_workload_has_its_one_metric(tmp_path):
    """Variants of workloads and other frameworks are left out; a row without the metric is no point."""
    for task in ("wmt_jax", "librispeech_conformer_pytorch", "wmt_glu_tanh_jax", "wmt_julia"):
        trial(tmp_path, task)
    words, accuracy = algoperf.read(tmp_path)
    assert words.points() == [(1, 0.9), (20, 0.8), (30, 0.7)] and words.measure.high is None
    assert accuracy.points() == [(1, 0.1), (30, 0.3)] and accuracy.measure.high == 1
    assert accuracy.curve_id == "v05/external/wmt_jax/mine/study_0/trial_1" and accuracy.group == "wmt/mine"


@pytest.mark.parametrize(
    "text", ["global_step\n1\n", LOG.replace("0.3", "much"), LOG.replace("30", ""), LOG.replace("0.3", "\0")]
)
def test_another_layout_is_told_with_the_file(tmp_path, text):
    """No column, a word for a number, no step, a byte that is no text."""
    trial(tmp_path, "wmt_jax", text)
    with pytest.raises(UserError, match=r"wmt_jax/trial_1/eval_measurements\.csv is not laid out"):
        list(algoperf.read(tmp_path))
