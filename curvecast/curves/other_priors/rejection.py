"""The paper's condition on a clean curve, for any family: 0 <= f <= 1 at each epoch, and the last value above the first.

Whoever changes which curves come of the same generator raises BEHAVIOUR in the three priors that are built on this file:
basis_curves.py, random_network.py, causal_graph.py.
Shapes: n curves, T epochs.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from curvecast.curves.draw import Draw
from curvecast.curves.prior import Curves, passes
from curvecast.ground.errors import UserError

AT_ONCE = 1 << 13  # proposals, at most
PATIENCE = 100  # rounds without a single accepted curve

# so many proposals, of which some, by their numbers (m,), are asked at some epochs (T,) -> (m, T)
Propose = Callable[[int], Callable[[Tensor, Tensor], Tensor]]


def accepted(
    name: str, propose: Propose, n: int, length: int, draw: Draw, noise: tuple[float, float]
) -> Curves:
    """n curves that meet the condition, and noise with a log-normal scale, as in the paper."""
    if n < 1 or length < 2:
        raise UserError(f"cannot sample {n} curves of {length} epochs: take at least 1 curve and 2 epochs")
    x = torch.arange(1.0, length + 1, device=draw.normal(0, 1, 1).device)
    few = sorted({0, 1, 4, length // 3, length - 1} & set(range(length)))  # at which most fail
    kept: list[Tensor] = []
    rounds = proposed = there = 0
    while there < n:
        rate = max(there / proposed, 1e-2) if proposed else 0.2
        size = min(int(1.1 * (n - there) / rate) + 32, AT_ONCE)
        f, every = propose(size), torch.arange(size, device=x.device)
        hopeful = passes(f(x[few], every)).nonzero()[:, 0]
        curves = f(x, hopeful)
        kept.append(curves[passes(curves)])
        rounds, proposed, there = rounds + 1, proposed + size, there + len(kept[-1])
        if rounds == PATIENCE and not there:
            raise UserError(
                f"no curve of the prior {name!r} stays in [0, 1] and rises: {proposed} were drawn"
            )
    return with_noise(torch.cat(kept)[:n], draw.normal(*noise, n).exp(), draw)


def with_noise(clean: Tensor, sigma: Tensor, draw: Draw) -> Curves:
    """y = f + sigma eps.  (n, T), (n,)"""
    return Curves(clean, clean + sigma[:, None] * draw.normal(0, 1, *clean.shape).to(clean.dtype), sigma)
