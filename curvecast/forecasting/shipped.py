"""The models that come with the package: their weights, the scores of their priors' own curves, and the card, MODEL_CARD.md.

`weights="released"` is the default; "planned" is that of forecasts that are told a schedule. "paper-prior", trained on the
paper's prior alone, was the default of release 0.1: it comes with the sources, and no wheel holds it.
"""

import functools
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting.doubts import Table
from curvecast.forecasting.network import BEHAVIOUR, DensityNetwork, Network, can_ask
from curvecast.ground import weights_file
from curvecast.ground.errors import FROM_THE_CLONE, demand, installed, reading

FOLDER = Path(__file__).parent / "weights"
PATH = FOLDER / "curvecast.safetensors"
PLANNED = FOLDER / "planned.safetensors"  # of schedule=...
BY_NAME = {"released": PATH, "paper-prior": FOLDER / "paper-prior.safetensors"}
SCALING = FOLDER / "scaling.safetensors"  # of scale="log": it knows no epochs
TITLES = {"released": "released model 0.2", "paper-prior": "paper-prior model 0.1"}  # with their releases


class Shipped(NamedTuple):
    network: DensityNetwork
    table: Table
    path: str | None = None  # what `load` was told
    scaling: bool = False  # is it for scaling curves?

    @property
    def reads_plans(self) -> bool:
        """Was it trained with planned learning rates?"""
        return bool(getattr(self.network, "reads_plans", False))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle names the network, which is read again from its file."""
        return load, (self.path,)


def load(path: str | None = None) -> Shipped:
    """The one by default, one by name, or one of ours from another file: judged by its own table if it brings one."""
    where = path_of(path)
    now = os.stat(where) if os.path.exists(where) else None
    return _load(path, now and (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns))


@functools.lru_cache(maxsize=4)
def _load(path: str | None, _mark: tuple[int, ...] | None) -> Shipped:
    """_mark: of the file, so that one that was written anew is read anew."""
    where = path_of(path)
    absent = f"the weights {path!r} come with the sources alone: clone the repository, or leave them out"
    demand(path not in BY_NAME or where.exists(), absent)
    way = "give the path of a weights file that is there, or the name of a released model"
    demand(where.is_file(), f"no weights at {where}: {way}")
    state, info = weights_file.read(where)
    config = weights_file.config_of(info, where, BEHAVIOUR)
    with reading(where, "does not fit the network of its config", "delete it or fetch it again"):
        network: DensityNetwork
        if can_ask(config["model"]):
            single = {key: value.astype(np.float32) for key, value in state.items()}
            network = Network(config["model"], single)
            network.density(*np.array([[[1.0]], [[0.5]], [[2.0]]]))  # another shape is refused now
        else:
            with installed(f"{where} contains a network whose code {FROM_THE_CLONE}"):
                from curvecast.forecasting import torch_network
            network = torch_network.TorchNetwork(torch_network.load(where).model)
        if "in_prior" not in info:
            like_ours = config["prior"].get("real") or not BY_NAME["paper-prior"].exists()
            table = load(None if like_ours else "paper-prior").table
            return Shipped(network, table, path, "slopes" in config["prior"])
        table = Table(**json.loads(info["in_prior"]))
        np.array(table.scores, float).reshape(len(table.seen), len(table.levels))
        return Shipped(network, table, path)


def path_of(name: str | None) -> Path:
    return PATH if name is None else {**BY_NAME, "planned": PLANNED, "scaling": SCALING}.get(name, Path(name))
