"""Guards reproduce/practice/light.py: claims follow their rows, and what is weighed is weighed. Nothing is installed."""

import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from reproduce.practice import light

CONFIG = light.SCALES["laptop"]


def rows(seconds: float, share: float) -> pd.DataFrame:
    """All of it takes so long, and so large a part of PyTorch's disk."""
    timed = [
        light._row(what, number, "s", seconds * (1 + number / 100))
        for what in light.SECONDS
        for number in range(1, 10)
    ]
    sizes = {"curvecast": 1.0, "all": 100 * share, "torch itself": 100.0}
    return pd.DataFrame([*timed, *(light._row(what, 1, "MB", value) for what, value in sizes.items())])


def test_what_is_quick_and_small_meets_all_claims_and_what_is_slow_and_large_none():
    assert all(claim.holds() for claim in light.claims(rows(0.1, 0.1)))
    assert not any(claim.holds() for claim in light.claims(rows(10, 0.9)))


def test_sizes_leave_out_what_every_environment_has(tmp_path):
    for name, size in {"curvecast": 3, "numpy": 5, "pip": 7, "setuptools": 9, "pip-25.dist-info": 11}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(size * 1_000_000))
    (tmp_path / "one.py").write_bytes(bytes(500_000))
    found = light._sizes(tmp_path)
    assert found["curvecast"] == 3 and found["all"] == 8.5 and found["torch itself"] > 50


def test_the_runs_are_a_file_that_the_command_reads(tmp_path):
    light._write_runs(tmp_path / "3.csv", 3, 10)
    table = pd.read_csv(tmp_path / "3.csv")
    assert table.columns.tolist() == ["run", "step", "value"] and len(table) == 30
    assert table["value"].between(0, 1).all() and table["run"].nunique() == 3


def test_a_command_that_fails_says_what_it_said():
    with pytest.raises(UserError, match="no such thing"):
        light._run([light.sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_without_packages_it_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr(light, "WHEELS", tmp_path / "none")
    with pytest.raises(UserError, match="make bench"):
        light.measure(CONFIG, "all")
