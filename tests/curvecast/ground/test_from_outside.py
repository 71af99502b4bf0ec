"""Guards curvecast/ground/from_outside.py: a file that may be anything is read, or is one sentence."""

import struct
import zlib

import pytest

from curvecast.ground.errors import UserError
from curvecast.ground.from_outside import reading


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
