"""Guards curvecast/ground/weights.py: whole or not at all."""

import hashlib
from pathlib import Path

import pytest
import torch
from torch import nn

from curvecast.ground import weights
from curvecast.ground.errors import UserError
from curvecast.training import train

PUBLISHED = Path(__file__).resolve().parents[3] / "weights" / "published"

STATE = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4, dtype=torch.float16)}
STATE["shared"] = STATE["a"]


def test_what_is_written_is_read(tmp_path):
    """Tensors and header survive the trip; a weight that two layers share is there once for each of its names."""
    weights.write(tmp_path / "w.safetensors", STATE, {"config": "{}"})
    state, info = weights.read(tmp_path / "w.safetensors")
    assert all(torch.equal(state[k], STATE[k]) for k in STATE) and info["config"] == "{}"


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "text"])
def test_a_damaged_file_is_refused(tmp_path, damage):
    """Cut short, one byte changed, empty, or something else altogether: one sentence, no traceback of the format."""
    path = tmp_path / "w.safetensors"
    weights.write(path, STATE, {})
    data = bytearray(path.read_bytes())
    data[-3] ^= 0xFF
    whole = path.read_bytes()
    path.write_bytes(
        {"truncated": whole[:-7], "flipped": bytes(data), "empty": b"", "text": b"not weights"}[damage]
    )
    with pytest.raises(UserError, match=r"w\.safetensors"):
        weights.read(path)


@pytest.mark.parametrize("change", [('heads\\":4', 'heads\\":2'), ("[2,3]", "[3,2]")])
def test_a_header_that_was_changed_is_refused(tmp_path, change):
    """Four heads or two are the same bytes of weights."""
    weights.write(tmp_path / "w.safetensors", STATE, {"config": '{"heads":4}'})
    data = (tmp_path / "w.safetensors").read_bytes()
    assert change[0].encode() in data
    (tmp_path / "w.safetensors").write_bytes(data.replace(*(text.encode() for text in change)))
    with pytest.raises(UserError, match="checksum differs"):
        weights.read(tmp_path / "w.safetensors")


def test_weights_of_another_shape_are_refused(tmp_path):
    """Weights that do not fit raise a UserError."""
    with pytest.raises(UserError, match="does not fit"):
        weights.fill(nn.Linear(2, 2), {"weight": torch.zeros(3, 3), "bias": torch.zeros(3)}, tmp_path)


def net_and_optimiser():
    net = nn.Linear(2, 1)
    return net, torch.optim.Adam(net.parameters(), lr=0.1)


def one_step(net, optimiser):
    optimiser.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    optimiser.step()


def test_a_damaged_checkpoint_costs_one_checkpoint(tmp_path, capsys):
    """If the newest is cut short, the previous one is used, and a message says so."""
    stem = tmp_path / "run"
    net, optimiser = net_and_optimiser()
    for step in (1, 2):
        one_step(net, optimiser)
        weights.checkpoint(stem, net, optimiser, step, [{"curves": step}])
    newest = tmp_path / "run.newest"
    newest.write_bytes(newest.read_bytes()[:-5])
    step, history = weights.resume(stem, *net_and_optimiser())
    assert step == 1 and history == [{"curves": 1}]
    assert "run.newest" in capsys.readouterr().err


def test_published_weights_are_those_of_the_manifest():
    """Every file is listed with its checksum, none is missing, and all stay within 16 MB each and 24 MB together."""
    lines = (PUBLISHED / "MANIFEST.sha256").read_text().splitlines()
    listed = {name: total for total, name in (line.split() for line in lines)}
    files = {path.name: path for path in PUBLISHED.glob("*.safetensors")}
    assert listed == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    sizes = [path.stat().st_size for path in files.values()]
    assert max(sizes) < 16e6 and sum(sizes) < 24e6


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.safetensors")), ids=lambda path: path.stem)
def test_published_weights_are_current_and_forecast(path):
    """The name is that of its config under today's behaviour numbers; the file alone makes a forecast."""
    forecaster = train.load(path)
    assert train.name(forecaster.config) == path.stem
    x = torch.arange(1.0, 11)[None]
    density = forecaster.predict(x, 0.7 - 0.4 / x, torch.tensor([[50.0]]))
    assert 0.6 < density.quantile(0.5).item() < 0.8
