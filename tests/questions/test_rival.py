"""Guards reproduce/rival: how the reference package is asked. What it is asked for is timed by `make bench` alone."""

import sys
from pathlib import Path

import pytest

from curvecast.ground.errors import UserError
from reproduce.rival import partner
from reproduce.rival.partner import Rival

pytestmark = pytest.mark.slow
STUB = """
import json, sys
print("a lot of talk", file=sys.stderr)
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "fail":
        sys.exit("it broke")
    print(json.dumps(request), flush=True)
"""


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """A program that answers each request with the request itself."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    monkeypatch.setattr(partner, "PACKAGE", (str(path),))
    return Path(sys.executable)


def test_without_the_reference_one_sentence_says_what_to_do(tmp_path):
    """The environment of the reference is made by make bench."""
    with pytest.raises(UserError, match=r"not installed .* run `make bench`"):
        Rival(1, python=tmp_path / "python")


def test_the_rival_answers_line_by_line(stub):
    with Rival(1, python=stub) as rival:
        assert rival.versions == {"do": "hello", "threads": 1}
        assert rival.ask("prior", curves=3) == {"do": "prior", "curves": 3}


def test_a_rival_that_dies_is_reported_with_its_last_words(stub):
    """No hang and no traceback: a UserError with what it said last."""
    with Rival(1, python=stub) as rival, pytest.raises(UserError, match=r"status 1 .*it broke"):
        rival.ask("fail")
    assert rival.process.returncode is not None
