"""Guards curvecast/training/forecaster.py: what cannot be forecast is refused."""

import math

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.forecaster import Forecaster

SMALL = TrainConfig(
    ModelConfig(16, 1, 2, components=3), PriorConfig(length=20), BarsConfig(buckets=30, curves=300)
)


def test_what_cannot_be_forecast_is_refused():
    """An epoch of 0 and a curve without a point: one sentence each, never a forecast."""
    forecaster = Forecaster(SMALL, SMALL.network().eval(), [])
    x, y = torch.arange(1.0, 6).expand(2, -1), torch.rand(2, 5)
    with pytest.raises(UserError, match="count from 1"):
        forecaster.predict(x - 1, y, x + 5)
    for bad in (math.nan, math.inf):
        with pytest.raises(UserError, match="NaN or infinite"):
            forecaster.predict(x, torch.where(x == 2, bad, y), x + 5)
    for epochs, queries in ((torch.where(x == 3, math.nan, x), x + 5), (x, torch.full_like(x, math.nan))):
        with pytest.raises(UserError, match="epoch"):
            forecaster.predict(epochs, y, queries)
    with pytest.raises(UserError, match=r"curve 1 .* epoch twice"):
        forecaster.predict(torch.tensor([[1.0, 2, 3, 4, 5], [1, 2, 2, 4, 5]]), y, x + 5)
    hidden = torch.tensor([[1, 1, 0, 1, 1]] * 2).bool()  # what the mask hides may be anything
    forecaster.predict(
        torch.where(hidden, x, 1.0), torch.where(hidden, y, math.nan).nan_to_num(), x + 5, hidden
    )
    with pytest.raises(UserError, match="without a single observed point"):
        forecaster.predict(x, y, x + 5, torch.tensor([[True] * 5, [False] * 5]))
