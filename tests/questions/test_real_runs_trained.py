"""Guards new_data/_run_*.py: plans that are the same everywhere, each learner trained as its row says, in a bank as alone."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, log_loss

from curvecast.ground.errors import UserError
from reproduce.new_data import _run_plan as plan
from reproduce.new_data import _run_tasks as tasks
from reproduce.new_data import _run_training as factory
from reproduce.new_data._run_bank import Data, Member, Networks, Schedule, Shape, factors, masks_of, train
from reproduce.new_data._run_tasks import WORST, score


@pytest.fixture(scope="module")
def every() -> list[plan.Run]:
    banks = [bank for task in tasks.TASKS for bank in plan.networks(task, 4, 20, 0)]
    alone = [run for learner in plan.SETTINGS for run in plan.single_runs(learner, 30, 0)]
    return [*(run for bank in banks for run in bank), *alone, *plan.sizes(80, 0)]


def test_a_shorter_plan_is_a_piece_of_a_longer_one():
    """So what is trained at laptop scale is trained at paper scale, too."""
    (few,), (many, *_) = plan.networks("digits", 1, 15, 0), plan.networks("digits", 4, 20, 0)
    assert few == many[:15]
    assert plan.single_runs("sgd", 15, 0) == plan.single_runs("sgd", 50, 0)[:15]
    assert plan.sizes(30, 0) == plan.sizes(80, 0)[:30]


def test_names_and_seeds_are_a_run_s_own_and_near_copies_have_one_group(every):
    """Two runs are of one group just where learner, task and settings are the same: every fifth run repeats another."""
    assert len({run.name for run in every}) == len({run.seed for run in every}) == len(every)
    groups: dict[str, list[plan.Run]] = {}
    for run in every:
        groups.setdefault(run.group, []).append(run)
    same = [{(run.learner, run.task, json.dumps(run.settings)) for run in runs} for runs in groups.values()]
    assert all(len(group) == 1 for group in same) and len(set().union(*same)) == len(groups)
    counts = Counter(len(runs) for runs in groups.values() if runs[0].learner != "sizes")
    assert set(counts) == {1, 2} and counts[2] * 4 == counts[1] + counts[2]


def right(task, split):
    """The labels of the data set."""
    return tasks.TASKS[task]()[1].astype(int)[split.rows]


@pytest.mark.parametrize("task", tasks.TASKS)
def test_no_held_out_row_is_trained_on(task):
    """Each row is on one of the two sides, a third of each class held out; features are scaled by the others alone."""
    split = tasks.split(task, seed=3)
    both = np.concatenate([split.rows, split.held_rows])
    assert sorted(both) == list(range(len(both)))
    shares = np.bincount(split.held_y) / np.bincount(np.concatenate([right(task, split), split.held_y]))
    assert np.abs(shares - 1 / 3).max() < 0.02
    assert split.classes == len(shares) and 1 / split.classes <= split.guess() < 0.7
    spread = split.x.std(0)
    assert np.allclose(split.x.mean(0), 0) and np.allclose(spread[spread > 0], 1)
    assert not np.allclose(split.held_x.mean(0), 0, atol=1e-3)


def test_wrong_labels_are_in_the_training_part_alone():
    """As many as was asked for, none of them right by chance, and not one among the held-out rows."""
    split, plain = tasks.split("digits", 1, wrong=0.4), tasks.split("digits", 1)
    assert (split.y != right("digits", split)).sum() == round(0.4 * len(split.y))
    assert (split.held_y == plain.held_y).all() and (plain.y == right("digits", plain)).all()
    named = tasks.split("digits_wrong", 1)
    assert np.mean(named.y != right("digits", named)) == pytest.approx(0.2, abs=0.001)


def test_scores_are_those_of_scikit_learn_and_a_chance_of_nothing_costs_the_worst():
    chances, labels = np.random.default_rng(0).dirichlet([1, 1], 4), np.array([0, 1, 1, 0])
    found = score(chances, labels)
    assert found.accuracy == accuracy_score(labels, chances.argmax(1))
    assert found.loss == pytest.approx(log_loss(labels, chances))
    assert score(np.array([[0.0, 1.0]]), np.array([0])).loss == WORST == pytest.approx(-np.log(1e-7))


def test_rates_follow_their_schedules():
    """After four epochs of warm-up, a fifth, two fifths, …, the fifth has all of it; drops come after the named epochs."""
    assert factors(Schedule(warm_up=4), 10) == pytest.approx([0.2, 0.4, 0.6, 0.8, *[1] * 6])
    assert factors(Schedule("drops", drops=(2, 4), fall=0.1), 6) == pytest.approx(
        [1, 1, 0.1, 0.1, 0.01, 0.01]
    )
    cosine, line = (factors(Schedule(shape), 50) for shape in ("cosine", "linear"))
    assert cosine[0] == line[0] == 1 and cosine[25] == line[25] == pytest.approx(0.5)
    assert cosine[-1] < line[-1] == pytest.approx(0.02)
    assert (np.diff(cosine) < 0).all() and (np.diff(line) < 0).all()
    with pytest.raises(UserError, match="'sawtooth' is unknown: take one of constant"):
        factors(Schedule("sawtooth"), 10)


def single(learner, task, steps, **settings):
    return plan.Run("r", learner, task, "r", 1, "step", settings, steps)


# ------------------------------------------------------------------------------------------ networks in banks

STRANGE = [
    Member(1, rate=0.05),
    Member(2, rate=0.01, dropout=0.4, wrong=0.2, weight_decay=0.01),
    Member(3, rate=0.1, momentum=0.9, schedule=Schedule("cosine", 2), start=0.1),
]


@pytest.mark.parametrize("adam", [False, True])
def test_a_network_of_a_bank_is_the_one_that_is_trained_alone(adam):
    """Also with dropout, wrong labels and a schedule: other networks of the bank have no effect."""
    shape = Shape("wine", (12, 12), batch=16, adam=adam, epochs=6)
    for member, together in zip(STRANGE, train(shape, STRANGE), strict=True):
        (alone,) = train(shape, [member])
        assert np.allclose(alone.loss, together.loss, rtol=1e-3, atol=1e-5)
        assert np.allclose(alone.accuracy, together.accuracy, atol=0.02)


@pytest.mark.parametrize("adam", [False, True])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_it_trains_as_torch_does(adam, activation):
    """The same first weights and batches, with torch's layers, gradients and optimisers, come to the same loss."""
    member = Member(4, rate=0.02 if adam else 0.1, momentum=0.0 if adam else 0.9, weight_decay=0.05)
    shape = Shape("wine", (10, 10), activation, batch=16, adam=adam, epochs=5)
    (ours,) = train(shape, [member])
    rng, data = np.random.default_rng([member.seed, 2]), Data(shape, [member])
    layers: list[torch.nn.Module] = []
    for weight, bias in Networks([13, 10, 10, 3], activation, [1.0], [rng]).layers:
        layer = torch.nn.Linear(weight.shape[1], weight.shape[2])
        layer.weight.data, layer.bias.data = weight[0].T.clone(), bias[0, 0].clone()
        layers += [layer, torch.nn.ReLU() if activation == "relu" else torch.nn.Tanh()]
    net = torch.nn.Sequential(*layers[:-1])
    kind, more = (torch.optim.AdamW, {}) if adam else (torch.optim.SGD, {"momentum": 0.9})
    optimiser = kind(net.parameters(), member.rate, weight_decay=member.weight_decay, **more)
    for epoch in range(5):
        for x, y in data.batches(16, [rng]):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(net(x[0]), y[0]).backward()
            optimiser.step()
        theirs = torch.nn.functional.cross_entropy(net(data.held_x[0]), data.held_y[0])
        assert ours.loss[epoch] == pytest.approx(theirs.item(), rel=1e-3)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_gradients_pass_through_dropout(activation):
    """As torch's own gradient does, for masks that leave out a third of the units."""
    rng = np.random.default_rng(0)
    nets = Networks([4, 6, 6, 3], activation, [1.0, 0.5], [rng, rng])
    x = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0))
    y = torch.tensor([[0, 1, 2, 0, 1]] * 2)
    masks = masks_of((6, 6), 5, [0.33, 0.0], [rng, rng])
    nets.step_gradient(x, y, masks)
    own = [[part.clone().requires_grad_() for part in layer] for layer in nets.layers]
    act, value = (torch.relu if activation == "relu" else torch.tanh), x
    for (weight, bias), mask in zip(own, [*masks, None], strict=True):
        value = value @ weight + bias
        value = value if mask is None else act(value) * mask
    torch.nn.functional.cross_entropy(value.transpose(1, 2), y, reduction="none").mean(1).sum().backward()
    for found, expected in zip(nets.slopes, own, strict=True):
        assert all(torch.allclose(f, e.grad, atol=1e-5) for f, e in zip(found, expected, strict=True))


