"""The prior over learning curves: a weighted sum of basis curves plus noise, by bulk rejection.

The paper's symbols: f = clean curve, y = noisy curve, sigma = noise, w_k = weight of basis curve k.
Shapes: n curves, T epochs (1, 2, ..., T).

A curve: w_k ~ U(0,1), unnormalised; parameters of each basis curve from its own prior; f = sum of w_k f_k,
accepted if 0 <= f <= 1 everywhere and f(T) > f(1); log sigma ~ N(-4, 1), as in the public code, not as printed;
y = f + sigma * eps, never clipped.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.laws import real_runs as laws
from curvecast.curves.laws.real_runs import FEATURES, real_runs
from curvecast.ground.config import later
from curvecast.ground.errors import UserError, demand

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


class Curves(NamedTuple):
    clean: Tensor  # (n, T)
    noisy: Tensor  # (n, T)
    sigma: Tensor  # (n,)


class Prior(Protocol):
    """What a network can be trained on: a frozen dataclass with these. The paper's is PriorConfig; see other_priors/."""

    @property
    def length(self) -> int:
        """Epochs of a curve, T."""

    def __hash__(self) -> int: ...

    def sample(self, n: int, generator: Generator) -> Curves: ...

    def behaviour(self) -> dict[str, int]:
        """The BEHAVIOUR of each file that determines the curves of a generator: trained weights hang on them."""


@dataclass(frozen=True)
class PriorConfig:
    curves: tuple[str, ...] = ("pow3", "ilog2", "janoschek")  # names in BASIS
    length: int = 100  # epochs of a curve, T
    log_sigma_mean: float = -4.0
    log_sigma_sd: float = 1.0
    real: float = later(0.0)  # share of the curves that come from the laws of real runs (laws/) instead
    without: tuple[str, ...] = later(())  # features of those laws that are left out

    def sample(self, n: int, generator: Generator) -> Curves:
        return sample(self, n, generator)

    def behaviour(self) -> dict[str, int]:
        return {"prior": BEHAVIOUR} | ({"laws": laws.BEHAVIOUR} if self.real else {})


class Law(NamedTuple):
    """The law of one parameter: uniform from a to b, or normal with mean a and standard deviation b."""

    kind: str
    a: float
    b: float

    def draw(self, draw: Draw, n: int) -> Tensor:
        return draw.uniform(self.a, self.b, n) if self.kind == "uniform" else draw.normal(self.a, self.b, n)


class Basis(NamedTuple):
    """A family of curves f(x) = level - amplitude * shape(x), with parameters and laws as in the paper.

    `level_amplitude` and `shape` take the parameters as (n, 1), epochs as (T,).
    With this split, a weighted sum of families costs one pass over (n, T) for each family. The shape must not rise
    from epoch to epoch: posterior.py relies on that for its bounds between epochs.
    """

    laws: tuple[Law, ...]  # in the order of the parameters
    level_amplitude: Callable[..., tuple[Tensor, Tensor]]  # -> (n, 1), (n, 1)
    shape: Callable[..., Tensor]  # -> (n, T)


BASIS: dict[str, Basis] = {
    "pow3": Basis(  # c - a x^-alpha, of c, a, ln alpha
        (Law("uniform", 0, 1.25), Law("uniform", -0.6, 0.6), Law("normal", 0, 2)),
        lambda c, a, log_alpha: (c, a),
        lambda x, c, a, log_alpha: (-log_alpha.exp() * x.log()).exp_(),
    ),
    "ilog2": Basis(  # c - a / ln(x + 1), of c, a
        (Law("uniform", 0, 1), Law("uniform", -0.5, 0.5)),
        lambda c, a: (c, a),
        lambda x, c, a: (1 / (x + 1).log()).expand(len(c), -1),
    ),
    "janoschek": Basis(  # A - (A - B) exp(-k x^delta), of A, B, ln k, ln delta
        (Law("uniform", 0, 1), Law("uniform", 0, 2), Law("normal", -2, 1), Law("normal", 0, 0.5)),
        lambda A, B, log_k, log_delta: (A, A - B),
        lambda x, A, B, log_k, log_delta: (log_delta.exp() * x.log()).exp_().mul_(-log_k.exp()).exp_(),
    ),
}
WEIGHT = Law("uniform", 0, 1)  # of each family in the sum; the weights need not sum to one


