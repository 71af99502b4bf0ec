"""Guards reproduce/backbones/_rows.py: as many parameters for each backbone."""

import pytest
import torch

from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.query_network import parameters
from reproduce.backbones import _rows


@pytest.mark.parametrize("name", FAMILIES)
def test_each_row_has_as_many_parameters(name):
    """Within two in a hundred, counted on the network itself; one width more or less would be further off."""
    config = _rows.reader(name)
    counted = sum(p.numel() for p in config.network(torch.linspace(0, 1, 3)).parameters())
    assert counted == parameters(config)
    assert abs(counted / _rows.PARAMETERS - 1) <= 0.02


@pytest.mark.parametrize("name", FAMILIES)
def test_a_part_is_a_name_of_a_file_and_leads_back(name):
    part = _rows.part(name)
    assert part.isascii() and " " not in part and "," not in part
    assert _rows.named(part) == name


def test_each_row_has_a_kind_and_each_kind_a_row():
    assert {_rows.kind(backbone) for backbone in FAMILIES} == set(_rows.KINDS)
    assert (
        _rows.kind("H3, attention") == "state space" and _rows.kind("linear attention") == "linear attention"
    )


def test_no_family_is_of_two_kinds():
    named = [family for families in _rows.KINDS.values() for family in families]
    assert len(named) == len(set(named)) and set(named) == {backbone.split(",")[0] for backbone in FAMILIES}
