"""Torch weights and checkpoints on disk: written atomically, read by weights_file.py."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from curvecast.ground import weights_file, whole_file
from curvecast.ground.config import canonical, plain
from curvecast.ground.errors import UserError

State = dict[str, Tensor]


def write(path: Path, state: State, info: dict[str, str]) -> None:
    # copies: layers may share a weight, which safetensors refuses
    state = {key: value.detach().cpu().contiguous().clone() for key, value in state.items()}
    info = {key: text for key, text in info.items() if key not in ("checksum", "sha256")}
    info["checksum"] = weights_file.checksum(state, _raw, info)
    whole_file.write(path, save(state, metadata=info), make_folder=True)


def read(path: Path) -> tuple[State, dict[str, str]]:
    """All tensors and the header; an incomplete file is refused."""
    return weights_file.read(path, "pt", _raw)


def _raw(value: Tensor) -> bytes:
    return value.contiguous().flatten().view(torch.uint8).numpy().tobytes()


def header(config: Any, behaviour: dict[str, int], history: list[dict[str, float]]) -> dict[str, str]:
    return {"config": canonical(config), "behaviour": canonical(behaviour), "history": canonical(history)}


def fill(net: torch.nn.Module, state: State, path: Path) -> None:
    """Load the tensors into the network; names or shapes that differ raise a UserError."""
    try:
        net.load_state_dict(state)
    except RuntimeError as error:
        said = str(error).splitlines()[-1].strip()
        raise UserError(f"{path} does not fit the network of its config: {said}") from error


def checkpoint(
    stem: Path, net: torch.nn.Module, optimiser: torch.optim.Optimizer, step: int, history: Any
) -> None:
    """It takes the place of the one before."""
    state = {f"net.{key}": value for key, value in net.state_dict().items()}
    for number, moments in optimiser.state_dict()["state"].items():
        state |= {f"adam.{number}.{key}": torch.as_tensor(value) for key, value in moments.items()}
    write(_newest(stem), state, {"step": str(step), "history": json.dumps(plain(history))})


def resume(
    stem: Path, net: torch.nn.Module, optimiser: torch.optim.Optimizer
) -> tuple[int, list[dict[str, float]]]:
    """Load the checkpoint, if there is one, into network and optimiser.  -> steps done, history"""
    path = _newest(stem)
    if (
        not path.exists()
    ):  # earlier code kept two, and while it wrote the newest only the one before was there
        path = path.with_suffix(".before")
    if not path.exists():
        return 0, []
    try:
        state, info = read(path)
        fill(net, {key[4:]: value for key, value in state.items() if key.startswith("net.")}, path)
    except UserError as error:
        way = "delete it, and the training begins anew"
        raise UserError(f"the checkpoint {path} is damaged, or of another network: {way}") from error
    moments: dict[int, dict[str, Tensor]] = {}
    for key, value in state.items():
        if key.startswith("adam."):
            _, number, field = key.split(".", 2)
            moments.setdefault(int(number), {})[field] = value
    optimiser.load_state_dict({"state": moments, "param_groups": optimiser.state_dict()["param_groups"]})
    return int(info["step"]), json.loads(info["history"])


def _newest(stem: Path) -> Path:
    return stem.with_name(f"{stem.name}.newest")
