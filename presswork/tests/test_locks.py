"""Guards locks: one holder at a time, many who share, and on a system without fcntl its counterpart."""

import importlib.util
import sys
from types import SimpleNamespace

from presswork.ground import locks


def test_one_holds_a_lock_and_several_may_share_it(tmp_path):
    path = tmp_path / "runs" / "one"
    with locks.held(path) as mine, locks.held(path, wait=False) as other:
        assert mine and not other
    with (
        locks.held(path, shared=True, wait=False) as mine,
        locks.held(path, shared=True, wait=False) as other,
    ):
        assert mine and other
    with locks.held(path, wait=False) as again:
        assert again


def test_without_fcntl_the_lock_is_that_of_windows(tmp_path, monkeypatch):
    """Tried against a stand-in of its module, which knows one holder; on Windows itself nobody has run this."""
    held: list[int] = []

    def locking(number: int, what: str, count: int) -> None:
        if what == "free":
            held.clear()
        elif held:
            raise PermissionError("held by another process")
        else:
            held.append(number)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(
        sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK="take", LK_UNLCK="free")
    )
    spec = importlib.util.spec_from_file_location("locks_of_windows", locks.__file__)
    windows = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(windows)
    with open(tmp_path / "lock", "a+") as one, open(tmp_path / "lock", "a+") as other:
        assert windows.take(one.fileno()) and not windows.take(other.fileno(), wait=False)
        windows.free(one.fileno())
        assert windows.take(other.fileno(), shared=True)
