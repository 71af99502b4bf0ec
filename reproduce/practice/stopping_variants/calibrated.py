"""Forecasts of the runs of a pool, with intervals calibrated on runs that finished before the search.

Shapes: n finished runs, m epochs of a whole run, B runs at once, T epochs seen, Q later epochs.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from curvecast.forecasting.finished_runs import Finished, scores
from curvecast.forecasting.kept_promises import Levels, levels
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.scores.stopping import Density, Predict
from curvecast.training.train import Forecaster


@dataclass(frozen=True)
class Kept:
    """A forecast whose quantiles are moved to the levels at which the finished runs fell."""

    density: Density  # (B, Q)
    levels: Levels  # (Q, ...)

    def quantile(self, level: float) -> Tensor:  # -> (B, Q)
        asked = self.levels.asked(np.full(len(self.levels.network), level))  # (Q,)
        return self.density.quantile(torch.from_numpy(asked).float())  # type: ignore[arg-type]  # one for each epoch


def calibrated(forecaster: Forecaster, finished: Tensor) -> Predict:  # (n, m)
    """Where the finished runs fell in the network's forecast is computed once for each number of observed epochs."""
    m = finished.shape[1]
    whole = [Finished(np.arange(1.0, m + 1), run.double().numpy()) for run in finished]
    known: dict[int, np.ndarray] = {}

    def predict(x: Tensor, y: Tensor, later: Tensor) -> Kept:
        T = x.shape[1]
        if T not in known:
            known[T] = scores(TorchNetwork(forecaster.model), whole, T / m)
        ahead = (later[0].double().numpy() - T) / (m - T)  # (Q,)
        return Kept(forecaster.predict(x, y, later), levels(known[T], ahead))

    return predict