def check(config: PriorConfig, n: int) -> None:
    known = config.curves and {*config.curves} <= {*BASIS} and {*config.without} <= {*FEATURES}
    way = f"take curves from {', '.join(BASIS)}, features from {', '.join(FEATURES)}, at least 2 epochs and 1 curve"
    possible = known and 0 <= config.real <= 1 and config.length >= 2 and n >= 1
    demand(possible, f"cannot sample {n} curves of {config}: {way}")


def sample(config: PriorConfig, n: int, generator: Generator) -> Curves:
    """n curves of the prior, on the generator's device."""
    if config.real:
        return _mixed(config, n, generator)
    clean = _accepted(config, n, Draw(generator))  # (n, T)
    sigma = Draw(generator).normal(config.log_sigma_mean, config.log_sigma_sd, n).exp_()  # (n,)
    noise = Draw(generator).normal(0, 1, n, config.length)  # (n, T)
    return Curves(clean, noise.mul_(sigma[:, None]).add_(clean), sigma)


def _mixed(config: PriorConfig, n: int, generator: Generator) -> Curves:
    """Both kinds of curves in their shares, in random order."""
    check(config, n)
    k = max(1, round(config.real * n))
    kinds = [Curves(*real_runs(k, config.length, config.without, generator))]
    if k < n:
        kinds.append(sample(replace(config, real=0.0), n - k, generator))
    order = Draw(generator).uniform(0, 1, n).argsort()
    return Curves(*(torch.cat(parts)[order] for parts in zip(*kinds, strict=True)))


def _accepted(config: PriorConfig, n: int, draw: Draw) -> Tensor:
    """Clean curves by rejection. Sigma is drawn later: acceptance does not depend on it."""
    check(config, n)
    accepted: list[Tensor] = []
    n_accepted = proposed = 0
    while n_accepted < n:
        rate = max(n_accepted / proposed, 1e-3) if proposed else 0.2  # about 0.206 for the paper's three
        size = min(int(1.05 * (n - n_accepted) / rate) + 64, 1 << 14)  # so many fit into the cache
        curves, _ = proposals(config, size, draw)
        accepted.append(curves)
        n_accepted, proposed = n_accepted + len(curves), proposed + size
        if proposed > 10_000_000 and not n_accepted:
            raise UserError(f"no curve of {config} stays in [0, 1] and rises: choose other basis curves")
    return torch.cat(accepted)[:n]


