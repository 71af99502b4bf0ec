"""Guards ideas of the chapter Architectures: comparisons over seeds, equal size and time, costs, tasks, trainings that smoke
scale leaves out, and one that breaks."""

import math
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.bars import BarsConfig
from curvecast.networks.query_network import parameters
from reproduce._press.contract import ROOT
from reproduce.backbones import (
    _leads,
    _rows,
    _scores,
    _token_tasks,
    _trainings,
    backbone_speeds,
    block_switches,
    ensembles,
    longer_curves,
    memory,
    small_tasks,
    trial_to_ship,
)  # fmt: skip
from reproduce.backbones._token_tasks import ALL_TASKS, FAR, Copying, Induction, Recall, commonest, drawn
from reproduce.backbones._trainings import Setting
from reproduce.backbones.architectures import CONTESTS
from reproduce.backbones.book_keeping import TASKS, Shape
from reproduce.backbones.ensembles import FiniteConfig, Scored, together
from reproduce.backbones.longer_curves import ASKED, SEEN
from reproduce.backbones.state_and_seconds import CONTESTS as SMALL_ONES

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


# ---------------------------------------------------------------------------------------------- equal size, equal time


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
    assert [_scores.affordable(240, name) for name in trained["backbone"]] == trained["curves"].tolist()


# ------------------------------------------------------------------------------------------------------- what it costs


def test_a_product_keeps_what_it_was_given_and_not_its_weights():
    layer, u = nn.Linear(8, 4), torch.randn(5, 8)
    assert backbone_speeds.kept(layer.parameters(), lambda: layer(u)) == 5 * 8 * 4  # float32


def test_what_is_shared_counts_once_and_what_needs_no_gradient_not_at_all():
    u = torch.randn(100, requires_grad=True)
    assert backbone_speeds.kept([], lambda: (u * u, u.sin())) == 100 * 4
    assert backbone_speeds.kept([], lambda: u.detach().sin()) == 0


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


# ------------------------------------------------------------------------------- small tasks, ensembles, longer curves

SOME = 200


def test_recall_asks_each_key_once_and_the_answer_stood_behind_it():
    task = Recall(pairs=5, keys=7, values=6)
    tokens, answers = drawn(task, 0, 0, SOME)
    assert tokens.shape == (SOME, 15) and answers.shape == (SOME, 5)
    for row, wanted in zip(tokens.tolist(), answers.tolist(), strict=True):
        keys, values = row[0:10:2], row[1:10:2]
        assert len(set(keys)) == 5 and min(keys) >= 6 and max(values) < 6
        found = dict(zip(keys, values, strict=True))
        assert sorted(row[10:]) == sorted(keys) and [found[key] for key in row[10:]] == wanted


def test_copying_asks_for_all_values_in_their_order():
    tokens, answers = drawn(Copying(remembered=3, places=9, values=4), 0, 0, SOME)
    for row, wanted in zip(tokens.tolist(), answers.tolist(), strict=True):
        assert [token for token in row[:9] if token < 4] == wanted
        assert row[:9].count(4) == 6 and row[9:] == [5, 5, 5]


@pytest.mark.parametrize("times", [1, 2, 4])
def test_induction_shows_the_mark_twice_and_asks_what_followed_the_first(times):
    task = Induction(length=6, values=5)
    tokens, answers = drawn(task, 0, 0, SOME, times)
    assert tokens.shape == (SOME, 6 * times)
    firsts = set()
    for row, wanted in zip(tokens.tolist(), answers.tolist(), strict=True):
        assert row.count(5) == 2 and row[-1] == 5 and wanted == [row[row.index(5) + 1]] and wanted[0] < 5
        firsts.add(row.index(5))
    assert firsts == set(range(6 * times - 2))


def test_who_counts_answers_the_commonest_value_and_nothing_that_is_no_value():
    assert commonest(torch.tensor([[9, 1, 9, 2, 9, 2], [0, 9, 9, 9, 3, 0]]), 4).tolist() == [[2], [0]]


@pytest.mark.parametrize("name", _token_tasks.ROWS)
def test_rows_have_as_many_parameters_and_never_look_ahead(name):
    width = _token_tasks.width_of(name, 30_000)
    assert abs(_token_tasks.parameters(name, width) / 30_000 - 1) < 0.08
    torch.manual_seed(0)
    net = _token_tasks.Answerer(name, width, 6, 4).eval()
    tokens = torch.randint(6, (2, 7))
    changed = tokens.clone()
    changed[:, -1] = (tokens[:, -1] + 1) % 6
    before, after = net(tokens, 7), net(changed, 7)
    assert before.shape == (2, 7, 4)
    assert torch.allclose(before[:, :-1], after[:, :-1], atol=1e-5) and not torch.allclose(
        before[:, -1], after[:, -1]
    )


