"""Reading a weights file without torch: safetensors, never pickles. An incomplete file is refused.

The file carries its own sha256, its config and everything else that a forecast needs.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from curvecast.ground.errors import UserError

Tensors = dict[str, Any]  # numpy arrays or torch tensors


def read(
    path: Path, library: str = "np", raw: Callable[[Any], bytes] = np.ndarray.tobytes
) -> tuple[Tensors, dict[str, str]]:
    """All tensors and the header. library: "np" or "pt"; raw: gives the bytes of a tensor."""
    if not path.is_file():
        raise UserError(
            f"no weights at {path}: give the path of a weights file that is there, or the name of a released model"
        )
    try:
        with safe_open(path, library) as file:
            info, state = file.metadata() or {}, {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118 # not a dict
    # TypeError and AttributeError come from dtypes that numpy lacks
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path} is not a whole safetensors file ({error}): delete it or fetch it again"
        ) from error
    if "sha256" in info and info["sha256"] != checksum(state, raw):
        raise UserError(f"{path} is damaged (its checksum differs): delete it or fetch it again")
    return state, info


def config_of(info: dict[str, str], path: Path, today: dict[str, int]) -> dict[str, Any]:
    """As JSON, of a PFN; what code of today's behaviour would answer otherwise than the code that trained it is refused."""
    if "network" in info:
        raise UserError(
            f"{path} contains another kind of network, {info['network']}: load it with trained(its config)"
        )
    if "config" not in info or "behaviour" not in info:
        raise UserError(f"{path} has no config: it was not written by curvecast")
    written = json.loads(info["behaviour"])
    if changed := [part for part in today if written.get(part) != today[part]]:
        raise UserError(
            f"{path} was written by earlier code ({', '.join(changed)} changed since) and its forecasts would differ: "
            "train it again, or use the release that wrote it"
        )
    config: dict[str, Any] = json.loads(info["config"])
    return config


def checksum(state: Tensors, raw: Callable[[Any], bytes]) -> str:
    total = hashlib.sha256()
    for key in sorted(state):
        total.update(key.encode())
        total.update(raw(state[key]))
    return total.hexdigest()
