"""Guards the small tasks of the chapter Architectures, networks together, and what is shown of longer curves."""

import math

import pytest
import torch

from reproduce.backbones import ensembles, longer_curves
from reproduce.backbones.ensembles import FiniteConfig, Scored, together
from reproduce.backbones.longer_curves import ASKED, SEEN
from reproduce.backbones.small_tasks import answerer
from reproduce.backbones.small_tasks.tasks import Copying, Induction, Recall, commonest, drawn

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


@pytest.mark.parametrize("name", answerer.ROWS)
def test_rows_have_as_many_parameters_and_never_look_ahead(name):
    width = answerer.width_of(name, 30_000)
    assert abs(answerer.parameters(name, width) / 30_000 - 1) < 0.08
    torch.manual_seed(0)
    net = answerer.Answerer(name, width, 6, 4).eval()
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
