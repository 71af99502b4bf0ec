"""Guards curvecast/curves/plain_pickle.py: numbers come out of a pickle, and nothing in it ever runs."""

import pickle
from pathlib import Path

import pytest

from curvecast.curves.plain_pickle import objects
from curvecast.ground.errors import UserError


class Deed:
    """Unpickling it creates a file."""

    def __init__(self, proof: Path):
        self.proof = proof

    def __reduce__(self):
        return Path.touch, (self.proof,)


def test_containers_and_numbers_come_as_they_were(tmp_path):
    """One after the other, as the old format of torch has them."""
    held = [1001, {"acc": [0.1, 0.2]}, [1, True, None, "x"]]
    for protocol in (2, 4):
        (tmp_path / "log").write_bytes(b"".join(pickle.dumps(one, protocol) for one in held))
        assert objects(tmp_path / "log") == held


def test_what_would_run_is_refused_and_does_not_run(tmp_path):
    """Plain unpickling would run code while the file is read."""
    proof = tmp_path / "proof"
    evil = pickle.dumps({"acc": [0.1], "deed": Deed(proof)})
    pickle.loads(evil)
    assert proof.exists(), "the deed must be one"
    proof.unlink()
    (tmp_path / "log").write_bytes(evil)
    with pytest.raises(
        UserError, match=r"log is not a pickle of containers and numbers alone \(.*it asks for "
    ):
        objects(tmp_path / "log")
    assert not proof.exists()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b"\xff\xff", "alone"),
        (pickle.dumps([1, 2])[:-1], "cut off"),
        (b"]" + b"\x85" * 400_000 + b".", "asks for TUPLE1"),  # a hash of it ends the process
        (b"NQ.", "persistent id"),  # of what lies outside the file
        (pickle.dumps(print), "asks for builtins.print"),
        (b"Nr\xff\xff\xff\xff.", "asks for object 4294967295"),  # makes room for 34 GB
        (b"]" * 1_000_001, "no log of a training"),
    ],
)
def test_a_file_that_is_none_is_told_in_a_sentence(tmp_path, data, told):
    """Empty, of another kind, cut off."""
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(UserError, match=f"log .*{told}"):
        objects(tmp_path / "log")
