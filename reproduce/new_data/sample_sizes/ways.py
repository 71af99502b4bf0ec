"""Three inputs in place of the epoch: the number of the observation, the size, or its share of all rows.

Least-squares fits get the sizes.
"""

from functools import partial

import numpy as np

from curvecast.forecasting import shipped, torch_network
from curvecast.scores import baselines
from reproduce.new_data import _beside
from reproduce.new_data._beside import Answer

Array = np.ndarray

NETWORKS = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
FITS = ("pow3", "pow4", "mmf4")
WAYS = {
    "number": "number of the observation",
    "size": "size, rescaled to 1–100",
    "share": "share of all rows",
}


def told(way: str, sizes: Array) -> Array:
    """(n,) the input in place of epochs."""
    if way == "number":
        return np.arange(1.0, len(sizes) + 1)
    if way == "size":
        return 1 + 99 * (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    return sizes / sizes[-1]


def answers(part: str, sizes: list[Array]) -> dict[str, Answer]:
    """Of one network with each input; or of the simple methods. `sizes` has those of each curve."""
    if part in NETWORKS:
        forecaster = torch_network.load(NETWORKS[part])
        return {
            f"{part}, {way}": _beside.told(
                [told(way, own) for own in sizes], lambda x, y, later: forecaster.predict(x, y.float(), later)
            )
            for way in WAYS
        }
    names = {"last": "last value"} | {name: name for name in FITS}
    return {name: _beside.told(sizes, partial(baselines.forecast, method)) for name, method in names.items()}
