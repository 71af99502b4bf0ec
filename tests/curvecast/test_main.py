"""Guards curvecast/__main__.py and curvecast/scores/evaluate.py: anyone can judge any weights on any curves."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from curvecast import __version__
from curvecast.__main__ import main
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.scores import evaluate
from curvecast.training import train
from curvecast.training.train import TrainConfig

TINY = TrainConfig(ModelConfig(8, 1, 2, components=2), bars=BarsConfig(40, curves=300), curves=320, batch=32)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    train.trained(TINY, progress=False, root=folder, checkpoints=folder / "c", device="cpu")
    return str(train.weights_path(TINY, folder))


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    path = tmp_path_factory.mktemp("curves") / "curves.npz"
    assert main(["sample", "-n", "60", "--seed", "1", "-o", str(path)]) == 0
    return str(path)


def test_the_version_is_told_and_without_a_word_the_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"curvecast {__version__}\n"
    assert main([]) == 2 and capsys.readouterr().out.count("  curvecast forecast ") >= 3


@pytest.mark.parametrize(("words", "meant"), [
    (["forcast"], "'forecast'"), (["forecast", "--horzion", "5"], "'--horizon'"),
    (["forecast", "--metric", "lost"], "'loss'"), (["sample", "--sed=3"], "'--seed'"),
])  # fmt: skip
def test_a_word_that_is_misspelt_is_told_with_what_was_meant(complaint, words, meant):
    assert complaint(*words).endswith(f"did you mean {meant}?\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(("to", "expected"), [(">/dev/full", "No space left"), (">&-", "output is closed")])
def test_an_output_that_takes_nothing_is_one_sentence(to, expected):
    command = f"{sys.executable} -m curvecast forecast - --bounds -1e3 1 {to}"
    done = subprocess.run(command, shell=True, input="a\n.5\n", capture_output=True, text=True)
    assert done.returncode == 2 and expected in done.stderr and done.stderr.count("\n") == 1


def test_sample_writes_the_same_curves_each_time(tmp_path, curves):
    """Arrays clean, noisy (n, length) and sigma (n,); a seed names them."""
    again = tmp_path / "again.npz"
    assert main(["sample", "-n", "60", "--seed", "1", "-o", str(again)]) == 0
    with np.load(curves) as a, np.load(again) as b:
        shapes = {"clean": (60, 100), "noisy": (60, 100), "sigma": (60,)}
        assert {name: a[name].shape for name in a.files} == shapes
        assert all(np.array_equal(a[name], b[name]) for name in a.files)


def test_evaluate_prints_the_promised_json(weights, curves, capsys):
    """One entry a cutoff with all promised fields, and the numbers of a hand-made evaluation, fast or not."""
    assert main(["evaluate", "--weights", weights, "--curves", curves, "--cutoffs", "5,70", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["cutoffs"]
    fields = {"cutoff", "ll", "ll_se", "mse_noisy", "mse_clean", "cover50", "cover90"}
    assert [row["cutoff"] for row in found] == [5, 70] and all(fields <= set(row) for row in found)
    noisy, forecaster = torch.from_numpy(np.load(curves)["noisy"]).float(), train.load(weights)
    x = torch.arange(1.0, 101).expand(60, -1)
    ll = forecaster.predict(x[:, :70], noisy[:, :70], x[:, 70:]).log_density(noisy[:, 70:]).mean(1)
    assert found[1]["ll"] == pytest.approx(ll.mean().item(), abs=1e-5)
    assert torch.allclose(evaluate.likelihood(forecaster, noisy, 70), ll.double(), atol=1e-3)


def test_curves_without_a_clean_version_will_do(weights, tmp_path, capsys):
    path = tmp_path / "noisy.npz"
    np.savez(path, noisy=np.random.default_rng(0).random((3, 30)))
    words = ["evaluate", "--weights", weights, "--curves", str(path), "--cutoffs", "5"]
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cutoffs"][0]["mse_clean"] is None
    assert main(words) == 0


BAD = {
    "cutoff 0": ({"noisy": np.ones((2, 9))}, "0", "cutoff 0"),
    "cutoff at the end": ({"noisy": np.ones((2, 9))}, "9", "cutoff 9"),
    "no noisy": ({"loss": np.ones((2, 9))}, "5", "no array `noisy`"),
    "NaN": ({"noisy": np.full((2, 9), np.nan)}, "5", "NaN or infinity in 2 curves"),
    "one dimension": ({"noisy": np.ones(9)}, "5", "shape"),
    "other shape of clean": ({"noisy": np.ones((2, 9)), "clean": np.ones((2, 8))}, "5", "`clean`"),
    "text": ({"noisy": np.array([["a", "b"]])}, "1", "want numbers"),
    "objects": ({"noisy": np.array([[None, 1]], dtype=object)}, "1", "not an npz"),
    "unpacks to too much": ({"noisy": np.zeros((300, 50_000), np.float32)}, "5", "has an array of 60 MB"),
    "no curves": ({"noisy": np.ones((0, 9))}, "5", "want numbers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_curves_get_one_sentence(case, weights, tmp_path, complaint):
    arrays, cutoffs, message = BAD[case]
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, **arrays)
    assert message in complaint("evaluate", "--weights", weights, "--curves", path, "--cutoffs", cutoffs)


def test_files_that_are_missing_or_no_npz_get_one_sentence(weights, curves, tmp_path, complaint):
    none = tmp_path / "none"
    complaint("evaluate", "--weights", none, "--curves", curves)
    complaint("evaluate", "--weights", weights, "--curves", none)
    complaint("sample", "-n", 0, "-o", none)
    complaint("sample", "-n", 5, "-o", tmp_path / "no" / "folder.npz")
    assert not list(tmp_path.iterdir())
    for text in ("", "not a zip"):
        (tmp_path / "bad.npz").write_text(text)
        assert "bad.npz" in complaint("evaluate", "--weights", weights, "--curves", tmp_path / "bad.npz")
