"""Guards reproduce/backbones/_kinds.py: each row is of one kind, which has a colour."""

from curvecast.networks.backbones.families import FAMILIES
from reproduce.backbones import _kinds


def test_each_row_has_a_kind_and_each_kind_a_row():
    assert {_kinds.kind(backbone) for backbone in FAMILIES} == set(_kinds.KINDS)
    assert (
        _kinds.kind("H3, attention") == "state space"
        and _kinds.kind("linear attention") == "linear attention"
    )


def test_no_family_is_of_two_kinds():
    named = [family for families in _kinds.KINDS.values() for family in families]
    assert len(named) == len(set(named)) and set(named) == {backbone.split(",")[0] for backbone in FAMILIES}
