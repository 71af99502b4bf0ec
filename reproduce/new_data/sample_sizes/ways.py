"""What an epoch is to a network can be told in three ways: as the number of the observation, as the size, as its share.

Least squares get the sizes.
"""

import numpy as np
import torch

from curvecast.forecasting import shipped, torch_network
from curvecast.scores import baselines
from curvecast.training.train import Forecaster
from reproduce.new_data import _beside
from reproduce.new_data._beside import Answer

Array = np.ndarray

NETWORKS = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
FITS = ("pow3", "pow4", "mmf4")
WAYS = {
    "number": "number of the observation",
    "size": "size, spread over 1 to 100",
    "share": "share of all rows",
}


def told(way: str, sizes: Array) -> Array:
    """(n,) what a network takes for epochs."""
    if way == "number":
        return np.arange(1.0, len(sizes) + 1)
    if way == "size":
        return 1 + 99 * (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    return sizes / sizes[-1]


def answers(part: str, sizes: list[Array]) -> dict[str, Answer]:
    """Of one network, told in each way; or of the simple methods. `sizes` has those of each curve."""
    if part in NETWORKS:
        forecaster = torch_network.load(NETWORKS[part])
        return {f"{part}, {way}": _network(forecaster, [told(way, own) for own in sizes]) for way in WAYS}
    return {"last": _baseline("last value", sizes)} | {name: _baseline(name, sizes) for name in FITS}


def _network(forecaster: Forecaster, x: list[Array]) -> Answer:
    def answer(shown: _beside.Shown) -> list[tuple[torch.Tensor, _beside.Density]]:
        seen, ahead = _beside.beside(x, shown)
        return [(torch.arange(len(shown.y)), forecaster.predict(seen, shown.y.float(), ahead))]

    return answer


def _baseline(name: str, x: list[Array]) -> Answer:
    def answer(shown: _beside.Shown) -> list[tuple[torch.Tensor, _beside.Density]]:
        seen, ahead = _beside.beside(x, shown)
        return [(torch.arange(len(shown.y)), baselines.forecast(name, seen, shown.y, ahead))]

    return answer
