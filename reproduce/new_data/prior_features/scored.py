"""Scores of a network on real curves and, against other networks, on curves of the paper's prior."""

import pandas as pd

from curvecast.curves.prior import test_set
from curvecast.scores.evaluate import likelihood
from curvecast.scores.metrics import estimate, paired
from curvecast.training.train import TrainConfig, trained
from reproduce.new_data import _forecasters
from reproduce.new_data._forecasters import ForecastersConfig
from reproduce.new_data._scores_by_benchmark import EARLY
from reproduce.protocols import forecasters
from reproduce.protocols.real_curve import Trial

REAL = ("row", "curve", "seen", "method", "crps", "in90")  # seen: per cent of the points observed
OWN = ("method", "cutoff", "rival", "ll", "gain", "se")  # gain: nats per point above the rival

CUTOFFS = (5, 10, 20, 40, 70)


def on_real(name: str, config: TrainConfig, row: str, trials: list[Trial]) -> pd.DataFrame:
    ask = forecasters.network(trained(config))
    found = _forecasters.scored(ForecastersConfig(), "network", {name: ask}, trials, row)["rows"]
    return found[found["seen"].isin(EARLY)][list(REAL)]


def on_the_papers(
    name: str, config: TrainConfig, rivals: dict[str, TrainConfig], curves: int
) -> pd.DataFrame:
    """Log-likelihood of future points on THE test set of the paper's prior, paired with the rivals'."""
    y = test_set(curves).noisy
    found = []
    for cutoff in CUTOFFS:
        own = likelihood(trained(config), y, cutoff)
        for rival, other in rivals.items():
            told = paired(own, likelihood(trained(other), y, cutoff))
            found.append((name, cutoff, rival, estimate(own).value, told.value, told.se))
    return pd.DataFrame(found, columns=list(OWN)).round({"ll": 4, "gain": 4, "se": 5})
