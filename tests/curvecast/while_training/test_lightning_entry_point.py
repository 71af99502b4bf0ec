"""Guards curvecast/while_training/lightning_entry_point.py: whoever installs the package gets no callback unasked."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from curvecast.while_training import lightning_entry_point as entry

ROOT = Path(__file__).resolve().parents[3]


def test_lightning_is_told_where_it_is():
    """Under the name by which it asks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, name = project["entry-points"]["lightning.pytorch.callbacks_factory"]["curvecast"].split(":")
    assert getattr(importlib.import_module(module), name) is entry.callbacks


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_the_variable_there_is_none(monkeypatch, value):
    monkeypatch.delenv(entry.VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(entry.VARIABLE, value)
    assert entry.callbacks() == []


def test_asking_imports_nothing_heavy():
    """Every Trainer of every program asks."""
    program = (
        "import sys; from curvecast.while_training.lightning_entry_point import callbacks; callbacks(); "
        "print({'torch', 'numpy', 'lightning'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_the_variable_says_what_a_stopper_may_be_told():
    assert entry.parsed("val_loss metric=loss best=0.31 act=true least=3") == (
        "val_loss", {"metric": "loss", "best": 0.31, "act": True, "least": 3})  # fmt: skip


@pytest.mark.parametrize(
    "told", ["val_acc act=maybe", "val_acc best", "val_acc bset=1", "val_acc '", "val_loss", "acc delta=7"]
)
def test_what_cannot_be_meant_is_told_and_adds_none(monkeypatch, capsys, told):
    """It keeps no Trainer from being made, whether Lightning is there or not."""
    monkeypatch.setenv(entry.VARIABLE, told)
    assert entry.callbacks() == []
    assert capsys.readouterr().err.startswith(f"curvecast: CURVECAST_STOPPER={told}: ")


def test_with_the_variable_there_is_one(monkeypatch):
    pytest.importorskip("lightning", reason="needs lightning: make adapters installs it")
    monkeypatch.setenv(entry.VARIABLE, "val_acc best=0.9")
    (callback,) = entry.callbacks()
    assert callback.watched.stopper.best == 0.9 and not callback.watched.act
    assert entry.VARIABLE in callback.state_key, "beside one of the user's own"
