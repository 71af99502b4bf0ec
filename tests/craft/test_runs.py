"""Guards reproduce/craft/_runs.py: what a run logs, what may be changed in it, and runs that cannot be."""

import math

import pytest
import torch

from curvecast.ground.errors import UserError
from reproduce.craft._digits import Digits, Split, digits
from reproduce.craft._runs import Steps, layers, train


def net(*sizes: int) -> torch.nn.Module:
    torch.manual_seed(0)
    return layers(*sizes)


def test_a_network_learns_and_each_epoch_is_logged_from_the_beginning_on():
    run = train(net(12), digits(0, 200), Steps(epochs=10), seed=0)
    assert list(run["epoch"]) == list(range(11))
    assert run["train_cost"].iloc[0] == pytest.approx(math.log(10), abs=0.3)
    assert run["train_accuracy"].iloc[-1] > 0.9 > run["train_accuracy"].iloc[0]


def test_the_same_seed_is_the_same_run():
    runs = [train(net(6), digits(0, 60), Steps(epochs=3), seed=seed) for seed in (1, 1, 2)]
    assert runs[0].equals(runs[1]) and not runs[0].equals(runs[2])


def test_a_penalty_inputs_steps_and_rates_reach_the_training():
    seen: list[object] = []
    train(
        net(6), digits(0, 20), Steps(epochs=2), seed=0,
        penalty=lambda n: seen.append("penalty") or 0 * n[0].weight.sum(),
        inputs=lambda x, chance: seen.append("inputs") or x,
        after_step=lambda n: seen.append("step"),
        rate_of=lambda epoch: seen.append(epoch) or 1.0,
    )  # fmt: skip
    assert seen.count("penalty") == seen.count("inputs") == seen.count("step") == 4
    assert [one for one in seen if isinstance(one, int)] == [1, 2]


def test_further_columns_are_measured_in_each_epoch_as_at_test_time():
    also = {"also": lambda n: {"trains": n.training}, "clock": True}
    run = train(net(6), digits(0, 20), Steps(epochs=2), seed=0, **also)
    assert list(run["trains"]) == [False] * 3
    assert run["seconds"].iloc[0] == 0 < run["seconds"].iloc[1] < run["seconds"].iloc[2]


def test_a_run_that_diverges_is_kept():
    run = train(net(6), digits(0, 60), Steps(epochs=3, rate=1e30), seed=0)
    assert len(run) == 4 and run["train_accuracy"].notna().all()
    assert not math.isfinite(run["train_cost"].iloc[-1]) or run["train_cost"].iloc[-1] > 10


def test_one_class_and_missing_pixels_are_told():
    split = digits(0, 20)
    one = Digits(split.train.x, torch.zeros_like(split.train.y))
    with pytest.raises(UserError, match="at least two classes"):
        train(net(6), Split(one, split.test), Steps(epochs=1), seed=0)
    gone = Digits(split.train.x * math.nan, split.train.y)
    with pytest.raises(UserError, match="not finite"):
        train(net(6), Split(gone, split.test), Steps(epochs=1), seed=0)
