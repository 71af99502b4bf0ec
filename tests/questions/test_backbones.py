"""Guards ideas of the chapter Architectures: comparisons over seeds, what a row costs, equal size, equal time."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.query_network import parameters
from reproduce.backbones import _costs, _leads, _rows, _scores, block_switches, weight_decay
from reproduce.backbones._trainings import SETTINGS
from reproduce.backbones.architectures import CONTESTS
from reproduce.backbones.book_keeping import TASKS, Shape
from reproduce.backbones.state_and_seconds import CONTESTS as SMALL_ONES
from reproduce.backbones.weight_decay import DECAY, PENALTY, Config

# ---------------------------------------------------------------------------------------------------- leads over seeds


def table(sd: float, leads: list[float], seeds: int = 3, chance: int = 0) -> pd.DataFrame:
    """Rows ahead of the first by these, every seed with its own luck that all rows share, and scatter of this size."""
    draw = np.random.default_rng(chance)
    of_seed = draw.normal(0, 1, seeds)
    values = np.array(leads)[:, None] + of_seed + draw.normal(0, sd, (len(leads), seeds))
    return pd.DataFrame(values, index=[f"r{i}" for i in range(len(leads))])


def test_the_luck_that_all_share_does_not_count():
    found = _leads.lead(table(1e-9, [0, 0.1]), "r1", "r0")
    assert found.value == pytest.approx(0.1) and found.half < 1e-6


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of 400 tables 95 %, give or take what 400 leave to chance."""
    hits = 0
    for chance in range(400):
        one = _leads.lead(table(0.02, [0, 0.1, 0, 0, 0], chance=chance), "r1", "r0")
        hits += one.low <= 0.1 <= one.high
    assert 0.92 <= hits / 400 <= 0.98


def test_an_interval_for_many_is_wider():
    one, many = (_leads.lead(table(0.02, [0, 0.1, 0]), "r1", "r0", among) for among in (1, 20))
    assert many.half > 1.5 * one.half and many.value == one.value


def test_holm_keeps_back_what_chance_would_give():
    """No row is better: of 200 tables of ten rows, about one in twenty has a row below 0.05, and not four in ten."""
    false = [(_leads.holm(table(0.02, [0] * 10, chance=i), "r0") < 0.05).any() for i in range(200)]
    assert np.mean(false) <= 0.1
    found = _leads.holm(table(0.02, [0, 0.2, 0, 0]), "r0")
    assert found["r1"] < 0.01 and found.idxmin() == "r1" and (found <= 1).all()


def test_what_has_not_all_seeds_is_not_compared():
    rows = pd.DataFrame({
        "backbone": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "ll": [1.0, 1.1, 1.2, np.nan],
    })  # fmt: skip
    table = _leads.by_seed(rows, "backbone")
    assert list(table.index) == ["a"]
    assert _leads.lead(table, "b", "a") is None and _leads.holm(table, "a").empty
    assert _leads.scatter(_leads.by_seed(rows[:0], "backbone")) is None


def differences(one: _leads.Contest) -> list[str]:
    """Of two settings of one backbone: all that differ; of two kinds of backbones: depth and heads, if they do."""
    ahead, of = (FAMILIES[name] for name in (one.ahead, one.of))
    names = [field.name for field in fields(of)] if type(ahead) is type(of) else ["layers", "heads"]
    return [name for name in names if getattr(ahead, name, None) != getattr(of, name, None)]


@pytest.mark.parametrize("contests", [CONTESTS, SMALL_ONES])
def test_a_contest_of_one_idea_differs_in_nothing_else_and_never_in_depth(contests):
    for one in contests:
        assert one.ahead in FAMILIES and one.of in FAMILIES and one.ahead != one.of
        found = differences(one)
        assert not one.one_idea or ("layers" not in found and len(found) <= 1), f"{one.name}: {found}"
    assert len({one.name for one in contests}) == len(contests) and any(one.one_idea for one in contests)
    assert differences(_leads.Contest("gates", "LSTM", "Elman", "")) == ["layers"]


# ---------------------------------------------------------------------------------------------- equal size, equal time


@pytest.mark.parametrize("name", FAMILIES)
def test_each_row_has_as_many_parameters(name):
    """Within two in a hundred, counted on the network itself; one width more or less would be further off."""
    config = _rows.reader(name)
    counted = sum(p.numel() for p in config.network(torch.linspace(0, 1, 3)).parameters())
    assert counted == parameters(config)
    assert abs(counted / _rows.PARAMETERS - 1) <= 0.02