def scored(*densities: float) -> Scored:
    return Scored({5: torch.tensor([densities]).double().log()}, 2.0, 1, 10)


def test_several_answer_with_the_mean_of_their_densities():
    found = together([scored(0.2, 0.4), scored(0.6, 0.4)])
    assert torch.allclose(found.points[5].exp(), torch.tensor([[0.4, 0.4]]).double())
    assert (found.seconds, found.networks, found.parameters) == (4.0, 2, 20)
    assert float(found.points[5].mean()) > (math.log(0.2 * 0.4) + math.log(0.6 * 0.4)) / 4


def test_a_step_shows_only_the_few_curves_and_asks_for_what_comes_later():
    config = FiniteConfig(few=8, batch=16)
    few = ensembles.few_curves(config.prior, config.few_seed, 8)
    for group in config.batches(3, "cpu"):
        c = group.x.shape[1]
        assert all(any(one.equal(curve[:c]) for curve in few) for one in group.y)
        assert (group.x_query > c).all() and (group.x_query <= 100).all()
        for one, asked, value in zip(group.y, group.x_query, group.y_query, strict=True):
            curve = next(curve for curve in few if one.equal(curve[:c]))
            assert value.equal(curve[(asked - 1).long()])


@pytest.mark.parametrize("T", [100, 200, 3200])
def test_a_fifth_is_shown_and_the_last_epoch_is_asked(T):
    shown, asked = longer_curves.places(T, thin=False)
    assert shown.tolist() == list(range(T // 5))
    assert len(asked.unique()) == ASKED and asked.min() >= T // 5 and asked.max() == T - 1
    thin, same = longer_curves.places(T, thin=True)
    assert len(thin) == SEEN and thin.max() == T // 5 - 1 and same.equal(asked)


# ----------------------------------------------------------------------------- what no question measures at smoke scale


def test_an_lstm_with_forget_gates_half_open_is_measured_like_the_others():
    half_open, usual = (
        _rows.reader_of(one, 4_000).network(torch.linspace(0, 1, 9)).layers[0].forwards[0].new.bias
        for one in (memory.HalfOpenConfig(layers=2), _rows.FAMILIES["LSTM"])
    )
    forget = slice(len(usual) // 4, len(usual) // 2)
    assert half_open[forget].eq(0).all() and usual[forget].eq(1).all()
    small = replace(memory.SCALES["smoke"], beside=(memory.HALF_OPEN,))
    sweep = pd.DataFrame({"backbone": ["LSTM"], "setting": ["Muon"], "ll": [1.0]})
    found = memory.measure(small, memory.parts(small)[-1], {memory.SWEEP: sweep})
    assert set(found["backbone"]) == {memory.HALF_OPEN} and set(found["when"]) == {"first", "trained"}


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
    found = small_tasks.measure(small, small_tasks.parts(small)[-1])
    near, far = ALL_TASKS["copying" if task == FAR else task], ALL_TASKS[task]
    assert taken == [(near, 8, 3e-3), (near, 8, 1e-2), (far, 16, 1e-2)]
    assert set(found) == {"longer"} and set(found["longer"]["task"]) == {task}


# ------------------------------------------------------------------------------------------ costs, and what breaks


def test_a_network_beside_itself_costs_once_as_much(monkeypatch):
    """By a clock that counts the curves of a step; and one with three times the curves costs three times as much."""
    monkeypatch.setattr(trial_to_ship, "core_seconds", lambda step: step.func.__self__.config.batch)
    tiny = trial_to_ship.training(trial_to_ship.SCALES["smoke"], "", 0, "Muon")
    assert trial_to_ship.dearer(tiny, tiny) == 1
    assert trial_to_ship.dearer(tiny, replace(tiny, batch=3 * tiny.batch)) == 3


def test_a_training_whose_loss_is_no_number_gives_nothing():
    """Not an end of the whole question: a row without a score is a finding."""
    config = _trainings.training(_rows.reader("Elman", 4_000), Setting("adam", 1e30, 0.0), 128, 3)
    config = replace(config, bars=BarsConfig(buckets=50, curves=300))
    assert _trainings.train(config) is None
    assert _trainings.train(replace(config, lr=1e-3)) is not None
