"""Guards ground: the new file or the old one, a file that may be anything, hashes that last, and weights that are whole."""

import hashlib
import os
import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import nn

from curvecast.forecasting import shipped
from curvecast.ground import weights, weights_file, whole_file
from curvecast.ground.config import canonical, digest, later, plain, restore
from curvecast.ground.errors import UserError, reading
from curvecast.networks.model import ModelConfig
from curvecast.training import train
from curvecast.training.train import TrainConfig
from tests.curvecast.refusals import refuses


@pytest.fixture
def old(tmp_path) -> Path:
    (tmp_path / "x.csv").write_bytes(b"old")
    return tmp_path / "x.csv"


def test_a_folder_that_is_not_there_is_said_or_made_where_that_is_wanted(tmp_path):
    path = tmp_path / "no" / "x.csv"
    refuses("cannot write", whole_file.write, path, b"new")
    whole_file.write(path, b"new", make_folder=True)
    assert path.read_bytes() == b"new" and os.listdir(path.parent) == ["x.csv"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_it_is_on_the_disk_before_it_takes_the_place_of_the_old_one(old, monkeypatch):
    """Otherwise a power cut in between would leave an empty file under the name."""
    done = []
    for name in ("fsync", "replace"):
        call = getattr(os, name)
        noted = lambda *paths, name=name, call=call: (done.append(name), call(*paths))  # noqa: E731
        monkeypatch.setattr(whole_file.os, name, noted)
    whole_file.write(old, b"new")
    assert done == ["fsync", "replace"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_full_disk_and_ctrl_c_leave_the_old_file(old, monkeypatch, error):
    monkeypatch.setattr(whole_file.os, "fsync", Mock(side_effect=error))
    with pytest.raises((UserError, KeyboardInterrupt)):
        whole_file.write(old, b"new")
    assert os.listdir(old.parent) == ["x.csv"] and old.read_bytes() == b"old"


def test_a_link_and_the_permissions_stay(old):
    link = old.with_name("link.csv")
    old.chmod(0o600)
    link.symlink_to(old)
    whole_file.write(link, b"new")
    assert link.is_symlink() and old.read_bytes() == b"new" and old.stat().st_mode & 0o777 == 0o600


def test_what_is_no_regular_file_is_refused(tmp_path):
    """A pipe would be replaced by a file, and whoever reads from it would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        refuses("not a regular file", whole_file.write, path, b"new")
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_killed_writer_left_is_swept(old):
    """After an hour: until then its writer may be at work."""
    for name in (".curvecast-abcd1234.part", ".curvecast-efgh5678.part", ".photo_01.part"):
        old.with_name(name).write_bytes(b"half")
    for name in (".curvecast-abcd1234.part", ".photo_01.part"):
        os.utime(old.with_name(name), (1, 1))
    whole_file.write(old, b"new")
    assert sorted(os.listdir(old.parent)) == [".curvecast-efgh5678.part", ".photo_01.part", "x.csv"]


@pytest.mark.parametrize("kind", [KeyError, MemoryError, RecursionError, struct.error, zlib.error, OSError])
def test_whatever_goes_wrong_is_a_sentence_without_escapes(kind):
    with pytest.raises(UserError) as told, reading("a\x1b[2J.db", "cannot be read", "copy it again"):
        raise kind("\x1b]0;x\x07\nno")
    assert str(told.value).isprintable() and str(told.value).startswith("a?[2J.db cannot be read (")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ModuleNotFoundError])
def test_what_is_not_the_fault_of_the_file_goes_on(kind):
    with pytest.raises(kind), reading("a.db", "cannot be read", "copy it again"):
        raise kind


PUBLISHED = Path(__file__).resolve().parents[3] / "weights" / "published"


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...] = (1, 2)


@dataclass(frozen=True)
class Old:
    inner: Inner = Inner()
    rate: float = 0.1


@dataclass(frozen=True)
class New(Old):
    momentum: float = later(0.9)


def test_a_field_added_later_leaves_old_hashes_alone():
    """Published weights are found by these hashes: a change here makes all of them unknown."""
    assert digest(New()) == digest(Old()) == "13fd0f8eac24"
    assert digest(New(momentum=0.8)) != digest(Old()) != digest(replace(Old(), rate=0.2))
    assert canonical({"b": 1, "a": (1, 2)}) == canonical({"a": [1, 2], "b": 1}) == '{"a":[1,2],"b":1}'


def test_restore_undoes_plain():
    for config in (TrainConfig(ModelConfig(64, 1, 2), curves=640, seed=3), New(Inner((3,)), 0.2, 0.5)):
        assert restore(type(config), plain(config)) == config
    refuses("'colour'", restore, Old, {"colour": "red"})


STATE = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4, dtype=torch.float16)}
STATE["shared"] = STATE["a"]


@pytest.fixture
def path(tmp_path) -> Path:
    weights.write(tmp_path / "w.safetensors", STATE, {"config": '{"heads":4}'})
    return tmp_path / "w.safetensors"


def test_what_is_written_is_read(path):
    """A weight that two layers share is there once for each of its names; without torch the same is read."""
    state, info = weights.read(path)
    assert all(torch.equal(state[k], STATE[k]) for k in STATE) and info["config"] == '{"heads":4}'
    ours, same = weights_file.read(path)
    assert info == same and all(np.array_equal(ours[key], STATE[key].numpy()) for key in STATE)


@pytest.mark.parametrize(("change", "says"), [
    (lambda data: data[:-7], "not a whole safetensors file"),
    (lambda data: data[:-3] + b"x" + data[-2:], "checksum differs"), (lambda data: b"", "not a whole safetensors file"),
    (lambda data: b"not weights", "not a whole safetensors file"),
    (lambda data: data.replace(rb"heads\":4", rb"heads\":2"), "checksum differs"),
    (lambda data: data.replace(b"[2,3]", b"[3,2]"), "checksum differs"),
], ids=["cut short", "a byte", "empty", "text", "heads", "shape"])  # fmt: skip
def test_a_damaged_file_is_refused(path, change, says):
    data = change(path.read_bytes())
    assert data != path.read_bytes()
    path.write_bytes(data)
    refuses(rf"w\.safetensors .*{says}", weights.read, path)


@pytest.mark.parametrize("text", ["{", "[]", "7", "[" * 100_000])
@pytest.mark.parametrize("key", ["behaviour", "config"])
def test_a_header_of_the_wrong_kind_is_a_sentence(tmp_path, key, text):
    info = {"behaviour": "{}", "config": "{}"} | {key: text}
    with pytest.raises(UserError, match=r"has a header that is damaged|was written by earlier code"):
        weights_file.config_of(info, tmp_path / "w", {"model": 1})
    refuses(r"\?\[2J\?: load it", weights_file.config_of, {"network": "\x1b[2J\u202e"}, shipped.PATH, {})


def test_weights_of_another_shape_are_refused(tmp_path):
    with pytest.raises(UserError, match="does not fit"):
        weights.fill(nn.Linear(2, 2), {"weight": torch.zeros(3, 3), "bias": torch.zeros(3)}, tmp_path)


def test_one_checkpoint_is_kept_and_a_kill_or_a_damage_costs_no_more(tmp_path, monkeypatch):
    """Earlier code kept two, and moved the newest away before it wrote the next."""

    def net_and_optimiser():
        net = nn.Linear(2, 1)
        return net, torch.optim.Adam(net.parameters(), lr=0.1)

    def write(step):
        net(torch.ones(1, 2)).sum().backward()
        optimiser.step()
        weights.checkpoint(tmp_path / "run", net, optimiser, step, [{"curves": step}])

    net, optimiser = net_and_optimiser()
    write(1)
    with monkeypatch.context() as patch:
        patch.setattr(whole_file.os, "fsync", Mock(side_effect=OSError(28, "No space left on device")))
        refuses("cannot write", write, 2)
    assert os.listdir(tmp_path) == ["run.newest"]
    newest, before = tmp_path / "run.newest", tmp_path / "run.before"
    assert weights.resume(tmp_path / "run", *net_and_optimiser()) == (1, [{"curves": 1}])
    newest.rename(before)
    assert weights.resume(tmp_path / "run", *net_and_optimiser()) == (1, [{"curves": 1}])
    newest.write_bytes(before.read_bytes()[:-5])
    refuses("run.newest .* delete it, and the training begins anew",
            weights.resume, tmp_path / "run", *net_and_optimiser())  # fmt: skip


def test_published_weights_are_those_of_the_manifest():
    lines = (PUBLISHED / "MANIFEST.sha256").read_text().splitlines()
    listed = {name: total for total, name in (line.split() for line in lines)}
    files = {path.name: path.read_bytes() for path in PUBLISHED.glob("*.safetensors")}
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.safetensors")), ids=lambda path: path.stem)
def test_published_weights_are_current_and_forecast(path):
    forecaster = train.load(path)
    assert train.name(forecaster.config) == path.stem
    x = torch.arange(1.0, 11)[None]
    density = forecaster.predict(x, 0.7 - 0.4 / x, torch.tensor([[50.0]]))
    assert 0.6 < density.quantile(0.5).item() < 0.8
