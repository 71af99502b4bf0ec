"""Curves that the prior does not hold. All are made of the same curves of the prior: they differ in one thing alone.

Shapes: n curves, T = 100 epochs.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import Curves

Make = Callable[[Curves, torch.Generator], Tensor]  # -> (n, T), as somebody would observe it


class Kind(NamedTuple):
    make: Make
    unit: float = 1.0  # 100: values are a hundred times as large, and densities a hundredth


def epochs(curves: Curves) -> Tensor:
    return torch.arange(1, curves.clean.shape[1] + 1, dtype=curves.clean.dtype)  # (T,)


def noise(curves: Curves) -> Tensor:
    return curves.noisy - curves.clean  # (n, T)


def drops(curves: Curves, _: torch.Generator) -> Tensor:
    """The learning rate falls after epoch 50: a third of what is missing to 1 is gained at once."""
    return curves.noisy + (epochs(curves) > 50) * (1 - curves.clean) / 3


def overfits(curves: Curves, _: torch.Generator) -> Tensor:
    """From epoch 30 on the score falls, by 0.2 in all."""
    return curves.noisy - 0.2 * ((epochs(curves) - 30) / 70).clamp(min=0)


def diverges(curves: Curves, _: torch.Generator) -> Tensor:
    """After epoch 55 the score is that of guessing."""
    return torch.where(epochs(curves) > 55, 0.1 + noise(curves), curves.noisy)


def dips(curves: Curves, _: torch.Generator) -> Tensor:
    """Around epoch 75 it loses 0.2 and gains it again, as in double descent."""
    return curves.noisy - 0.2 * torch.exp(-(((epochs(curves) - 75) / 12) ** 2) / 2)


def sawtooth(curves: Curves, _: torch.Generator) -> Tensor:
    """Every tenth epoch a jump down by 0.1, then up again along a line: a cyclic learning rate."""
    return curves.noisy + 0.1 * (((epochs(curves) - 1) % 10) / 9 - 0.5)


def not_turned(curves: Curves, _: torch.Generator) -> Tensor:
    """A loss between 0 and 1, handed over as it is: it falls where the prior rises."""
    return 1 - curves.noisy


def moved(curves: Curves, _: torch.Generator) -> Tensor:
    """The same curve between 1 and 2."""
    return curves.noisy + 1


def percent(curves: Curves, _: torch.Generator) -> Tensor:
    """The same curve between 0 and 100."""
    return 100 * curves.noisy


def heavy_tails(curves: Curves, generator: torch.Generator) -> Tensor:
    """Student's t with three degrees of freedom, as large as the normal noise: most points nearer, a few far away."""
    shape = (4, *curves.clean.shape)
    z, *others = torch.randn(shape, generator=generator, dtype=curves.clean.dtype)
    chi = sum(other.square() for other in others)
    return curves.clean + curves.sigma[:, None] * z / torch.as_tensor(chi).sqrt()  # t / sqrt(3): variance 1


def shrinking(curves: Curves, _: torch.Generator) -> Tensor:
    """Noise that falls from one and a half times its size to a half."""
    return curves.clean + noise(curves) * (1.5 - epochs(curves) / 100)


def spikes(curves: Curves, _: torch.Generator) -> Tensor:
    """Each tenth point, at 5, 15, 25 and so on, lies 0.2 too low."""
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
