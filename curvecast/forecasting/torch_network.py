"""A network of torch, asked as the one in numpy is: arrays in, arrays out. For the paper's own recipe, and for trainings."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from curvecast.networks import heads
from curvecast.training import train

Array = np.ndarray


class TorchDensity:
    def __init__(self, density: heads.Density):
        self.density = density

    def __getitem__(self, rows: Any) -> "TorchDensity":
        some = torch.from_numpy(rows) if isinstance(rows, np.ndarray) else rows
        return TorchDensity(self.density[some])

    def quantile(self, level: float | Array) -> Array:
        return self._array(self.density.quantile(_tensor(level)))

    def cdf(self, y: Array) -> Array:
        return self._array(self.density.cdf(_tensor(y)))

    def exceeds(self, t: Array) -> Array:
        return self._array(self.density.exceeds(_tensor(t)))

    def log_density(self, y: Array) -> Array:
        return self._array(self.density.log_density(_tensor(y)))

    @staticmethod
    def _array(tensor: Tensor) -> Array:
        numbers: Array = tensor.cpu().numpy()
        return numbers


class TorchNetwork:
    def __init__(self, model: Any):
        self.model = model
        self.reads_plans = hasattr(getattr(model, "inputs", None), "plan")

    @torch.inference_mode()
    def density(self, x: Array, y: Array, x_query: Array, mask: Array | None = None) -> TorchDensity:
        seen = None if mask is None else torch.from_numpy(mask)
        with torch.autocast("cpu", enabled=False):  # a training's mixed precision would move the numbers
            return TorchDensity(self.model.density(_tensor(x), _tensor(y), _tensor(x_query), seen))


def load(path: Path) -> train.Forecaster:
    # the caller's random numbers stay as they are, and its defaults of torch count for nothing here
    with torch.device("cpu"), torch.random.fork_rng(devices=[]):
        forecaster = train.load(path)
    forecaster.model.float()
    return forecaster


def _tensor(numbers: Any) -> Tensor:
    return torch.as_tensor(np.asarray(numbers, np.float32), device="cpu")
