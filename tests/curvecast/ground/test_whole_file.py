"""Guards curvecast/ground/whole_file.py: the new file or the old one, and nothing beside it."""

import os
from pathlib import Path

import pytest

from curvecast.ground import whole_file
from curvecast.ground.errors import UserError


def test_the_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"old")
    whole_file.write(path, b"new")
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["x.csv"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_folder_that_is_not_there_is_said_or_made_where_that_is_wanted(tmp_path):
    path = tmp_path / "no" / "x.csv"
    with pytest.raises(UserError, match="cannot write"):
        whole_file.write(path, b"new")
    whole_file.write(path, b"new", make_folder=True)
    assert path.read_bytes() == b"new" and os.listdir(path.parent) == ["x.csv"]


def test_it_is_on_the_disk_before_it_takes_the_place_of_the_old_one(tmp_path, monkeypatch):
    """Otherwise a power cut in between would leave an empty file under the name."""
    done = []
    for name in ("fsync", "replace"):
        call = getattr(os, name)
        monkeypatch.setattr(
            whole_file.os, name, lambda *paths, name=name, call=call: (done.append(name), call(*paths))
        )
    whole_file.write(tmp_path / "x.csv", b"new")
    assert done == ["fsync", "replace"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_who_handles_errors_gets_them_as_they_came(tmp_path, monkeypatch, error):
    """From `put`: a full disk with the name of the file, an interruption; nothing is left beside the old file."""

    def fail(_):
        raise error

    (tmp_path / "x.csv").write_bytes(b"old")
    monkeypatch.setattr(whole_file.os, "fsync", fail)
    with pytest.raises(type(error)) as caught:
        whole_file.put(tmp_path / "x.csv", b"new")
    assert os.listdir(tmp_path) == ["x.csv"] and (tmp_path / "x.csv").read_bytes() == b"old"
    assert getattr(caught.value, "filename", str(tmp_path / "x.csv")) == str(tmp_path / "x.csv")


def test_a_link_and_the_permissions_stay(tmp_path):
    """What the link names is replaced; a file that its owner alone may read stays one."""
    path, link = tmp_path / "x.csv", tmp_path / "link.csv"
    path.write_bytes(b"old")
    path.chmod(0o600)
    link.symlink_to(path)
    whole_file.write(link, b"new")
    assert link.is_symlink() and path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_regular_file_is_refused(tmp_path):
    """A pipe would be replaced by a file, and whoever reads from it would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises(UserError, match="not a regular file"):
            whole_file.write(path, b"new")
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_killed_writer_left_is_swept(tmp_path):
    """After an hour: until then its writer may be at work."""
    for name in (".abcd1234.part", ".efgh5678.part", "film.part"):
        (tmp_path / name).write_bytes(b"half")
    for name in (".abcd1234.part", "film.part"):
        os.utime(tmp_path / name, (1, 1))
    whole_file.write(tmp_path / "x.csv", b"new")
    assert sorted(os.listdir(tmp_path)) == [".efgh5678.part", "film.part", "x.csv"]
