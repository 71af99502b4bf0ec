"""Guards reproduce/craft/overfitting: what each technique changes, and the rule that stops early."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

from reproduce.craft._runs import layers
from reproduce.craft.overfitting import question
from reproduce.craft.overfitting.stopping import judged, stopped
from reproduce.craft.overfitting.techniques import (
    L1,
    LIMIT,
    LONGER,
    NONE,
    SHIFTS,
    SHIFTS_LONGER,
    TECHNIQUES,
    Training,
    changes,
    run,
)

FEW = Training(images=40, hidden=6, epochs=10, longest=0.5)


def test_each_technique_changes_the_run_and_all_take_as_many_steps():
    runs = {technique: run(FEW, technique, seed=0) for technique in TECHNIQUES}
    assert len({one["test_cost"].iloc[-1] for one in runs.values()}) == len(TECHNIQUES)
    assert {one["epoch"].iloc[-1] for one in runs.values()} == {10}
    assert len(runs[SHIFTS]) == 3  # 2 x 5 x 40 images


def test_shifted_images_may_be_seen_as_often_and_no_technique_takes_as_many_steps_as_that():
    shifts, plain = (run(FEW, technique, seed=0) for technique in LONGER)
    assert shifts["epoch"].tolist() == plain["epoch"].tolist() == list(range(11))
    assert (
        shifts["train_cost"].iloc[2] == run(FEW, SHIFTS, seed=0)["train_cost"].iloc[2]
        and SHIFTS_LONGER in LONGER
    )
    more = run(replace(FEW, epochs=50), NONE, seed=0)["train_cost"]
    assert plain["train_cost"].tolist() == more[::5].tolist()


def test_the_gradient_of_l1_is_lambda_times_the_sign():
    net = layers(6)
    changes(FEW, L1)["penalty"](net).backward()
    assert torch.allclose(net[0].weight.grad, FEW.l1 * net[0].weight.sign()) and net[0].bias.grad is None


def test_max_norm_shortens_the_weights_into_a_unit_that_are_too_long_and_no_others():
    net = layers(6)
    net[0].weight.data[1:] *= 0.1
    before = net[0].weight.detach().clone()
    changes(FEW, LIMIT)["after_step"](net)
    assert net[0].weight[0].norm().item() == pytest.approx(FEW.longest, rel=1e-4)
    assert torch.equal(net[0].weight[1:], before[1:])


def test_training_ends_after_epochs_without_a_better_accuracy_and_ties_are_none():
    one = pd.DataFrame({"stopping_accuracy": [0.1, 0.5, 0.5, 0.4, 0.9]})
    assert stopped(one, patience=2) == (1, 3)
    assert stopped(one, patience=3) == (4, 4)  # the rise of the last epoch comes in time


def test_what_stops_does_not_judge():
    one = pd.DataFrame({"seed": 0, "epoch": range(4), "stopping_accuracy": [0.1, 0.9, 0.2, 0.2]})
    one["judging_accuracy"] = [0, 1, 2, 3]
    early, not_stopped = judged(one, patience=2).values()
    assert early["judging_accuracy"].tolist() == [1] and not_stopped["judging_accuracy"].tolist() == [3]


def test_claims_about_a_technique_that_was_not_run_are_not_tested():
    config = question.Config(2, FEW)
    answers = {claim.name: claim for claim in question.claims(question.measure(config, NONE), config)}
    assert answers["turns_up"].tested() and not answers["l2_helps"].tested()
