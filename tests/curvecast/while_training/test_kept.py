"""Guards curvecast/while_training/kept.py."""

from itertools import pairwise

import pytest

from curvecast.ground.errors import UserError
from curvecast.while_training.kept import Kept


def test_what_was_written_is_read(tmp_path):
    """By another process too; nothing is there before."""
    assert Kept(tmp_path / "run.json").read() == {}
    Kept(tmp_path / "run.json").write({"a": {"steps": [1.5]}})
    assert Kept(str(tmp_path / "run.json")).read() == {"a": {"steps": [1.5]}}


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00"])
def test_a_file_of_another_kind_is_a_sentence_and_stays(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(UserError, match="remove it, or name another file"):
        Kept(tmp_path / "run.json").read()
    assert (tmp_path / "run.json").read_text() == text


def state(step, value):
    """Of a run whose last value this is."""
    return {"steps": [1, step], "values": [0.1, value], "missing": 0}


def test_what_was_added_is_read_and_nothing_is_written_twice(tmp_path):
    """A step that comes again takes the place of all from it on; a line that was cut off costs no other."""
    kept = Kept(tmp_path / "search.json")
    kept.write({"a": {"steps": [1], "values": [0.1]}})  # as earlier releases wrote it
    sizes = []
    for step, value in ((2, 0.2), (3, 0.3), (4, 0.4), (3, 0.5)):
        kept.add("a", state(step, value))
        sizes.append(kept.path.stat().st_size)
    assert len({later - one for one, later in pairwise(sizes)}) == 1
    kept.path.write_bytes(kept.path.read_bytes() + b'\n{"a": {"ste')
    kept.add("b", state(7, 0.7))
    found = kept.read()
    assert found["a"]["steps"] == [1, 2, 3] and found["a"]["values"] == [0.1, 0.2, 0.5]
    assert found["b"]["steps"] == [7]
    kept.add("a", {"steps": [], "values": [], "missing": 1})  # all was taken back
    assert kept.read()["a"] == {"steps": [], "values": [], "missing": 1}