def test_dropout_keeps_the_mean_and_first_weights_have_the_scale_that_was_asked_for():
    """Remaining units are scaled up, with a dropout of zero all remain; biases are zero."""
    left, whole = masks_of((200,), 400, [0.3, 0.0], [np.random.default_rng(i) for i in (0, 1)])[0]
    assert (left == 0).float().mean() == pytest.approx(0.3, abs=0.01)
    assert left.mean() == pytest.approx(1, abs=0.01) and (whole == 1).all()
    nets = Networks([50, 30, 2], "relu", [1.0, 0.01], [np.random.default_rng(1) for _ in range(2)])
    (weight, bias), _ = nets.layers
    assert weight[0].std() == pytest.approx((2 / 50) ** 0.5, rel=0.05) and (bias == 0).all()
    assert torch.allclose(nets.flat[1], nets.flat[0] / 100)


def test_numbers_that_overflow_end_as_finite_curves_and_harm_no_mate():
    """A rate far too large: the curve says from which epoch on, and its neighbour learns."""
    shape = Shape("wine", (16,), batch=16, epochs=8)
    broken, fine = train(shape, [Member(1, rate=1e30, start=1e6), Member(2, rate=0.1)])
    assert broken.broke is not None and broken.loss[-1] == WORST
    assert np.isfinite(broken.loss).all() and fine.broke is None and fine.accuracy[-1] > 0.85


