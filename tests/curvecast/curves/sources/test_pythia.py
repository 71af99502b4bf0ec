"""Guards curvecast/curves/sources/pythia.py, on a made-up clone of two checkpoints a model."""

import json

import pytest

from curvecast.curves.sources import pythia
from curvecast.ground.errors import UserError


def clone(folder, exams=pythia.EXAMS):
    for model in pythia.MODELS:
        where = folder / pythia.ORIGIN.folder / f"pythia-{model}" / "zero-shot"
        where.mkdir(parents=True)
        for step, value in ((1000, 0.75), (0, 0.25)):
            results = {task: {"acc": value, "acc_norm": 9.0} for task in pythia.TASKS} | {
                "other": {"ppl": 3.0}
            }
            results |= {f"{pythia.EXAM}{i}": {"acc": value * (i % 2)} for i in range(exams)}
            (where / f"{model}_step{step}.json").write_text(json.dumps({"results": results}))


def test_accuracy_at_each_checkpoint_and_the_mean_of_the_exams(tmp_path):
    """28 of 57 exams, the odd ones, have the value; the others have 0."""
    clone(tmp_path)
    curves = {curve.curve_id: curve for curve in pythia.read(tmp_path)}
    assert len(curves) == 63 and curves["70m/piqa"].points() == [(0, 0.25), (1000, 0.75)]
    assert [value for _, value in curves["70m/mmlu_macro"].points()] == pytest.approx(
        [0.25 * 28 / 57, 0.75 * 28 / 57]
    )
    assert curves["1b-deduped/wsc"].group == "pythia-1b-deduped" and curves["1b-deduped/wsc"].task == "wsc"


def test_a_mean_of_fewer_exams_is_refused(tmp_path):
    clone(tmp_path, exams=56)
    with pytest.raises(UserError, match=r"160m_step0\.json has 56 of 57 exams"):
        list(pythia.read(tmp_path))
