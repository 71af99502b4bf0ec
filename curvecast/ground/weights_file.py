"""Reading a weights file without torch: safetensors, never pickles. An incomplete file is refused.

The file carries its own sha256, its config and everything else that a forecast needs.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from curvecast.ground.config import canonical
from curvecast.ground.errors import UserError, demand, reading

Tensors = dict[str, Any]  # numpy arrays or torch tensors


def read(
    path: Path, library: str = "np", raw: Callable[[Any], bytes] = np.ndarray.tobytes
) -> tuple[Tensors, dict[str, str]]:
    """All tensors and the header. library: "np" or "pt"; raw: gives the bytes of a tensor."""
    demand(path.is_file(), f"no weights at {path}: give the path of a weights file that is there")
    with reading(path, "is not a whole safetensors file", "delete it or fetch it again"):
        with safe_open(path, library) as file:
            info, state = file.metadata() or {}, {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 # not a dict
        told, header = ("checksum", info) if "checksum" in info else ("sha256", None)
        if told in info and info[told] != checksum(state, raw, header):
            raise UserError(f"{path} is damaged (its checksum differs): delete it or fetch it again")
    return state, info


def config_of(info: dict[str, str], path: Path, today: dict[str, int]) -> dict[str, Any]:
    """As JSON, of a PFN; what code of today's behaviour would answer otherwise than the code that trained it is refused."""
    if "network" in info:
        kind = f"another kind of network, {info['network']}"
        raise UserError(f"{path} contains {kind}: load it with trained(its config)")
    demand("config" in info and "behaviour" in info, f"{path} has no config: it was not written by curvecast")
    with reading(path, "has a header that is damaged", "delete it or fetch it again"):
        written, config = dict(json.loads(info["behaviour"])), dict(json.loads(info["config"]))
    if changed := [part for part in today if written.get(part) != today[part]]:
        raise UserError(
            f"{path} was written by earlier code ({', '.join(changed)} changed since) and its forecasts would differ: "
            "train it again, or use the release that wrote it"
        )
    return config


def checksum(state: Tensors, raw: Callable[[Any], bytes], info: dict[str, str] | None = None) -> str:
    """Of the header, and of the tensors with their kinds and shapes. Before 0.3: without `info`, of names and bytes alone."""
    total = hashlib.sha256()
    if info is not None:
        kinds = {key: f"{tensor.dtype}".removeprefix("torch.") for key, tensor in state.items()}
        shapes = {key: list(tensor.shape) for key, tensor in state.items()}
        told = {key: text for key, text in info.items() if key != "checksum"}
        total.update(canonical([told, kinds, shapes]).encode())
    for key in sorted(state):
        total.update(key.encode())
        total.update(raw(state[key]))
    return total.hexdigest()
