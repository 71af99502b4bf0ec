"""The networks whose forecasts of real curves are compared: ours on two priors, and the paper's recipe on its prior."""

from dataclasses import replace

from curvecast.curves.prior import PriorConfig
from curvecast.training.train import TrainConfig
from reproduce.trainings import SMALL, TINIEST

NEW_PRIOR = PriorConfig(real=0.5)  # half of the curves from the run simulator, half from the paper's prior


def networks(size: str) -> dict[str, TrainConfig]:
    """By method. The paper's recipe has as many layers, units and curves as ours: only the recipe differs."""
    ours = (SMALL | TINIEST)[size]
    paper = TrainConfig.paper(ours.model.width, ours.model.layers, ours.curves)
    paper = replace(paper, bars=replace(ours.bars, tails="paper"))
    new = replace(
        ours,
        prior=NEW_PRIOR,
        model=replace(ours.model, features="spread"),
        bars=replace(ours.bars, buckets=2 * ours.bars.buckets),
    )  # as in the released model
    return {"paper": paper, "ours": ours, "new": new}
