"""Guards curvecast/networks/query_network.py: any network that answers queries has checkpoints, a job and a line in todo."""

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from curvecast.curves.prior import PriorConfig
from curvecast.ground import weights
from curvecast.ground.errors import UserError
from curvecast.networks.bars import Bars, BarsConfig
from curvecast.training import train
from curvecast.training.steps import Training
from curvecast.training.train import Paused, TrainConfig
from reproduce._press import contract, plan, run
from reproduce._press.telling import todo

built = []  # a line for each toy that was made


class Toy(nn.Module):
    """Its inputs are the mean of the context and the epoch of the query; it uses dropout."""

    random_stream = "toy"

    def __init__(self, width, borders):
        super().__init__()
        built.append(width)
        self.register_buffer("borders", borders)
        self.wide, self.out = nn.Linear(2, width), nn.Linear(width, len(borders) - 1)

    def forward(self, x, y, x_query, mask=None):
        features = torch.stack([y.mean(1, keepdim=True).expand_as(x_query), x_query / 100], -1)
        return self.out(nn.functional.dropout(self.wide(features).relu(), 0.1, self.training))

    def log_density(self, x, y, x_query, y_query, mask=None):
        return Bars(self.borders, self(x, y, x_query, mask)).log_density(y_query)


@dataclass(frozen=True)
class ToyConfig:
    width: int = 8
    label = "toy"

    def behaviour(self):
        return {"toy": 1}

    def network(self, borders):
        return Toy(self.width, borders)


TOY = TrainConfig(
    ToyConfig(), PriorConfig(length=20), BarsConfig(buckets=30, curves=300), curves=320, batch=16
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Weights and checkpoints lie below the working folder."""
    monkeypatch.chdir(tmp_path)
    built.clear()


def same(a, b):
    return all(
        torch.equal(p, q) for p, q in zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    )


def test_any_network_paused_and_resumed_ends_with_the_same_weights():
    """Stopped and resumed after each step, dropout included."""
    pauses = 0
    whole = train.trained(TOY, progress=False, device="cpu", root=Path("once"))
    while True:
        try:
            parts = train.trained(TOY, minutes=0, progress=False, device="cpu")
            break
        except Paused:
            pauses += 1
    assert pauses == 19 and same(whole.model, parts.model)


def test_one_training_builds_one_network():
    """From the first step to the forecaster; a resumed one builds its own, once."""
    train.trained(TOY, progress=False, device="cpu")
    assert len(built) == 1
    with pytest.raises(Paused):
        train.trained(replace(TOY, seed=1), minutes=0, progress=False, device="cpu")
    train.trained(replace(TOY, seed=1), progress=False, device="cpu")
    assert len(built) == 3


def test_a_question_with_any_network_has_its_jobs(monkeypatch, tmp_path):
    """It is named, listed as missing, a job of the plan, trained by its name, and then no longer missing."""
    for folder in ("reproduce", "curvecast"):
        (tmp_path / folder).symlink_to(contract.ROOT / folder)
    question = contract.load("slips")
    monkeypatch.setattr(question.module, "models", lambda config: [TOY])
    name = train.name(TOY)
    assert name.startswith("ours-toy-0k-")
    assert f"train-{name}" in plan.plan("smoke", ["slips"])
    missing = [work for work in todo.missing("smoke", ["slips"], tmp_path) if work.kind == "train"]
    assert [work.name for work in missing] == [name]
    run.train_models(question, "smoke", run.Budget(None), tmp_path)
    assert train.is_trained(TOY)
    assert "train" not in [work.kind for work in todo.missing("smoke", ["slips"], tmp_path)]


def test_a_file_of_another_network_does_not_pretend_to_be_a_pfn():
    """`load` refuses weights of a network that is not a PFN."""
    train.trained(TOY, progress=False, device="cpu")
    path = train.weights_path(TOY)
    with pytest.raises(UserError, match="another kind of network, toy"):
        train.load(path)
    assert weights.read(path)[1]["network"] == "toy"


def test_what_cannot_be_trained_is_refused():
    """The error names what a network or a config lacks."""
    with pytest.raises(UserError, match="Linear has no borders and no random_stream and no log_density"):
        Training(TOY, nn.Linear(2, 2))
    with pytest.raises(UserError, match="SimpleNamespace has no label and no behaviour and no network"):
        TrainConfig(SimpleNamespace())
