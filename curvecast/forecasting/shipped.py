"""The networks that come with the package: their weights, what their priors' own curves get, and the card, MODEL_CARD.md.

One is asked by default. `weights="paper-prior"` asks that of the paper's prior, which was the default of 0.1.
"""

import functools
import json
from pathlib import Path
from typing import NamedTuple

import torch

from curvecast.forecasting.belief import Table
from curvecast.ground import weights
from curvecast.training.train import Forecaster
from curvecast.training.train import load as load_forecaster

FOLDER = Path(__file__).parent / "weights"
PATH = FOLDER / "curvecast.safetensors"
BY_NAME = {"paper-prior": FOLDER / "paper-prior.safetensors"}


class Shipped(NamedTuple):
    forecaster: Forecaster
    table: Table


@functools.lru_cache(maxsize=4)
def load(path: str | None = None) -> Shipped:
    """The one by default, one by name, or one of ours from another file: judged by its own table if it brings one."""
    where = PATH if path is None else BY_NAME.get(path, Path(path))
    # the caller's random numbers stay as they are, and its defaults of torch count for nothing here
    with torch.device("cpu"), torch.random.fork_rng(devices=[]):
        forecaster = load_forecaster(where)
    forecaster.model.float()
    _, info = weights.read(where)
    if "in_prior" not in info:
        return Shipped(forecaster, load(None if forecaster.config.prior.real else "paper-prior").table)
    return Shipped(forecaster, Table(**json.loads(info["in_prior"])))
