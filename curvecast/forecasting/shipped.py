"""The network that comes with the package: its weights, what the prior's own curves get, and its card, MODEL_CARD.md."""

import functools
import json
from pathlib import Path
from typing import NamedTuple

import torch

from curvecast.forecasting.belief import Table
from curvecast.ground import weights
from curvecast.training.train import Forecaster
from curvecast.training.train import load as load_forecaster

PATH = Path(__file__).parent / "weights/curvecast.safetensors"


class Shipped(NamedTuple):
    forecaster: Forecaster
    table: Table


@functools.lru_cache(maxsize=4)
def load(path: str | None = None) -> Shipped:
    """The network that ships, or one of ours from another file, which is judged by the table of the one that ships."""
    where = PATH if path is None else Path(path)
    # the caller's random numbers stay as they are, and its defaults of torch count for nothing here
    with torch.device("cpu"), torch.random.fork_rng(devices=[]):
        forecaster = load_forecaster(where)
    forecaster.model.float()
    _, info = weights.read(where)
    if "in_prior" not in info:
        return Shipped(forecaster, load().table)
    return Shipped(forecaster, Table(**json.loads(info["in_prior"])))
