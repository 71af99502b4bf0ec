"""Guards reference_forecasts.json: PyTorch and NumPy say what stands there. The page: browser/test_live_engine.py."""

import json

import numpy as np
import pytest

from curvecast.forecasting import network, shipped, torch_network
from curvecast.ground import weights_file
from reproduce.practice import _reference_forecasts as reference_forecasts

TOLD = json.loads(reference_forecasts.PATH.read_text())
NUMBERS = ("quantiles", "mean", "exceeds", "log_density")


def test_it_is_what_pytorch_says_of_these_runs():
    """Which also holds it to today's weights and to today's runs."""
    again = reference_forecasts.reference_forecasts(torch_network.load(shipped.PATH).model.double())
    assert len(again) == len(TOLD) == 20
    for one, other in zip(again, TOLD, strict=True):
        assert one["x"] == other["x"] and one["y"] == other["y"] and one["x_query"] == other["x_query"]
        for name in NUMBERS:
            assert np.allclose(one[name], other[name], rtol=0, atol=1e-9), name


@pytest.mark.parametrize(("kind", "allowed"), [(np.float64, 1e-9), (np.float32, 5e-5)])
def test_numpy_says_the_same(kind, allowed):
    """Ten digits in float64. In float32 four: a run that stands still is forecast so sharply that a chance changes fast."""
    state, info = weights_file.read(shipped.PATH)
    ours = network.Network(
        json.loads(info["config"])["model"], {name: value.astype(kind) for name, value in state.items()}
    )
    for told in TOLD:
        density = ours.density(*(np.array([told[name]]) for name in ("x", "y", "x_query")))
        at = np.array([told["at"]])
        found = {
            "quantiles": [density.quantile(level)[0] for level in told["levels"]],
            "mean": density.mean()[0],
            "exceeds": density.exceeds(at)[0],
            "log_density": density.log_density(at)[0],
        }
        for name in NUMBERS:
            assert np.allclose(found[name], told[name], rtol=0, atol=allowed), (name, told["x"])
