"""The networks whose forecasts of real curves are compared: the same one on two priors, and the paper's recipe."""

from dataclasses import replace

from curvecast.curves.prior import PriorConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce.trainings import SMALL, TINY

NEW_PRIOR: PriorConfig | None = None  # until the prior knows the laws of real runs: then this is it


def networks(size: str) -> dict[str, TrainConfig]:
    """By method. The recipe of the paper has the size and the curves of ours, so that the recipe alone differs."""
    ours = (SMALL | TINY)[size]
    model = ours.model
    paper = replace(
        TrainConfig.paper(model.width, model.layers, ours.curves // 100 * 100), bars=replace(ours.bars, tails="paper")
    )
    return {"paper": paper, "ours": ours} | ({"new": _on_new(ours)} if NEW_PRIOR else {})


def _on_new(ours: TrainConfig) -> TrainConfig:
    assert NEW_PRIOR is not None and isinstance(ours.model, ModelConfig)
    return replace(ours, prior=NEW_PRIOR)