def proposals(config: PriorConfig, n: int, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw n curves: those that pass (k, T), and their indices (k,). A few epochs, at which most fail, are checked first."""
    weights = [WEIGHT.draw(draw, n)[:, None] for _ in config.curves]  # K x (n, 1)
    parameters = [[law.draw(draw, n)[:, None] for law in BASIS[name].laws] for name in config.curves]
    x = torch.arange(1, config.length + 1, device=weights[0].device, dtype=weights[0].dtype)  # (T,)

    few = sorted({0, 1, 4, config.length // 3, config.length - 1} & set(range(config.length)))
    which = passes(weighted_sum(config, x[few], weights, parameters)).nonzero()[:, 0]
    full = weighted_sum(config, x, [w[which] for w in weights], [[p[which] for p in ps] for ps in parameters])
    keep = passes(full)
    return full[keep], which[keep]


def weighted_sum(
    config: PriorConfig, x: Tensor, weights: list[Tensor], parameters: list[list[Tensor]]
) -> Tensor:
    """f = sum of w_k f_k.  (T,), K x (n, 1), K x parameters x (n, 1) -> (n, T)"""
    level = torch.zeros_like(weights[0])
    f = torch.zeros(len(level), len(x), dtype=level.dtype, device=level.device)
    for name, w, p in zip(config.curves, weights, parameters, strict=True):
        family_level, amplitude = BASIS[name].level_amplitude(*p)
        level += w * family_level
        f.addcmul_(w * amplitude, BASIS[name].shape(x, *p), value=-1)
    return f.add_(level)


def passes(f: Tensor) -> Tensor:
    """0 <= f <= 1 at each epoch and the last value above the first; a NaN fails."""
    low, high = f.aminmax(dim=1)
    return (low >= 0) & (high <= 1) & (f[:, -1] > f[:, 0])  # (n,)


TEST_SEED = 20231210
TEST_SIZE = 10_000
SECOND_TEST_SEED = 20231211


def test_set(n: int = TEST_SIZE) -> Curves:  # noqa: PT028 # a set to test on, not a test
    """THE test set: the same 10,000 curves on every machine (numpy's generator, float64, rounded to 1e-6)."""
    return _first(TEST_SEED, n)


def second_test_set(n: int = TEST_SIZE) -> Curves:
    """Another 10,000 curves of the same kind. Recipes were chosen on THE test set; nothing was chosen on this one."""
    return _first(SECOND_TEST_SEED, n)


def _first(seed: int, n: int) -> Curves:
    demand(1 <= n <= TEST_SIZE, f"a test set has {TEST_SIZE} curves, {n} were asked for")
    return Curves(*(array[:n].clone() for array in _test_curves(seed)))


@functools.cache  # drawing all of them takes long, even if only a few are needed
def _test_curves(seed: int) -> Curves:
    curves = sample(PriorConfig(), TEST_SIZE, np.random.default_rng(seed))
    # rounded, so that one ulp of exp() on another CPU does not matter
    rounded = ((array * 1e6).round() for array in curves)
    return Curves(*((array / 1e6).float() for array in rounded))


ORACLE_LL = 4 - 0.5 * math.log(2 * math.pi * math.e)  # nats per point if f and sigma are known


class Noise:
    """ln sigma is integrated over its prior: the likelihood of n residuals depends only on their sum of squares S."""

    def __init__(
        self, config: PriorConfig, n: int, points: int = 2048, levels: int = 512, device: str = "cpu"
    ):
        self.low, self.high = -36.0, 8.0  # of ln S
        s = torch.linspace(-9.0, 6.0, levels).double() * config.log_sigma_sd + config.log_sigma_mean
        law = -((s - config.log_sigma_mean) / config.log_sigma_sd).square() / 2
        S = torch.linspace(self.low, self.high, points).double().exp()
        joint = law - n * s - S[:, None] / 2 * torch.exp(-2 * s)  # (points, levels)
        self.sigma = s.exp().float().to(device)  # (levels,)
        self.table = joint.logsumexp(1).float().to(device)  # falls as S grows
        self.cumulative = joint.softmax(1).cumsum(1).float().to(device)

    def place(self, S: Tensor) -> tuple[Tensor, Tensor]:
        """Index in the table below ln S, and the fraction of the way to the next."""
        position = (S.clamp(min=1e-15).log() - self.low) / (self.high - self.low) * (len(self.table) - 1)
        position = position.clamp(0, len(self.table) - 1.001)
        return position.long(), position - position.floor()

    def log_likelihood(self, S: Tensor) -> Tensor:
        """Up to a constant that depends on n."""
        i, share = self.place(S)
        return torch.lerp(self.table[i], self.table[i + 1], share)

    def largest(self, log_likelihood: Tensor) -> Tensor:
        """About the largest S with this likelihood: that of the next grid point."""
        i = torch.searchsorted(-self.table, -log_likelihood).clamp(max=len(self.table) - 1)
        return torch.exp(self.low + i * (self.high - self.low) / (len(self.table) - 1))

    def draw(self, S: Tensor, generator: torch.Generator) -> Tensor:
        """sigma given S, by inverting the cumulative distribution on the grid."""
        i, _ = self.place(S)
        u = torch.rand(S.shape, generator=generator).to(S.device)[..., None]
        k = torch.searchsorted(self.cumulative[i], u)[..., 0].clamp(max=len(self.sigma) - 1)
        return self.sigma[k]
