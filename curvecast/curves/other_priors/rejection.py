"""The paper's condition on a clean curve, for any family: 0 <= f <= 1 at each epoch, and the last value above the first.

Shapes: n curves, T epochs.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from curvecast.curves.draw import Draw
from curvecast.curves.prior import Curves, passes
from curvecast.ground.errors import UserError

AT_ONCE = 1 << 13  # proposals
PATIENCE = 100  # rounds without a single accepted curve

Propose = Callable[[int], Callable[[Tensor], Tensor]]  # so many curves, each asked at epochs (T,) -> (n, T)


def accepted(
    name: str, propose: Propose, n: int, length: int, draw: Draw, noise: tuple[float, float]
) -> Curves:
    """n curves that meet the condition, and noise with a log-normal scale, as in the paper."""
    if n < 1 or length < 2:
        raise UserError(f"cannot sample {n} curves of {length} epochs: take at least 1 curve and 2 epochs")
    device = draw.normal(0, 1, 1).device
    x = torch.arange(1.0, length + 1, device=device)
    kept: list[Tensor] = []
    rounds = there = 0
    while there < n:
        f = propose(AT_ONCE)(x)  # (AT_ONCE, T)
        kept.append(f[passes(f)])
        rounds, there = rounds + 1, there + len(kept[-1])
        if rounds == PATIENCE and not there:
            raise UserError(
                f"no curve of the prior {name!r} stays in [0, 1] and rises: {PATIENCE * AT_ONCE} were drawn"
            )
    clean = torch.cat(kept)[:n]
    return with_noise(clean, draw.normal(*noise, n).exp(), draw)


def with_noise(clean: Tensor, sigma: Tensor, draw: Draw) -> Curves:
    """y = f + sigma eps.  (n, T), (n,)"""
    return Curves(clean, clean + sigma[:, None] * draw.normal(0, 1, *clean.shape).to(clean.dtype), sigma)
