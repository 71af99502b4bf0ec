"""Two more forecasts without a network or a fit, for curves (B, T) of which more is better, at epochs 1, 2, ..., T.

best so far   the best value seen, give or take a step, as `last value` of baselines has it
own steps     the last value, with a spread that grows: so many epochs ahead as the run itself moved within so many
"""

import torch
from torch import Tensor

from curvecast.scores import baselines
from curvecast.scores.baselines import LONE_POINT_SD, SD_FLOOR, Gaussian


def best_so_far(y: Tensor, ahead: int) -> Gaussian:
    """Densities (B, ahead) of the next epochs."""
    last = _last(y, ahead)
    best = y.double().amax(1, keepdim=True)
    return Gaussian(best.expand_as(last.mean), last.sd)


def own_steps(y: Tensor, ahead: int) -> Gaussian:
    """Beyond the longest lag that half of the epochs seen can show, the variance grows by the step, as a random walk's."""
    last = _last(y, ahead)
    longest = y.shape[1] // 2
    if not longest:
        return Gaussian(last.mean, torch.full_like(last.mean, LONE_POINT_SD))
    y = y.double()
    moved = (y[:, lag:] - y[:, :-lag] for lag in range(1, longest + 1))
    sd = torch.stack([by.square().mean(1).sqrt() for by in moved], 1)  # (B, longest)
    lag = torch.arange(1, ahead + 1)
    far = (lag / longest).clamp(min=1).sqrt()
    return Gaussian(last.mean, (sd[:, lag.clamp(max=longest) - 1] * far).clamp(min=SD_FLOOR))


def _last(y: Tensor, ahead: int) -> Gaussian:
    x = torch.arange(1.0, y.shape[1] + ahead + 1)
    return baselines.forecast("last value", x[: y.shape[1]], y, x[y.shape[1] :])
