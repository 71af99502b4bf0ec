"""Forecasts of twenty runs by the released model, in PyTorch and float64: tests compare NumPy and the page with them."""

from typing import Any

import torch

from curvecast.curves.prior import test_set
from curvecast.networks.model import PFN
from reproduce._press.contract import ROOT

PATH = ROOT / "tests" / "questions" / "reference_forecasts.json"
LEVELS = (0.001, 0.05, 0.5, 0.95, 0.999)
SEEN = (1, 2, 3, 5, 10, 20, 40, 80)  # epochs
AHEAD = 6  # later epochs that are asked for
ODD = ([0.5] * 12, [0.9 - 0.05 * i for i in range(12)], [0.999, 1.0, 0.9995, 1.0], [0.0, 0.0, 1e-4, 0.9, 0.1])


def runs() -> list[tuple[list[float], list[float]]]:
    """Epochs and values: curves of the paper's prior, every second of them with holes, and four odd runs."""
    pairs = [(list(range(1, len(y) + 1)), y) for y in ODD]
    curves = test_set(2 * len(SEEN)).noisy.clamp(0, 1).tolist()
    for i, curve in enumerate(curves):
        epochs = [k for k in range(1, SEEN[i // 2] + 1) if i % 2 or k % 3 != 2]
        pairs.append((epochs, [curve[k - 1] for k in epochs]))
    return [(list(map(float, x)), y) for x, y in pairs]


@torch.no_grad()
def reference_forecasts(model: PFN) -> list[dict[str, Any]]:
    """A network in float64. Everything that a forecast is made of, for each run."""
    told = []
    for x, y in runs():
        context = [torch.tensor([part], dtype=torch.float64) for part in (x, y)]
        later = torch.linspace(x[-1] + 1, 100, AHEAD).round().double()
        density = model.density(context[0], context[1], later[None])
        at = density.quantile(0.3)  # where there is mass
        told.append(
            {
                "x": x, "y": y, "x_query": later.tolist(), "levels": LEVELS,
                "quantiles": [density.quantile(level)[0].tolist() for level in LEVELS],
                "mean": density.mean()[0].tolist(),
                "at": at[0].tolist(),
                "exceeds": density.exceeds(at)[0].tolist(),
                "log_density": density.log_density(at)[0].tolist(),
            }
        )  # fmt: skip
    return told
