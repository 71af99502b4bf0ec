"""Guards curvecast/curves/factory/factory.py: a run is trained as its row of settings says."""

import numpy as np
import torch

from curvecast.curves.factory import factory, plan
from curvecast.curves.factory.mlp_bank import Member, Shape
from curvecast.curves.factory.schedules import Schedule


def test_settings_are_read_as_they_were_drawn():
    """Through the plain values of the table and back."""
    settings = {"hidden": [8, 8], "activation": "tanh", "batch": 16, "adam": True, "share": 0.5, "rate": 0.1,
                "schedule": {"shape": "drops", "warm_up": 1, "drops": [3, 5], "fall": 0.2}, "momentum": 0.0,
                "weight_decay": 0.01, "dropout": 0.1, "wrong": 0.2, "start": 0.5}  # fmt: skip
    run = plan.Run("r", "networks", "wine", "r", 5, "epoch", settings, 7)
    assert factory._shape(run) == Shape("wine", (8, 8), "tanh", 16, True, 0.5, 7)
    assert factory._member(run) == Member(5, 0.1, Schedule("drops", 1, (3, 5), 0.2), 0.0, 0.01, 0.1, 0.2, 0.5)


def test_the_same_seed_gives_the_same_curves():
    """Of every learner, whatever was trained before."""
    runs = [plan.networks("wine", 1, 1, 0, epochs=5)[0][0], plan.sizes(6, 0, seeds=1)[5]]
    # the sixth task is wine
    runs += [plan.single_runs(learner, 7, 0, steps=5)[6] for learner in plan.SETTINGS]
    with factory.one_thread():
        first, second = ([factory.train(run) for run in order] for order in (runs, runs[::-1]))
    for run, scores, repeated in zip(runs, first, second[::-1], strict=True):
        assert np.allclose(scores.loss, repeated.loss, rtol=1e-4), run.name
        assert np.isfinite(scores.loss).all() and ((scores.accuracy >= 0) & (scores.accuracy <= 1)).all()


def test_threads_are_given_back():
    """One thread inside, as many as before outside."""
    before = torch.get_num_threads()
    with factory.one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
