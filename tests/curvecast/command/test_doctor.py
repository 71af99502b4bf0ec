"""Guards curvecast/command/doctor.py: it says what there is, also when something is broken, and then ends with 1."""

import pytest
import torch

from curvecast.__main__ import main
from curvecast.command import doctor
from curvecast.forecasting import shipped


@pytest.fixture
def broken_weights(monkeypatch, tmp_path):
    path = tmp_path / "curvecast.safetensors"
    path.write_bytes(b"nonsense")
    monkeypatch.setattr(shipped, "PATH", path)
    shipped.load.cache_clear()
    yield
    shipped.load.cache_clear()


def test_it_names_versions_and_weights_and_tries_a_forecast(capsys):
    assert main(["doctor"]) == 0
    told = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert told["torch"] == torch.__version__
    assert "complete" in told["weights"] and "ms" in told["weights"] and "broken" not in told


def test_broken_weights_are_told_with_status_1_and_no_traceback(broken_weights, capsys):
    assert main(["doctor"]) == 1
    said = capsys.readouterr()
    assert "not a whole safetensors file" in said.out and not said.err
    assert said.out.splitlines()[-1].split() == ["broken", "weights"]


def test_what_is_missing_is_told_with_its_use_and_only_what_is_needed_is_broken(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_version", lambda package: None)
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("not installed; needed for pictures" in line for line in lines)
    assert lines[-1].split(None, 1) == ["broken", "numpy, safetensors"]


@pytest.mark.parametrize("error", [ImportError("no libblas.so"), OSError("no libblas.so\nat all")])
def test_a_library_that_does_not_load_is_a_line_and_the_rest_is_said(monkeypatch, error, capsys):
    def fail():
        raise error

    monkeypatch.setattr(doctor, "_weights", fail)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"check failed: {type(error).__name__}: no libblas.so\n" in out and "python" in out