def test_settings_of_a_plan_are_read_as_they_were_drawn():
    """Through the plain values of the table and back, each at its place."""
    settings = {"hidden": [8, 8], "activation": "tanh", "batch": 16, "adam": True, "share": 0.5, "rate": 0.1,
                "schedule": {"shape": "drops", "warm_up": 1, "drops": [3, 5], "fall": 0.2}, "momentum": 0.3,
                "weight_decay": 0.01, "dropout": 0.1, "wrong": 0.2, "start": 0.5}  # fmt: skip
    run = plan.Run("r", "networks", "wine", "r", 5, "epoch", settings, 7)
    member = Member(5, 0.1, Schedule("drops", 1, (3, 5), 0.2), 0.3, 0.01, 0.1, 0.2, 0.5)
    (expected,) = train(Shape("wine", (8, 8), "tanh", 16, True, 0.5, 7), [member])
    assert np.array_equal(factory.train(run).loss, expected.loss)


def test_the_last_vote_is_that_of_the_whole_forest():
    """As scikit-learn takes it."""
    from sklearn.ensemble import RandomForestClassifier

    run = single("forest", "wine", 7, wrong=0.0, random_cuts=False, max_depth=3, max_features=0.5)
    split = tasks.split("wine", run.seed)
    whole = RandomForestClassifier(7, max_depth=3, max_features=0.5, random_state=run.seed).fit(
        split.x, split.y
    )
    expected = score(whole.predict_proba(split.held_x), split.held_y)
    assert factory.train(run).loss[-1] == pytest.approx(expected.loss)


def test_sizes_double_every_eight_steps_up_to_all_rows_and_see_each_class_first():
    """No row is lost or comes twice."""
    sizes = factory.sizes(119)
    assert sizes[[0, 8, 16]].tolist() == [16, 32, 64] and (np.diff(sizes) > 0).all() and sizes[-1] <= 119
    assert factory.sizes(64)[-1] == 64
    labels = tasks.split("digits", 0).y
    order = factory.each_class_first(labels)
    assert set(labels[order[:10]]) == set(range(10)) and sorted(order) == list(range(len(labels)))


def test_a_curve_over_sizes_is_the_mean_over_its_seeds():
    """Of three seeds: the mean of the three curves of one seed each, the first of which has the run's own."""
    run = plan.sizes(6, seed=0, seeds=1)[5]
    alone = [factory.train_over_sizes(replace(run, seed=run.seed + i)) for i in range(3)]
    together = factory.train_over_sizes(replace(run, settings=run.settings | {"seeds": 3}))
    assert np.allclose(together.loss, np.mean([run.loss for run in alone], 0))
    assert together.untrained is None and together.accuracy[-1] > together.accuracy[0]
