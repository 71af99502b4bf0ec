"""Guards ideas of the chapter Architectures: comparisons over seeds, equal size and time, trainings that smoke scale
leaves out, and settings of all chapters of which two must agree, or differ in one thing."""

from dataclasses import asdict, fields, replace

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.reader import FAMILIES
from curvecast.networks.bars import BarsConfig
from curvecast.networks.heads import parameters
from curvecast.training.train import TrainConfig
from presswork import where
from presswork.contract import ROOT
from reproduce.backbones import (
    _leads,
    _rows,
    _token_tasks,
    _trainings,
    architectures,
    block_switches,
    memory,
    small_tasks,
    state_and_seconds,
)  # fmt: skip
from reproduce.backbones._token_tasks import ALL_TASKS, FAR
from reproduce.backbones._trainings import SETTINGS, Setting
from reproduce.backbones.architectures import CONTESTS
from reproduce.backbones.block_switches import BLOCK, PLAIN, VARIANTS
from reproduce.backbones.state_and_seconds import CONTESTS as SMALL_ONES
from reproduce.language.language_models.trained import PFN, Trainings
from reproduce.reproduction import head_or_recipe
from reproduce.reproduction.head_or_recipe import ENDS, GAINS
from reproduce.trainings import SMALL


def table(sd: float, leads: list[float], seeds: int = 3, chance: int = 0) -> pd.DataFrame:
    """Rows ahead of the first by these, every seed with its own luck that all rows share, and scatter of this size."""
    draw = np.random.default_rng(chance)
    of_seed = draw.normal(0, 1, seeds)
    values = np.array(leads)[:, None] + of_seed + draw.normal(0, sd, (len(leads), seeds))
    return pd.DataFrame(values, index=[f"r{i}" for i in range(len(leads))])


@pytest.mark.parametrize("louder", [0, 0.4])
def test_the_interval_holds_the_truth_as_often_as_it_says(louder):
    """Of 400 tables 95 %, give or take what 400 leave to chance; also where one row varies far more than the others."""
    hits = 0
    for chance in range(400):
        trained = table(0.02, [0, 0.1, 0, 0, 0, 0, 0, 0], chance=chance)
        trained.loc["r1"] += np.random.default_rng([chance, 1]).normal(0, louder, 3)
        one = _leads.lead(trained, "r1", "r0")
        hits += one.low <= 0.1 <= one.high
    assert 0.92 <= hits / 400 <= 0.98


def test_what_has_not_all_seeds_is_not_compared():
    rows = pd.DataFrame({
        "backbone": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "ll": [1.0, 1.1, 1.2, np.nan],
    })  # fmt: skip
    table = _leads.by_seed(rows, "backbone")
    assert list(table.index) == ["a"]
    assert _leads.lead(table, "b", "a") is None
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


@pytest.mark.parametrize("name", FAMILIES)
def test_each_row_has_as_many_parameters(name):
    """Within two in a hundred, counted on the network itself; one width more or less would be further off."""
    config = _rows.reader(name)
    counted = sum(p.numel() for p in config.network(torch.linspace(0, 1, 3)).parameters())
    assert counted == parameters(config)
    assert abs(counted / _rows.PARAMETERS - 1) <= 0.02


def test_at_equal_time_each_row_was_trained_on_as_many_curves_as_its_budget_allows():
    """A slower row on fewer, by the steps that are kept as data: so say the published rows of every training."""
    folder = ROOT / "figures/state_and_seconds/paper"
    trained = pd.concat(pd.read_csv(path) for path in folder.glob("rows.*.csv"))
    trained = trained[trained["budget"].str.startswith("time")]
    assert set(trained["backbone"]) == set(FAMILIES)
    assert [_trainings.affordable(240, name) for name in trained["backbone"]] == trained["curves"].tolist()


@pytest.mark.parametrize("G", [8, 1])
def test_a_look_back_is_the_last_row_of_attention(G):
    attend, tokens = Attention(32, 8, G).double(), torch.randn(2, 9, 32, dtype=torch.float64)
    x = torch.arange(9.0).expand(2, 9)
    whole = attend(tokens, tokens, x, x)
    assert torch.allclose(block_switches.look(attend, tokens[:, -1:], attend.kv(tokens)), whole[:, -1:])


