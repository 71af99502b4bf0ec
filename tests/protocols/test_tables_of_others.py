"""Guards reproduce/protocols/tables_of_others.py: a side has its own curves, and a machine without tables is told so."""

import gzip

import pytest

from curvecast.curves import real_table
from curvecast.ground.errors import UserError
from reproduce.protocols import tables_of_others


def test_without_the_folder_it_says_what_to_set(monkeypatch):
    monkeypatch.delenv(real_table.VARIABLE, raising=False)
    with pytest.raises(UserError, match=real_table.VARIABLE):
        tables_of_others.of_side("deepobs", "look")


def test_a_table_has_one_fingerprint_however_it_is_packed(tmp_path, monkeypatch):
    """Machines pack with other versions of zlib: that is no other table."""
    monkeypatch.setenv(real_table.VARIABLE, str(tmp_path))
    found = set()
    for level in (1, 9):
        (tmp_path / tables_of_others.FILES["deepobs"]).write_bytes(gzip.compress(b"a,b\n" * 500, level))
        found.add(tables_of_others.fingerprint("deepobs"))
    assert len(found) == 1
