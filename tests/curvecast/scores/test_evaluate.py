"""Guards curvecast/scores/evaluate.py; what the command prints of it is guarded in test_main.py."""

import torch

from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig


def test_the_answer_does_not_depend_on_how_many_at_once(monkeypatch):
    """Curves are judged in portions to bound the memory; portions change nothing."""
    config = TrainConfig(ModelConfig(8, 1, 2, components=2), bars=BarsConfig(buckets=40, curves=300))
    forecaster = Forecaster(config, PFN(config.model, make_borders(config.bars, config.prior)).eval(), [])
    noisy = torch.rand(11, 30)
    whole = evaluate.score(forecaster, noisy, noisy, 10)
    monkeypatch.setattr(evaluate, "AT_ONCE", 4)
    parts = evaluate.score(forecaster, noisy, noisy, 10)
    assert all(torch.allclose(whole[name], parts[name], atol=1e-6) for name in whole)
