"""Curves that the prior does not contain. Each kind changes the same curves of the prior in one respect.

Shapes: n curves, T = 100 epochs.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import Curves

Make = Callable[[Curves, torch.Generator], Tensor]  # -> (n, T), as observed


class Kind(NamedTuple):
    make: Make
    unit: float = 1.0  # 100: values are a hundred times larger, densities a hundred times smaller


def epochs(curves: Curves) -> Tensor:
    return torch.arange(1, curves.clean.shape[1] + 1, dtype=curves.clean.dtype)  # (T,)


def noise(curves: Curves) -> Tensor:
    return curves.noisy - curves.clean  # (n, T)


def drops(curves: Curves, _: torch.Generator) -> Tensor:
    """The learning rate falls after epoch 50: a third of what is missing to 1 is gained at once."""
    return curves.noisy + (epochs(curves) > 50) * (1 - curves.clean) / 3


def overfits(curves: Curves, _: torch.Generator) -> Tensor:
    """From epoch 30 on the score falls, by 0.2 in total."""
    return curves.noisy - 0.2 * ((epochs(curves) - 30) / 70).clamp(min=0)


def diverges(curves: Curves, _: torch.Generator) -> Tensor:
    """After epoch 55 the score is at chance level."""
    return torch.where(epochs(curves) > 55, 0.1 + noise(curves), curves.noisy)


def dips(curves: Curves, _: torch.Generator) -> Tensor:
    """Around epoch 75 the score dips by 0.2 and recovers, as in double descent."""
    return curves.noisy - 0.2 * torch.exp(-(((epochs(curves) - 75) / 12) ** 2) / 2)


def sawtooth(curves: Curves, _: torch.Generator) -> Tensor:
    """Every tenth epoch the score drops by 0.1 and rises again linearly: a cyclic learning rate."""
    return curves.noisy + 0.1 * (((epochs(curves) - 1) % 10) / 9 - 0.5)


def not_turned(curves: Curves, _: torch.Generator) -> Tensor:
    """A loss between 0 and 1, passed on as it is: it falls where the prior rises."""
    return 1 - curves.noisy


def moved(curves: Curves, _: torch.Generator) -> Tensor:
    """The same curve between 1 and 2."""
    return curves.noisy + 1


def percent(curves: Curves, _: torch.Generator) -> Tensor:
    """The same curve between 0 and 100."""
    return 100 * curves.noisy


def heavy_tails(curves: Curves, generator: torch.Generator) -> Tensor:
    """Student's t noise with three degrees of freedom and the variance of the normal noise."""
    shape = (4, *curves.clean.shape)
    z, *normals = torch.randn(shape, generator=generator, dtype=curves.clean.dtype)
    chi = sum(normal.square() for normal in normals)
    return curves.clean + curves.sigma[:, None] * z / torch.as_tensor(chi).sqrt()  # t / sqrt(3): variance 1


def shrinking(curves: Curves, _: torch.Generator) -> Tensor:
    """Noise whose scale falls from 1.5 to 0.5 times the usual."""
    return curves.clean + noise(curves) * (1.5 - epochs(curves) / 100)


def spikes(curves: Curves, _: torch.Generator) -> Tensor:
    """Every tenth point (epochs 5, 15, 25, ...) lies 0.2 too low."""
    return curves.noisy - 0.2 * (epochs(curves) % 10 == 5)


OWN = "the prior’s own"
KINDS = {
    OWN: Kind(lambda curves, _: curves.noisy),
    "learning rate drops": Kind(drops),
    "overfits": Kind(overfits),
    "diverges": Kind(diverges),
    "dips and recovers": Kind(dips),
    "sawtooth": Kind(sawtooth),
    "loss, not turned": Kind(not_turned),
    "between 1 and 2": Kind(moved),
    "in percent": Kind(percent, unit=100.0),
    "heavy-tailed noise": Kind(heavy_tails),
    "shrinking noise": Kind(shrinking),
    "spikes": Kind(spikes),
}
