"""Guards reproduce/backbones/block_switches: one switch each, equal size, what broke, and a look back that is attention."""

from dataclasses import fields

import pandas as pd
import pytest
import torch

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.query_network import parameters
from reproduce.backbones import _rows
from reproduce.backbones._block_variants import BLOCK, HOT_VARIANTS, PLAIN, VARIANTS
from reproduce.backbones.block_switches import costs, question


@pytest.mark.parametrize("name", [n for n in VARIANTS if n != PLAIN])
def test_each_variant_differs_in_one_switch(name):
    changed = [f.name for f in fields(BLOCK) if getattr(VARIANTS[name], f.name) != getattr(BLOCK, f.name)]
    assert len(changed) == 2 and "name" in changed  # the name of its weights, and the switch
    assert set(HOT_VARIANTS) <= set(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_each_has_as_many_parameters(name):
    """Within three in a hundred: heads leave fewer widths to choose from."""
    assert abs(parameters(question.reader(name, _rows.PARAMETERS)) / _rows.PARAMETERS - 1) <= 0.03


@pytest.mark.parametrize("G", [8, 1])
def test_a_look_back_is_the_last_row_of_attention(G):
    attend, tokens = Attention(32, 8, G).double(), torch.randn(2, 9, 32, dtype=torch.float64)
    x = torch.arange(9.0).expand(2, 9)
    whole = attend(tokens, tokens, x, x)
    assert torch.allclose(costs.look(attend, tokens[:, -1:], attend.kv(tokens)), whole[:, -1:])


def rows(**ll: list[float]) -> dict[str, pd.DataFrame]:
    """variant=[each seed]; the plain block's hot trainings gave 1.0, a NaN and 0.2."""
    lines = [
        {"variant": name, "seed": seed, "width": 64, "parameters": 100, "seconds": 1.0, "cutoff": 5, "ll": one}
        for name, each in ll.items() for seed, one in enumerate(each)
    ]  # fmt: skip
    empty = {name: pd.DataFrame(columns=list(columns)) for name, columns in question.TABLES.items()}
    hot = pd.DataFrame({"variant": PLAIN, "seed": range(3), "ll": [1.0, float("nan"), 0.2]})
    return empty | {"rows": pd.DataFrame(lines, columns=list(question.TABLES["rows"])), "hot": hot}


def test_what_broke_gave_no_number_or_learnt_nothing():
    assert question.broken(rows(plain=[1.1, 1.3]), PLAIN) == 2  # the NaN, and 0.2 of 1.2


def test_claims_say_which_way_a_switch_moves_the_block():
    found = {
        one.name: one
        for one in question.claims(
            rows(plain=[1.0, 1.1, 1.2], SwiGLU=[1.2, 1.3, 1.401], parallel=[0.9, 1.0, 1.1])
        )
    }
    assert found["swiglu_pays"].value == pytest.approx(0.2, abs=1e-3) and found["swiglu_pays"].holds()
    assert found["parallel_costs"].value == pytest.approx(0.1) and found["parallel_costs"].holds()
    assert found["rms_pays"].value is None and found["parallel_is_quicker"].value is None
