"""Guards reproduce/protocols/tables_of_others.py: a side has its own curves, and a machine without tables is told so."""

import pytest

from curvecast.curves import real_table
from curvecast.ground.errors import UserError
from reproduce.protocols import tables_of_others


def test_without_the_folder_it_says_what_to_set(monkeypatch):
    monkeypatch.delenv(real_table.VARIABLE, raising=False)
    with pytest.raises(UserError, match=real_table.VARIABLE):
        tables_of_others.of_side("deepobs", "look")
