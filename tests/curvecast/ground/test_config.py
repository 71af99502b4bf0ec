"""Guards curvecast/ground/config.py: hashes that last."""

from dataclasses import dataclass, replace

import pytest

from curvecast.ground.config import canonical, digest, later, plain, restore
from curvecast.ground.errors import UserError
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig


@dataclass(frozen=True)
class Inner:
    sizes: tuple[int, ...] = (1, 2)


@dataclass(frozen=True)
class Old:
    inner: Inner = Inner()
    rate: float = 0.1


@dataclass(frozen=True)
class New(Old):
    momentum: float = later(0.9)


def test_a_field_added_later_leaves_old_hashes_alone():
    """While it has its default it is left out of the canonical form; any other value is included."""
    assert digest(New()) == digest(Old())
    assert digest(New(momentum=0.8)) != digest(Old())


def test_restore_undoes_plain():
    """A config survives the trip through JSON, nested and with tuples."""
    config = TrainConfig(ModelConfig(64, 1, 2), curves=640, seed=3)
    assert restore(TrainConfig, plain(config)) == config
    assert restore(New, plain(New(Inner((3,)), 0.2, 0.5))) == New(Inner((3,)), 0.2, 0.5)


def test_an_unknown_field_is_a_clear_complaint():
    """A file from a newer version is refused by name of the field, not by a traceback."""
    with pytest.raises(UserError, match="'colour'"):
        restore(Old, {"colour": "red"})


def test_canonical_does_not_depend_on_order():
    """The order of fields in a dictionary plays no part."""
    assert canonical({"b": 1, "a": (1, 2)}) == canonical({"a": [1, 2], "b": 1}) == '{"a":[1,2],"b":1}'


def test_known_hashes_stand():
    """Published weights are found by these hashes: a change here makes all of them unknown."""
    assert digest(Old()) == "13fd0f8eac24"
    assert digest(replace(Old(), rate=0.2)) != digest(Old())
