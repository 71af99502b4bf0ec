"""Guards curvecast/while_training/kept.py."""

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
