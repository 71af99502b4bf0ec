"""Guards whole_file.py and from_outside.py: the new file or the old one; and a file that may be anything."""

import os
import struct
import zlib
from pathlib import Path

import pytest

from curvecast.ground import whole_file
from curvecast.ground.errors import UserError, reading


@pytest.fixture
def old(tmp_path) -> Path:
    """A file that is there."""
    (tmp_path / "x.csv").write_bytes(b"old")
    return tmp_path / "x.csv"


def test_the_file_is_replaced_and_nothing_is_left_beside_it(old):
    whole_file.write(old, b"new")
    assert old.read_bytes() == b"new" and os.listdir(old.parent) == ["x.csv"]
    assert old.stat().st_mode & 0o777 == 0o644


def test_a_folder_that_is_not_there_is_said_or_made_where_that_is_wanted(tmp_path):
    path = tmp_path / "no" / "x.csv"
    with pytest.raises(UserError, match="cannot write"):
        whole_file.write(path, b"new")
    whole_file.write(path, b"new", make_folder=True)
    assert path.read_bytes() == b"new" and os.listdir(path.parent) == ["x.csv"]


def test_it_is_on_the_disk_before_it_takes_the_place_of_the_old_one(old, monkeypatch):
    """Otherwise a power cut in between would leave an empty file under the name."""
    done = []
    for name in ("fsync", "replace"):
        call = getattr(os, name)
        monkeypatch.setattr(
            whole_file.os, name, lambda *paths, name=name, call=call: (done.append(name), call(*paths))
        )
    whole_file.write(old, b"new")
    assert done == ["fsync", "replace"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_who_handles_errors_gets_them_as_they_came(old, monkeypatch, error):
    """From `put`: a full disk with the name of the file, an interruption; nothing is left beside the old file."""

    def fail(_):
        raise error

    monkeypatch.setattr(whole_file.os, "fsync", fail)
    with pytest.raises(type(error)) as caught:
        whole_file.put(old, b"new")
    assert os.listdir(old.parent) == ["x.csv"] and old.read_bytes() == b"old"
    assert getattr(caught.value, "filename", str(old)) == str(old)


def test_a_link_and_the_permissions_stay(old):
    """What the link names is replaced; a file that its owner alone may read stays one."""
    link = old.with_name("link.csv")
    old.chmod(0o600)
    link.symlink_to(old)
    whole_file.write(link, b"new")
    assert link.is_symlink() and old.read_bytes() == b"new" and old.stat().st_mode & 0o777 == 0o600


def test_what_is_no_regular_file_is_refused(tmp_path):
    """A pipe would be replaced by a file, and whoever reads from it would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises(UserError, match="not a regular file"):
            whole_file.write(path, b"new")
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_killed_writer_left_is_swept(old):
    """After an hour: until then its writer may be at work."""
    for name in (".abcd1234.part", ".efgh5678.part", "film.part"):
        old.with_name(name).write_bytes(b"half")
    for name in (".abcd1234.part", "film.part"):
        os.utime(old.with_name(name), (1, 1))
    whole_file.write(old, b"new")
    assert sorted(os.listdir(old.parent)) == [".efgh5678.part", "film.part", "x.csv"]


@pytest.mark.parametrize("kind", [KeyError, MemoryError, RecursionError, struct.error, zlib.error, OSError])
def test_whatever_goes_wrong_is_a_sentence_without_escapes(kind):
    """Names of files and words of libraries may hold what a terminal obeys."""
    with pytest.raises(UserError) as told, reading("a\x1b[2J.db", "cannot be read", "copy it again"):
        raise kind("\x1b]0;x\x07\nno")
    assert str(told.value).isprintable() and str(told.value).startswith("a?[2J.db cannot be read (")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ModuleNotFoundError])
def test_what_is_not_the_fault_of_the_file_goes_on(kind):
    with pytest.raises(kind), reading("a.db", "cannot be read", "copy it again"):
        raise kind
