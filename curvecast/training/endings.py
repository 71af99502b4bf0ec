"""Other endings of a beginning: what the exact posterior says could have come, and not only what its own curve did.

Curves of one stock lend one another their endings. Each is weighted by the likelihood of the beginning under it, the noise
integrated out, and a few are drawn. The beginning's own curve is among them, and the others know nothing of it: then a
drawn curve is one of the exact posterior, however small the stock (iterated sampling importance resampling leaves the
posterior as it is). What training aims at is the same; its gradients scatter less, the more curves begin alike.

Two small departures, both known. Curves e^9 times less likely than the best are never drawn. And after a beginning with
hardly any noise, whose weights are enormous, sums of weights lose their last digits: some 7 of 10,000 endings are drawn
among the likely curves as if these weighed alike. To mend it, subtract each beginning's own largest likelihood, raise
BEHAVIOUR, and train anew what was trained so.

Shapes: N = curves of the stock, T = epochs, n = beginnings, T' = their epochs, Q = queries, S = endings of each, m = pairs
of a beginning and a curve that is likely enough.
"""

import functools

import torch
from torch import Tensor

from curvecast.curves.noise import Noise
from curvecast.curves.prior import PriorConfig

BEHAVIOUR = 1  # raise by hand when the same stock, beginning and seed give other endings

ENDINGS = 4  # S
NEGLIGIBLE = 9.0  # nats of likelihood below the best curve's
ROUGHLY = 2e-5  # how far a sum of squares may be off that is a difference of large ones


class Stock:
    """Curves without noise (N, T), laid out so that all sums of squares are one product of matrices."""

    def __init__(self, law: PriorConfig, clean: Tensor):
        self.law, self.clean = law, clean - 0.5  # about 0: fewer digits are lost in squares
        self.by_epoch = self.clean.T.contiguous()  # (T, N)
        self.squares_so_far = self.by_epoch.square().cumsum(0)  # (T, N)

    def endings(self, x: Tensor, y: Tensor, x_query: Tensor, seed: int) -> Tensor:
        """Beginnings (n, T') that all have the same epochs, of curves in this stock; queries (n, Q) -> (n, Q, S)"""
        generator = torch.Generator().manual_seed(seed)
        epochs, noise = x[0].long() - 1, _noise(self.law, x.shape[1], str(x.device))
        curve, squares = self.alike(epochs, y - 0.5, noise, generator)  # (n, S)
        sigma = noise.draw(squares, generator)
        later = (x_query.long() - 1)[:, None].expand(-1, ENDINGS, -1)  # (n, S, Q)
        f = self.clean[curve].gather(2, later).transpose(1, 2)  # (n, Q, S)
        return f + 0.5 + sigma[:, None] * _spread_normal(f, generator)

    def alike(
        self, epochs: Tensor, y: Tensor, noise: Noise, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """S curves for each beginning, each as often as the beginning is likely under it, and their sums of squares."""
        constant = y.square().sum(1)  # (n,)
        roughly = self._squares(epochs, y)  # (n, N), without the constant
        best = noise.log_likelihood((roughly.amin(1) + constant).clamp(min=ROUGHLY))  # (n,)
        limit = noise.largest(best - NEGLIGIBLE) + ROUGHLY - constant
        likely = (roughly <= limit[:, None]).flatten().nonzero()[:, 0]  # (m,), beginning by beginning
        begun, curve = likely // len(self.clean), likely % len(self.clean)
        squares = (self._at(curve, epochs) - y.index_select(0, begun)).square().sum(1)  # (m,), now exactly
        weight = (noise.log_likelihood(squares) - best[begun]).double().exp()
        pick = _systematic(begun, weight, len(y), generator)  # (n, S)
        return curve[pick], squares[pick]

    def _squares(self, epochs: Tensor, y: Tensor) -> Tensor:
        """|f - y|^2 - |y|^2 of each beginning and curve.  (T',), (n, T') -> (n, N)"""
        whole = _whole(epochs)
        rows = self.by_epoch[: len(epochs)] if whole else self.by_epoch[epochs]  # (T', N)
        own = self.squares_so_far[len(epochs) - 1] if whole else rows.square().sum(0)  # (N,)
        return torch.addmm(own[None], y, rows, alpha=-2)

    def _at(self, curve: Tensor, epochs: Tensor) -> Tensor:
        """(m,), (T',) -> (m, T'): rows first, which lie together."""
        rows = self.clean[:, : int(epochs[-1]) + 1].index_select(0, curve)
        return rows if _whole(epochs) else rows[:, epochs]


def _whole(epochs: Tensor) -> bool:
    return len(epochs) == int(epochs[-1]) + 1


@functools.lru_cache(maxsize=256)
def _noise(law: PriorConfig, n: int, device: str) -> Noise:
    return Noise(law, n, 1024, 160, device)


def _systematic(group: Tensor, weight: Tensor, n: int, generator: torch.Generator) -> Tensor:
    """S members of each of n groups, evenly spread over its weights.  (m,) rising, (m,) -> indices (n, S)"""
    upto = weight.cumsum(0)  # (m,)
    last = torch.searchsorted(group, torch.arange(n, device=group.device), right=True) - 1  # (n,)
    first = torch.cat([last.new_zeros(1), last[:-1] + 1])
    begin, end = upto[first] - weight[first], upto[last]
    place = begin[:, None] + _stratified((n, ENDINGS), generator).to(begin) * (end - begin)[:, None]
    return torch.searchsorted(upto, place).clamp(first[:, None], last[:, None])


def _spread_normal(like: Tensor, generator: torch.Generator) -> Tensor:
    """Standard normal (n, Q, S), one from each S-th of the distribution, in an order by chance."""
    level = _stratified(tuple(like.shape), generator)
    order = torch.rand(like.shape, generator=generator).argsort(-1)
    return torch.special.ndtri(level.gather(-1, order).clamp(1e-7, 1 - 1e-7)).to(like.device)


def _stratified(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Uniform numbers, along the last dimension one from each equal part of 0 .. 1."""
    return (torch.arange(shape[-1]) + torch.rand(shape, generator=generator)) / shape[-1]
