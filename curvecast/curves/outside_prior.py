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


def heavy_tails(curves: Curves, generator: torch.Generator) -> Tensor:
    """Student's t noise with three degrees of freedom and the variance of the normal noise."""
    shape = (4, *curves.clean.shape)
    z, *normals = torch.randn(shape, generator=generator, dtype=curves.clean.dtype)
    chi = sum(normal.square() for normal in normals)
    return curves.clean + curves.sigma[:, None] * z / torch.as_tensor(chi).sqrt()  # t / sqrt(3): variance 1


OWN = "the prior’s own"
KINDS = {
    OWN: Kind(lambda c, _: c.noisy),
    # after epoch 50 a third of what is missing to 1 is gained at once
    "learning rate drops": Kind(lambda c, _: c.noisy + (epochs(c) > 50) * (1 - c.clean) / 3),
    # from epoch 30 on the score falls, by 0.2 in total
    "overfits": Kind(lambda c, _: c.noisy - 0.2 * ((epochs(c) - 30) / 70).clamp(min=0)),
    # after epoch 55 the score is at chance level
    "diverges": Kind(lambda c, _: torch.where(epochs(c) > 55, 0.1 + noise(c), c.noisy)),
    # around epoch 75 the score dips by 0.2 and recovers, as in double descent
    "dips and recovers": Kind(lambda c, _: c.noisy - 0.2 * torch.exp(-(((epochs(c) - 75) / 12) ** 2) / 2)),
    # every tenth epoch the score drops by 0.1 and rises again linearly: a cyclic learning rate
    "sawtooth": Kind(lambda c, _: c.noisy + 0.1 * (((epochs(c) - 1) % 10) / 9 - 0.5)),
    # a loss between 0 and 1, passed on as it is: it falls where the prior rises
    "loss, not turned": Kind(lambda c, _: 1 - c.noisy),
    "between 1 and 2": Kind(lambda c, _: c.noisy + 1),
    "in percent": Kind(lambda c, _: 100 * c.noisy, unit=100.0),
    "heavy-tailed noise": Kind(heavy_tails),
    # its scale falls from 1.5 to 0.5 times the usual
    "shrinking noise": Kind(lambda c, _: c.clean + noise(c) * (1.5 - epochs(c) / 100)),
    # every tenth point (epochs 5, 15, 25, ...) lies 0.2 too low
    "spikes": Kind(lambda c, _: c.noisy - 0.2 * (epochs(c) % 10 == 5)),
}