def test_equal_time_means_fewer_curves_where_a_step_takes_longer():
    speeds = pd.DataFrame({"backbone": ["LSTM"] * 3 + ["GRU"], "step": [0.4, 0.5, 9.0, 0.25]})
    assert _scores.affordable(240, speeds, "LSTM") == 64 * 480
    assert _scores.affordable(240, speeds, "GRU") == 64 * 960


# ------------------------------------------------------------------------------------------------------- what it costs


def test_what_is_kept_grows_with_depth_and_leaves_weights_out():
    """Four layers keep more than one, of as many parameters; at least the tokens themselves are kept."""
    runners = [
        _costs.runner(_rows.reader(name, 4_000), SETTINGS["Muon"], 16) for name in ("Elman", "Elman, stacked")
    ]
    one, four = (_costs.turn(runner, 1)["kept"] for runner in runners)
    assert four > one > 16 * 50 * 4


def test_a_product_keeps_what_it_was_given_and_not_its_weights():
    layer, u = nn.Linear(8, 4), torch.randn(5, 8)
    assert _costs.kept(layer.parameters(), lambda: layer(u)) == 5 * 8 * 4  # float32


def test_what_is_shared_counts_once_and_what_needs_no_gradient_not_at_all():
    u = torch.randn(100, requires_grad=True)
    assert _costs.kept([], lambda: (u * u, u.sin())) == 100 * 4
    assert _costs.kept([], lambda: u.detach().sin()) == 0


@pytest.mark.parametrize("G", [8, 1])
def test_a_look_back_is_the_last_row_of_attention(G):
    attend, tokens = Attention(32, 8, G).double(), torch.randn(2, 9, 32, dtype=torch.float64)
    x = torch.arange(9.0).expand(2, 9)
    whole = attend(tokens, tokens, x, x)
    assert torch.allclose(block_switches.look(attend, tokens[:, -1:], attend.kv(tokens)), whole[:, -1:])


def test_parameters_are_those_of_a_layer_counted_by_hand():
    """Width 4, two heads of 2: four 4 x 4 matrices, 4 x 8 and 8 x 4."""
    shape = Shape(layers=1, width=4, heads=2, head_width=2, kv_heads=2, feed=8, matrices=2)
    assert shape.parameters == 4 * 16 + 2 * 32
    assert replace(shape, layers=3).parameters == 3 * shape.parameters
    assert replace(shape, vocabulary=10, embeddings=2, positions=5).parameters == shape.parameters + 80 + 20
    one_key = replace(shape, kv_heads=1)
    assert shape.parameters - one_key.parameters == 2 * 4 * 2
    assert shape.cache(7) == 2 * one_key.cache(7) == 2 * 7 * 4


def test_nothing_is_asked_that_was_given():
    """Only step by step are there epochs that go in and come out: each is asked before it is given."""
    for name, (_, inside, outside) in TASKS.items():
        assert bool(set(inside) & set(outside)) == ("step" in name)
        assert max(outside) > max(inside)


# ---------------------------------------------------------------------------------------------- what decay leaves

FEW = Config(gradients=(0.0, 5.0), weights=400, seeds=2, steps=60)


@pytest.mark.parametrize(("optimiser", "how"), [("SGD", PENALTY), ("SGD", DECAY), ("Adam", DECAY)])
def test_what_shrinks_by_the_decay_alone_is_left_as_the_formula_says(optimiser, how):
    """(1 - lr lambda)^steps; with noise, on average."""
    left = weight_decay.shrunk(FEW, optimiser, how, 0).mean(1)
    formula = (1 - FEW.lr * FEW.decay) ** FEW.steps
    assert float(left[0]) == pytest.approx(formula, abs=1e-9)
    assert float(left[1]) == pytest.approx(formula, abs=0.1)


def test_adam_makes_a_penalty_a_step_of_its_own_rate_where_nothing_else_pulls():
    """Without any other gradient lambda w is all there is, and Adam moves by about lr whatever its size."""
    left = weight_decay.shrunk(FEW, "Adam", PENALTY, 0).mean(1)
    assert float(left[0]) == pytest.approx(1 - FEW.lr * FEW.steps, abs=0.1)
    assert float(left[1]) > 0.9
