"""Will a later epoch beat the best so far? Forecasts from one distribution for each epoch, without a joint distribution.

Shapes: n curves, Q = remaining epochs.
"""

import pandas as pd
import torch
from torch import Tensor

from curvecast.networks.bars import Bars
from curvecast.training.train import Forecaster

AT_ONCE = 20  # curves, each with all its later epochs


def chances(
    forecaster: Forecaster, y: Tensor, cutoff: int, margins: tuple[float, ...]
) -> dict[str, pd.DataFrame]:
    """`best`: a row for each curve and margin; `place`: the quantile of the best later value if epochs were independent."""
    x = torch.arange(1, y.shape[1] + 1.0)
    frames, places = [], []
    for i in range(0, len(y), AT_ONCE):
        some = y[i : i + AT_ONCE]
        epochs = x.expand(len(some), -1)
        density = forecaster.predict(epochs[:, :cutoff], some[:, :cutoff], epochs[:, cutoff:])  # (n, Q)
        so_far, best = some[:, :cutoff].amax(1), some[:, cutoff:].amax(1)
        curve = range(i, i + len(some))
        places.append(pd.DataFrame({"curve": curve, "independent": none_above(density, best)[0].tolist()}))
        for margin in margins:
            independent, together, last = none_above(density, so_far + margin)
            frames.append(pd.DataFrame({
                "curve": curve, "margin": margin, "happened": (best > so_far + margin).int().tolist(),
                "independent": (1 - independent).tolist(), "largest": (1 - together).tolist(),
                "last": (1 - last).tolist(), "last_happened": (some[:, -1] > so_far + margin).int().tolist(),
            }))  # fmt: skip
    return {"best": pd.concat(frames), "place": pd.concat(places)}


def none_above(density: Bars, t: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The chance that no epoch exceeds t (n,): if all were independent; by the likeliest epoch alone; by the last alone."""
    below = density.cdf(t[:, None].expand(density.log_p.shape[:-1])).double()  # (n, Q)
    return below.clamp(min=1e-300).log().sum(1).exp(), below.amin(1), below[:, -1]
