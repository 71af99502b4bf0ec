"""Guards curvecast/doctor.py: it says what there is, also when something is broken."""

import torch

from curvecast import doctor, shipped
from curvecast.__main__ import main


def test_it_names_versions_device_and_weights_and_tries_a_forecast(capsys):
    assert main(["doctor"]) == 0
    told = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert torch.__version__.split("+")[0] == told["torch"].split("+")[0] and "threads" in told["device"]
    assert "whole" in told["weights"] and "ms" in told["weights"]


def test_broken_weights_are_told_and_no_traceback(monkeypatch, tmp_path):
    path = tmp_path / "curvecast.safetensors"
    path.write_bytes(b"nonsense")
    monkeypatch.setattr(shipped, "PATH", path)
    shipped.load.cache_clear()
    assert "not a whole safetensors file" in doctor.report()
    shipped.load.cache_clear()


def test_what_is_missing_is_told_with_its_use(monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda package: None)
    assert "not installed; needed for pictures" in doctor.report()
