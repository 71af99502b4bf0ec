"""Guards curvecast/whole.py: the new file or the old one, and nothing beside it."""

import os

import pytest

from curvecast import whole
from curvecast.errors import UserError


def test_the_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    whole.write(path, b"new")
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["x.csv"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole.os, "replace", full)
    with pytest.raises(UserError, match="No space left"):
        whole.write(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["x.csv"]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(UserError, match="cannot write"):
        whole.write(tmp_path / "no" / "x.csv", b"new")
