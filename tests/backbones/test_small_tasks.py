"""Guards reproduce/backbones/small_tasks: what is asked, that all are asked the same, and what is claimed."""

from dataclasses import replace

import pandas as pd
import pytest
import torch
from torch import nn

from reproduce.backbones import _rows
from reproduce.backbones.small_tasks import answerer, claims, question, trained
from reproduce.backbones.small_tasks.tasks import (
    ALL_TASKS,
    FAR,
    TASKS,
    Copying,
    Induction,
    Recall,
    commonest,
    drawn,
)

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


@pytest.mark.parametrize("name", TASKS)
def test_a_batch_is_the_same_for_all_and_no_other_is(name):
    one, same, next_one, other = (
        drawn(TASKS[name], seed, number, 8).tokens for seed, number in ((0, 1), (0, 1), (0, 2), (1, 1))
    )
    assert torch.equal(one, same) and not torch.equal(one, next_one) and not torch.equal(one, other)
    assert int(one.max()) < TASKS[name].words


def test_who_counts_answers_the_commonest_value_and_nothing_that_is_no_value():
    assert commonest(torch.tensor([[9, 1, 9, 2, 9, 2], [0, 9, 9, 9, 3, 0]]), 4).tolist() == [[2], [0]]


class Knows(nn.Module):
    """Answers with what the first places show."""

    def forward(self, tokens: torch.Tensor, asked: int) -> torch.Tensor:
        return nn.functional.one_hot(tokens[:, :asked], 42).float()


def test_right_counts_token_by_token():
    """Of three values in four places the blank leaves 0 to 3 where they belong, each number as often."""
    task = Copying(remembered=3, places=3, values=4)  # no blank: all is there
    assert trained.right(Knows(), task, 0, SOME) == 1
    wide = Copying(
        remembered=3, places=4, values=4
    )  # one blank, which shifts what stands behind it: 1 of 4 is whole
    assert 0.4 < trained.right(Knows(), wide, 0, 2_000) < 0.75


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


def test_a_training_learns_what_stands_in_the_last_place():
    """One value that is shown, then asked for: a short memory will do."""
    task, training = Copying(1, 1, 4), trained.Training(2_000, 60, 32)
    net = trained.answerer("LSTM, all states", task, training, 0)
    before = trained.right(net, task, 0, SOME)
    trained.train(net, task, training, 1e-2, 0)
    assert before < 0.8 and trained.right(net, task, 0, SOME) > 0.95


def test_the_rate_is_chosen_with_half_the_steps_on_a_seed_of_its_own(monkeypatch):
    asked = []

    def train(net, task, training, rate, seed):
        asked.append((training.steps, rate, seed))
        net.rate = rate
        return 1.0

    monkeypatch.setattr(question, "train", train)
    monkeypatch.setattr(question, "right", lambda net, *_: 0.9 if net.rate == 0.2 else 0.3)
    small = replace(question.SCALES["smoke"], rates=(0.1, 0.2, 0.3))
    found = question.measure(small, f"recall-{_rows.part('Elman')}")
    assert asked == [(2, 0.1, 100), (2, 0.2, 100), (2, 0.3, 100), (4, 0.2, 0), (4, 0.2, 1)]
    assert set(found["rows"]["rate"]) == {0.2} and question.SCALES["paper"].seeds <= question.SEED


def test_a_longer_training_has_more_steps_and_a_rate_that_half_of_them_chose(monkeypatch):
    asked = []
    monkeypatch.setattr(
        question, "train", lambda net, task, training, rate, seed: asked.append((training.steps, rate)) or 1.0
    )
    small = replace(question.SCALES["smoke"], longer=(("recall", "Elman"), (FAR, "Elman")), seeds=1)
    near, far = question.parts(small)[-2:]
    assert (near, far) == ("longer-recall-Elman", "longer-copying_from_afar-Elman")
    for part in (near, far):
        asked.clear()
        found = question.measure(small, part)
        assert asked == [(8, 3e-3), (8, 1e-2), (16, found["longer"]["rate"][0])] and set(found) == {"longer"}
    assert set(found["longer"]["task"]) == {FAR} and ALL_TASKS[FAR].places == 256


def rows(**right: float) -> pd.DataFrame:
    """backbone=share, in all tasks and lengths; three seeds a thousandth apart."""
    return pd.DataFrame([
        {"backbone": name, "task": task, "seed": seed, "times": times, "width": 8, "parameters": 1_000, "rate": 0.01,
         "seconds": 1.0, "right": value + 0.001 * ((seed * len(name)) % 3)}
        for name, value in right.items() for task in TASKS for times in TASKS[task].times for seed in range(3)
    ])  # fmt: skip


def test_a_claim_holds_where_it_should_and_says_nothing_of_what_was_not_trained():
    shares = {"Mamba": 0.99, "S4, HiPPO": 0.7, "H3": 0.6, "Elman": 0.2}
    stated = {one.name: one for one in claims.claims(rows(**shares), rows(H3=0.7))}
    assert stated["h3_learns_on"].value == pytest.approx(0.1) and stated["h3_learns_on"].holds()
    assert stated["h3_recalls_later"].holds() is False and stated["s4_learns_on"].value is None
    assert stated["mamba_copies"].holds() and stated["s4_copies_less"].holds()
    assert stated["s4_copies_less"].value == pytest.approx(0.29, abs=0.003)
    assert stated["h3_recalls"].holds() is False and stated["s4_recalls_less"].holds() is False
    assert stated["elman_forgets"].holds() is False
    assert stated["attention_recalls"].value is None and stated["gates_recall_more"].value is None
