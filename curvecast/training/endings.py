"""Training targets from the exact posterior: other possible endings of a beginning, besides the curve's own.

The curves of a stock exchange endings. Each curve is weighted by the likelihood of the beginning under it, with the noise
integrated out, and a few are drawn. The beginning's own curve is in the stock and the others are independent of it, so a
drawn curve is a sample of the exact posterior for any size of the stock (iterated sampling importance resampling leaves
the posterior invariant). The expected loss is unchanged; gradients vary less, the more curves begin alike.

Two known approximations: curves e^9 times less likely than the best are never drawn. And after a beginning with hardly
any noise, whose weights are enormous, sums of weights lose their last digits: about 7 in 10,000 endings are drawn from
the likely curves with equal weights. To fix this, subtract each beginning's own largest log-likelihood, raise BEHAVIOUR,
and retrain all networks that use a stock.

Shapes: N = curves of the stock, T = epochs, n = beginnings, T' = their epochs, Q = queries, S = endings of each, m = pairs
of a beginning and a curve that is likely enough.
"""

import functools

import torch
from torch import Tensor

from curvecast.curves.prior import Noise, PriorConfig

BEHAVIOUR = 1  # raise by hand when the same stock, beginning and seed give other endings

ENDINGS = 4  # S
NEGLIGIBLE = 9.0  # nats of likelihood below the best curve's
TOLERANCE = 2e-5  # error of a sum of squares that is computed as a difference of large numbers


class Stock:
    """Curves without noise (N, T), stored so that all sums of squares are one matrix product."""

    def __init__(self, law: PriorConfig, clean: Tensor):
        self.law, self.clean = law, clean - 0.5  # centred: squares lose fewer digits
        self.by_epoch = self.clean.T.contiguous()  # (T, N)
        self.squares_so_far = self.by_epoch.square().cumsum(0)  # (T, N)

    def endings(self, x: Tensor, y: Tensor, x_query: Tensor, seed: int) -> Tensor:
        """Beginnings (n, T') of curves in this stock, all at the same epochs; queries (n, Q) -> (n, Q, S)"""
        generator = torch.Generator().manual_seed(seed)
        epochs, noise = x[0].long() - 1, _noise(self.law, x.shape[1], str(x.device))
        curve, squares = self.draw_curves(epochs, y - 0.5, noise, generator)  # (n, S)
        sigma = noise.draw(squares, generator)
        later = (x_query.long() - 1)[:, None].expand(-1, ENDINGS, -1)  # (n, S, Q)
        f = self.clean[curve].gather(2, later).transpose(1, 2)  # (n, Q, S)
        return f + 0.5 + sigma[:, None] * _stratified_normal(f, generator)

    def draw_curves(
        self, epochs: Tensor, y: Tensor, noise: Noise, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """S curves for each beginning, drawn by its likelihood under them, and their sums of squares."""
        constant = y.square().sum(1)  # (n,)
        approximate = self._squares(epochs, y)  # (n, N), without the constant
        best = noise.log_likelihood((approximate.amin(1) + constant).clamp(min=TOLERANCE))  # (n,)
        limit = noise.largest(best - NEGLIGIBLE) + TOLERANCE - constant
        likely = (approximate <= limit[:, None]).flatten().nonzero()[:, 0]  # (m,), beginning by beginning
        beginning, curve = likely // len(self.clean), likely % len(self.clean)
        residuals = self._values_at(curve, epochs) - y.index_select(0, beginning)
        squares = residuals.square().sum(1)  # (m,), now exactly
        weight = (noise.log_likelihood(squares) - best[beginning]).double().exp()
        pick = _systematic(beginning, weight, len(y), generator)  # (n, S)
        return curve[pick], squares[pick]

    def _squares(self, epochs: Tensor, y: Tensor) -> Tensor:
        """|f - y|^2 - |y|^2 of each beginning and curve.  (T',), (n, T') -> (n, N)"""
        gapless = _is_gapless(epochs)
        rows = self.by_epoch[: len(epochs)] if gapless else self.by_epoch[epochs]  # (T', N)
        norms = self.squares_so_far[len(epochs) - 1] if gapless else rows.square().sum(0)  # (N,)
        return torch.addmm(norms[None], y, rows, alpha=-2)

    def _values_at(self, curve: Tensor, epochs: Tensor) -> Tensor:
        """(m,), (T',) -> (m, T'). Rows are selected first: they are contiguous in memory."""
        rows = self.clean[:, : int(epochs[-1]) + 1].index_select(0, curve)
        return rows if _is_gapless(epochs) else rows[:, epochs]


def _is_gapless(epochs: Tensor) -> bool:
    return len(epochs) == int(epochs[-1]) + 1


@functools.lru_cache(maxsize=256)
def _noise(law: PriorConfig, n: int, device: str) -> Noise:
    return Noise(law, n, 1024, 160, device)


def _systematic(group: Tensor, weight: Tensor, n: int, generator: torch.Generator) -> Tensor:
    """S members of each of n groups by stratified sampling.  group (m,) sorted, weight (m,) -> indices (n, S)"""
    cumulative = weight.cumsum(0)  # (m,)
    last = torch.searchsorted(group, torch.arange(n, device=group.device), right=True) - 1  # (n,)
    first = torch.cat([last.new_zeros(1), last[:-1] + 1])
    begin, end = cumulative[first] - weight[first], cumulative[last]
    place = begin[:, None] + _stratified((n, ENDINGS), generator).to(begin) * (end - begin)[:, None]
    return torch.searchsorted(cumulative, place).clamp(first[:, None], last[:, None])


def _stratified_normal(like: Tensor, generator: torch.Generator) -> Tensor:
    """Standard normal (n, Q, S), one from each S-th of the distribution, in random order."""
    level = _stratified(tuple(like.shape), generator)
    order = torch.rand(like.shape, generator=generator).argsort(-1)
    return torch.special.ndtri(level.gather(-1, order).clamp(1e-7, 1 - 1e-7)).to(like.device)


def _stratified(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """Uniform numbers, one from each equal part of [0, 1] along the last dimension."""
    return (torch.arange(shape[-1]) + torch.rand(shape, generator=generator)) / shape[-1]
