"""The networks whose forecasts of real curves are compared: ours on two priors, and the paper's recipe on its own."""

from dataclasses import replace

from curvecast.curves.prior import PriorConfig
from curvecast.training.train import TrainConfig
from reproduce.trainings import SMALL, TINY

NEW_PRIOR = PriorConfig(real=0.5)  # half of the curves by the laws of real runs, half the paper's


def networks(size: str) -> dict[str, TrainConfig]:
    """By method. The paper's recipe has the layers, the width and the curves of ours: the recipe alone differs."""
    ours = (SMALL | TINY)[size]
    paper = TrainConfig.paper(ours.model.width, ours.model.layers, ours.curves)
    paper = replace(paper, bars=replace(ours.bars, tails="paper"))
    new = replace(
        ours,
        prior=NEW_PRIOR,
        model=replace(ours.model, features="spread"),
        bars=replace(ours.bars, buckets=2 * ours.bars.buckets),
    )  # as it ships
    return {"paper": paper, "ours": ours, "new": new}
