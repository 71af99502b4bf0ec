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


class Persistent(pickle.Pickler):
    def persistent_id(self, found):
        return "elsewhere" if found == 0.5 else None


def test_containers_and_numbers_come_as_they_were(tmp_path):
    """One after the other, as the old format of torch has them."""
    held = [1001, {"acc": [0.1, 0.2]}, (1, True, None, "x")]
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
        UserError, match=r"log is not a pickle of containers and numbers alone \(it asks for "
    ):
        objects(tmp_path / "log")
    assert not proof.exists()


def test_what_lies_outside_the_file_is_refused(tmp_path):
    with (tmp_path / "log").open("wb") as file:
        Persistent(file).dump([0.5])
    with pytest.raises(UserError, match="persistent id"):
        objects(tmp_path / "log")


@pytest.mark.parametrize(
    ("data", "told"), [(b"", "is empty"), (b"\xff\xff", "alone"), (pickle.dumps([1, 2])[:-1], "cut off")]
)
def test_a_file_that_is_none_is_told_in_a_sentence(tmp_path, data, told):
    """Empty, of another kind, cut off."""
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(UserError, match=f"log .*{told}"):
        objects(tmp_path / "log")