def test_an_lstm_with_forget_gates_half_open_is_measured_like_the_others():
    half_open, usual = (
        _rows.reader_of(one, 4_000).network(torch.linspace(0, 1, 9)).layers[0].forwards[0].new.bias
        for one in (memory.HalfOpenConfig(layers=2), _rows.FAMILIES["LSTM"])
    )
    forget = slice(len(usual) // 4, len(usual) // 2)
    assert half_open[forget].eq(0).all() and usual[forget].eq(1).all()
    small = replace(memory.SCALES["smoke"], beside=(memory.HALF_OPEN,))
    sweep = pd.DataFrame({"backbone": ["LSTM"], "setting": ["Muon"], "ll": [1.0]})
    half, whole = (
        memory.measure(small, name, 1, {memory.SWEEP: sweep}) for name in (memory.HALF_OPEN, "LSTM")
    )
    assert set(half["when"]) == {"first", "trained"}
    before, beside = (where(some, when="first", lag=20)["size"].item() for some in (half, whole))
    assert before < beside / 10  # forgets sooner


@pytest.mark.parametrize("task", ["recall", FAR])
def test_a_longer_training_has_more_steps_and_a_rate_that_half_of_them_chose(monkeypatch, task):
    """Copying from afar tries its rates on copying from nearby."""
    taken = []

    def train(net, task, training, rate, seed):
        taken.append((task, training.steps, rate))
        net.rate = rate
        return 1.0

    monkeypatch.setattr(_token_tasks, "train", train)
    monkeypatch.setattr(_token_tasks, "right", lambda net, *_: 0.9 if net.rate == 1e-2 else 0.3)
    small = replace(small_tasks.SCALES["smoke"], longer=((task, "Elman"),), seeds=1)
    found = small_tasks.measure(small, **[*small_tasks.parts(small).values()][-1])
    near, far = ALL_TASKS["copying" if task == FAR else task], ALL_TASKS[task]
    assert taken == [(near, 8, 3e-3), (near, 8, 1e-2), (far, 16, 1e-2)]
    assert set(found) == {"longer"} and set(found["longer"]["task"]) == {task}


def test_a_training_whose_loss_is_no_number_gives_nothing():
    """Not an end of the whole question: a row without a score is a finding."""
    config = _trainings.training(_rows.reader("Elman", 4_000), Setting("adam", 1e30, 0.0), 128, 3)
    config = replace(config, bars=BarsConfig(buckets=50, curves=300))
    assert _trainings.train(config) is None
    assert _trainings.train(replace(config, lr=1e-3)) is not None


def pfn_beside_language():
    ours = Trainings().config(PFN, 0)
    return ours, _trainings.training(_rows.reader(_rows.PFN), SETTINGS["Muon, twice"], ours.curves, 0)


def plain_block():
    return replace(BLOCK, name=_rows.FAMILIES[_rows.PFN].name), _rows.FAMILIES[_rows.PFN]


@pytest.mark.parametrize("both", [pfn_beside_language, plain_block])
def test_a_copy_says_what_its_original_says(both):
    copy, original = both()
    assert copy == original


@pytest.mark.parametrize(
    "chose", [architectures, state_and_seconds], ids=["architectures", "state and seconds"]
)
def test_fresh_seeds_are_none_of_those_that_chose(chose):
    assert chose.SCALES["paper"].seeds <= _rows.FIRST_FRESH_SEED


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != PLAIN])
def test_each_variant_of_the_block_differs_in_one_switch(name):
    changed = {
        field.name
        for field in fields(BLOCK)
        if getattr(VARIANTS[name], field.name) != getattr(BLOCK, field.name)
    }
    assert len(changed) == 2 and "name" in changed  # the name of its weights, and the switch


def of_cell(cell: str, curves: int = 49_152) -> TrainConfig:
    config = head_or_recipe.SCALES["paper"]
    return head_or_recipe.training(config.authors, config.ours, cell, curves, 0)


def changed_fields(one: TrainConfig, other: TrainConfig) -> set[str]:
    """Of the training and of its model."""
    a, b = ({**asdict(config), **asdict(config.model), "model": None} for config in (one, other))
    return {field for field in a if a[field] != b[field]}


def test_heads_or_tunings_are_compared_and_the_ends_are_the_papers_own_recipe_and_ours():
    heads, tunings = (
        changed_fields(*map(of_cell, GAINS[name][:2])) for name in ("head_ours", "tuning_mixture")
    )
    assert heads == {"head"}
    assert "head" not in tunings and {"optimiser", "batch", "norm", "dropout", "features"} <= tunings
    assert of_cell(ENDS[0], 1_000_000) == TrainConfig.paper(128, 3, 1_000_000)
    assert of_cell(ENDS[1], 196_608) == SMALL["3x128"]
