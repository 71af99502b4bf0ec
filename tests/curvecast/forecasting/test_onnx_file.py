"""Guards curvecast/forecasting/onnx_file.py: the ONNX file says what torch says, in less than a megabyte."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.forecasting import onnx_file, shipped
from curvecast.networks.mixture import MixtureBars
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training import train
from tests.curvecast.refusals import refuses

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
pytestmark = pytest.mark.slow  # it reads a network of two megabytes
ROOT = Path(__file__).resolve().parents[3]
WEIGHTS = shipped.PATH  # in units of the spread; browser/test_live_engine.py has one of the other kind


@pytest.fixture(scope="module")
def forecaster() -> train.Forecaster:
    return onnx_file.rounded(train.load(WEIGHTS))


@pytest.fixture(scope="module")
def path(forecaster, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("onnx") / "new folder" / "model.onnx"
    onnx_file.to_onnx(forecaster, path)
    return path


def says(path: Path, *given: torch.Tensor) -> list[torch.Tensor]:
    """Log weights, means and scales of the mixtures in this file."""
    runtime = pytest.importorskip("onnxruntime", reason="not installed: pip install onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    named = zip(("x", "y", "x_query"), given, strict=True)
    found = session.run(None, {name: array.contiguous().numpy() for name, array in named})
    return [torch.from_numpy(one) for one in found]


@pytest.mark.parametrize(
    ("curves", "seen", "queries"), [(1, 1, 99), (7, 1, 1), (3, 10, 90), (2, 33, 5), (1, 99, 1)]
)
def test_the_file_forecasts_what_torch_forecasts(forecaster, path, curves, seen, queries):
    x = torch.arange(1.0, 101).expand(curves, -1)
    y = prior.sample(prior.PriorConfig(), curves, torch.Generator().manual_seed(seen)).noisy
    if curves > 2:  # two without a spread, or nearly
        y[0], y[1] = 0.3, 0.3 + 1e-3 * y[1]
    given = x[:, :seen], y[:, :seen], x[:, seen : seen + queries]
    here, there = MixtureBars(forecaster.model.borders, *says(path, *given)), forecaster.predict(*given)
    for level in (0.05, 0.5, 0.95):
        assert (here.quantile(level) - there.quantile(level)).abs().max() < 1e-4


def test_weights_are_rounded_and_borders_are_not():
    whole = train.load(WEIGHTS)
    before = {key: value.clone() for key, value in whole.model.state_dict().items()}
    small = onnx_file.rounded(whole).model.state_dict()
    for key, value in before.items():
        assert torch.equal(value, whole.model.state_dict()[key])
        assert torch.equal(small[key], value if "borders" in key else value.half().float())


def test_the_page_gets_a_small_file_with_its_name_and_the_borders_as_they_are(path, forecaster, tmp_path):
    table, name = {"seen": [2], "levels": [0.5, 1.0], "scores": [[0.1, 1.0]]}, train.name(forecaster.config)
    onnx_file.write_live(forecaster, tmp_path, table, {"trained": "on 196,000 curves"})
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert np.array_equal(np.float32(meta["borders"]), forecaster.model.borders.numpy())
    assert (meta["in_prior"], meta["trained"], meta["name"]) == (table, "on 196,000 curves", name)
    assert (tmp_path / "model.onnx").read_bytes() == path.read_bytes() and path.stat().st_size < 1_000_000
    props = {p.key: p.value for p in onnx.load(path).metadata_props}
    assert props["name"] == name and json.loads(props["config"])["model"]["width"] == 128
    assert [other.name for other in path.parent.iterdir()] == ["model.onnx"]


def test_the_same_weights_give_the_same_bytes(path, tmp_path):
    program = (
        "from curvecast.forecasting import onnx_file; from curvecast.training import train; "
        f"onnx_file.to_onnx(train.load({str(WEIGHTS)!r}), {str(tmp_path / 'other.onnx')!r})"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
    assert (tmp_path / "other.onnx").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("config", "complaint"),
    [(ModelConfig(head="bars"), "mixture head"), (ModelConfig(query_sees_itself=True), "cannot be exported")],
)
def test_other_networks_are_refused(forecaster, tmp_path, config, complaint):
    other = dataclasses.replace(forecaster, model=PFN(config, forecaster.model.borders))
    refuses(complaint, onnx_file.to_onnx, other, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_without_onnx_one_is_told_what_to_install(forecaster, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    refuses(r"ONNX file comes with the repository", onnx_file.to_onnx, forecaster, tmp_path / "model.onnx")
