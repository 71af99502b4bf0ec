"""Moves of a population that leave the posterior as it is: differences, lines, bends.

Shapes: P = observed curves, N = population of each, D = dimensions of theta without ln sigma, T = epochs, m = linear
parameters of a block. A population comes in two halves; each moves by what the other half knows.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.prior import BASIS, Basis, Noise, PriorConfig, passes
from curvecast.exact_bayes import posterior


class Linear(NamedTuple):
    """Parameters that enter the curve linearly: f = rest + sum of value_j column_j."""

    places: list[int]  # in theta
    columns: Tensor  # (P, N, m, T)
    low: Tensor  # (m,) bounds of their uniform laws
    width: Tensor  # (m,)

    def curve(self, theta: Tensor) -> Tensor:
        return (theta[..., None, self.places] @ self.columns)[..., 0, :]

    def conditional_normal(self, y: Tensor, sigma: Tensor) -> tuple[Tensor, Tensor]:
        """What observed points y (P, T') say of the values: Cholesky root of the precision, and the mean.

        The bounds enter as a normal of their width, which keeps a direction of which y says nothing finite."""
        seen = self.columns[..., : y.shape[1]].double()  # (P, N, m, T'): nearly collinear early on
        width = 12 / self.width.double().square()
        precision = seen @ seen.mT / sigma[..., None].double().square() + torch.diag(width)
        push = (seen @ y[:, None, :, None].double())[..., 0] / sigma.square()
        push = push + width * (self.low + self.width / 2)
        root = torch.linalg.cholesky(precision)
        return root, torch.cholesky_solve(push[..., None], root)[..., 0]


class Family(NamedTuple):
    """Where the numbers of one family stand in theta. Those with a uniform law come first and are linear."""

    basis: Basis
    weight: int
    linear: list[int]
    bends: list[int]


def families(config: PriorConfig) -> list[Family]:
    all_families, i = [], 0
    for name in config.curves:
        laws = BASIS[name].laws
        uniform = sum(law.kind == "uniform" for law in laws)
        places = list(range(i + 1, i + 1 + len(laws)))
        all_families.append(Family(BASIS[name], i, places[:uniform], places[uniform:]))
        i += 1 + len(laws)
    return all_families


def levels(config: PriorConfig, theta: Tensor, x: Tensor) -> Linear:
    """Levels and amplitudes of all families, given their weights."""
    columns, places = [], []
    for family in families(config):
        shape = _shape(family, theta, x)
        for place in family.linear:
            unit = [float(place == other) for other in family.linear]
            level, amplitude = family.basis.level_amplitude(*unit, *family.bends)  # the bends do not enter
            columns.append(theta[..., family.weight, None] * (level - amplitude * shape))
        places += family.linear
    laws = [law for name in config.curves for law in BASIS[name].laws if law.kind == "uniform"]
    low, high = torch.tensor([float(law.a) for law in laws]), torch.tensor([float(law.b) for law in laws])
    return Linear(places, torch.stack(columns, 2), low, high - low)


def weights(config: PriorConfig, theta: Tensor, x: Tensor) -> Linear:
    """The weights of all families, given everything else."""
    columns = []
    for family in families(config):
        values = [theta[..., place, None] for place in family.linear]
        level, amplitude = family.basis.level_amplitude(*values, *family.bends)
        columns.append(level - amplitude * _shape(family, theta, x))
    places = [family.weight for family in families(config)]
    return Linear(places, torch.stack(columns, 2), torch.zeros(len(places)), torch.ones(len(places)))


def _shape(family: Family, theta: Tensor, x: Tensor) -> Tensor:
    own = theta[..., family.linear + family.bends]
    return family.basis.shape(x, *own.reshape(-1, own.shape[-1], 1).unbind(1)).view(*theta.shape[:-1], -1)


# -----------------------------------------------------------------------------------------------------------
# Moves.


class State(NamedTuple):
    theta: Tensor  # (P, N, D)
    log_prior: Tensor  # (P, N), -inf where a rule is broken
    log_like: Tensor  # (P, N)
    squares: Tensor  # (P, N)


class Target:
    """The posterior with the noise integrated out."""

    def __init__(self, config: PriorConfig, y: Tensor, noise: Noise):
        self.config, self.y, self.noise = config, y, noise
        self.x = torch.arange(1.0, config.length + 1)

    def __call__(self, theta: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """theta (P, N, D) -> log prior, log likelihood, sum of squares, each (P, N)"""
        padded = torch.cat([theta, torch.full_like(theta[..., :1], self.config.log_sigma_mean)], -1)
        log_prior = posterior.log_prior(self.config, padded)
        inside = torch.isfinite(log_prior)
        f = clean(self.config, theta[inside], self.x)  # (inside, T): what lies outside costs nothing
        log_prior[inside] = torch.where(passes(f), log_prior[inside], -math.inf)
        squares = torch.full(log_prior.shape, 1e3)
        seen = self.y[:, None].expand(-1, theta.shape[1], -1)[inside]
        squares[inside] = (f[:, : self.y.shape[1]] - seen).square().sum(1)
        return log_prior, self.noise.log_likelihood(squares), squares


def clean(config: PriorConfig, theta: Tensor, x: Tensor) -> Tensor:
    return posterior.curves(config, torch.cat([theta, torch.zeros_like(theta[..., :1])], -1), x)


def differ(state: State, target: Target, beta: Tensor, generator: torch.Generator) -> tuple[State, Tensor]:
    """Each half of the population moves by differences within the other half; three moves of four are of
    differential evolution (ter Braak 2006), one is a stretch, which also changes scale."""
    P, N, D = state.theta.shape
    halves = (slice(0, N // 2), slice(N // 2, N))
    moved = State(*(part.clone() for part in state))
    taken_share = torch.zeros(P)
    for own, others in (halves, halves[::-1]):
        mine, pool = moved.theta[:, own], moved.theta[:, others]
        a, b = (take(pool, torch.randint(N // 2, (P, N // 2), generator=generator)) for _ in range(2))
        u = torch.rand(4, P, N // 2, generator=generator)
        gamma = torch.where(u[0] < 0.1, 1.0, 2.38 / math.sqrt(2 * D) * (0.3 + u[1]))[..., None]
        jitter = 1e-5 * torch.randn(P, N // 2, D, generator=generator)
        z = ((u[1] + 1).square() / 2)[..., None]
        stretch = (u[2] < 0.25)[..., None]
        proposal = torch.where(stretch, a + z * (mine - a), mine + gamma * (a - b) + jitter)
        log_jump = torch.where(stretch[..., 0], (D - 1) * z[..., 0].log(), 0.0)
        new = target(proposal)
        log_old = moved.log_prior[:, own] + beta[:, None] * moved.log_like[:, own]
        log_new = new[0] + beta[:, None] * new[1]
        taken = u[3].log() < log_jump + log_new - log_old  # (P, N/2)
        moved.theta[:, own] = torch.where(taken[..., None], proposal, mine)
        for part, value in zip(moved[1:], new, strict=True):
            part[:, own] = torch.where(taken, value, part[:, own])
        taken_share += taken.float().mean(1) / 2
    return moved, taken_share


def along_lines(state: State, target: Target, generator: torch.Generator) -> State:
    """Parameters in which the curve is linear move along a line, without rejection, given the noise and the others.

    First the levels and amplitudes of all families, given their weights, then the weights. On a line the likelihood is
    normal, and the bounds of the laws and the rules of the prior leave an interval of it, from which is drawn."""
    theta = state.theta.clone()
    n = target.y.shape[1]
    sigma = target.noise.draw(state.squares, generator)[..., None]  # (P, N, 1)
    for make in (levels, weights):
        block = make(target.config, theta, target.x)
        values, f = theta[..., block.places], block.curve(theta)  # (P, N, m), (P, N, T)
        root, _ = block.conditional_normal(target.y, sigma)
        z = torch.randn(*values.shape, 1, generator=generator).double()
        # (P, N, m): far in directions of which little is known
        along = torch.linalg.solve_triangular(root.mT, z, upper=True)[..., 0].float()
        slope = (along[..., None, :] @ block.columns)[..., 0, :]  # (P, N, T)
        low, high = _interval(values, along, block.low, block.low + block.width)
        for one in (
            _interval(f, slope, 0.0, 1.0),
            _interval((f[..., -1:] - f[..., :1]), slope[..., -1:] - slope[..., :1], 0.0, 9.0),
        ):
            low, high = torch.maximum(low, one[0]), torch.minimum(high, one[1])
        precision = (slope[..., :n].square().sum(-1) / sigma[..., 0].square()).clamp(min=1e-12)
        push = (slope[..., :n] * (target.y[:, None] - f[..., :n])).sum(-1)
        middle = push / sigma[..., 0].square() / precision
        step = _truncated(middle, precision.rsqrt(), low, high, generator)
        theta[..., block.places] = values + step[..., None] * along
    new = target(theta)
    keep = torch.isfinite(new[0])  # rounding may put a curve on the wrong side of a rule: then it stays
    parts = [torch.where(keep, fresh, old) for fresh, old in zip(new, state[1:], strict=True)]
    return State(torch.where(keep[..., None], theta, state.theta), *parts)


def bend(state: State, target: Target, generator: torch.Generator) -> tuple[State, Tensor]:
    """Exponents move, and levels and amplitudes with them: to what fits best around the new shape, and as widely.

    An exponent alone can hardly move, since levels and amplitudes were fitted to the old shape. Given the noise, what
    they would be is normal as far as the likelihood goes, so they are drawn anew, and the move is judged as a whole.
    One half of the population moves, by differences within the other half."""
    bends = [place for family in families(target.config) for place in family.bends]
    P, N, _ = state.theta.shape
    if not bends:
        return state, torch.ones(P)
    halves = (slice(0, N // 2), slice(N // 2, N))
    own, others = halves if torch.rand((), generator=generator) < 0.5 else halves[::-1]
    mine, pool = State(*(part[:, own] for part in state)), state.theta[:, others][..., bends]
    a, b = (take(pool, torch.randint(N // 2, (P, N // 2), generator=generator)) for _ in range(2))
    gamma = 2.38 / math.sqrt(2 * len(bends)) * torch.rand(P, N // 2, 1, generator=generator)
    some = torch.rand(2, P, N // 2, len(bends), generator=generator)  # one exponent alone, or several
    jump = gamma * (a - b) + 0.02 * torch.randn(a.shape, generator=generator)
    proposal = mine.theta.clone()
    proposal[..., bends] += torch.where((some[0] < 0.5) | (some[1, ..., :1] < 0.5), jump, 0.0)
    sigma = target.noise.draw(mine.squares, generator)[..., None]  # (P, N/2, 1)
    before = levels(target.config, mine.theta, target.x)
    after = levels(target.config, proposal, target.x)
    root, mean = after.conditional_normal(target.y, sigma)
    z = torch.randn(*mean.shape, 1, generator=generator).double()
    drawn = mean + torch.linalg.solve_triangular(root.mT, z, upper=True)[..., 0]
    proposal[..., after.places] = drawn.float()
    new = target(proposal)
    odds = new[0] - mine.log_prior - (new[2] - mine.squares) / (2 * sigma[..., 0].square())
    odds = odds + _normal(mine.theta[..., before.places], *before.conditional_normal(target.y, sigma))
    odds = odds - _normal(proposal[..., after.places], root, mean)
    taken = torch.rand(P, N // 2, generator=generator).log() < odds
    moved = State(*(part.clone() for part in state))
    for part, fresh, old in zip(moved, (proposal, *new), mine, strict=True):
        part[:, own] = torch.where(taken.view(P, N // 2, *[1] * (old.ndim - 2)), fresh, old)
    return moved, taken.float().mean(1)


def _normal(value: Tensor, root: Tensor, mean: Tensor) -> Tensor:
    """Log density, up to a constant, of a normal with Cholesky root of its precision and mean.  -> (P, N)"""
    away = (root.mT @ (value.double() - mean)[..., None])[..., 0]
    return root.diagonal(dim1=-2, dim2=-1).log().sum(-1) - away.square().sum(-1) / 2


def _interval(
    value: Tensor, slope: Tensor, low: Tensor | float, high: Tensor | float
) -> tuple[Tensor, Tensor]:
    """The s for which low <= value + s slope <= high holds in all of the last axis."""
    a, b = (low - value) / slope, (high - value) / slope
    still = slope.abs() < 1e-12
    begin = torch.where(still, -math.inf, torch.minimum(a, b)).amax(-1)
    end = torch.where(still, math.inf, torch.maximum(a, b)).amin(-1)
    return begin, end


def _truncated(mean: Tensor, sd: Tensor, low: Tensor, high: Tensor, generator: torch.Generator) -> Tensor:
    """A normal between low and high; 0 where the interval is empty or so far out that its mass is not a number."""
    mean, sd = mean.double(), sd.double()
    a, b = (torch.special.ndtr((end.double() - mean) / sd) for end in (low, high))
    u = a + (b - a) * torch.rand(mean.shape, generator=generator).double()
    drawn = mean + sd * torch.special.ndtri(u)
    good = (b - a > 1e-13) & (low < high) & torch.isfinite(drawn)
    return torch.where(good, torch.clamp(drawn, low.double(), high.double()), 0.0).float()


def take(part: Tensor, pick: Tensor) -> Tensor:
    """Members (P, N, ...) in the order of pick (P, n)."""
    return part.gather(1, pick.view(*pick.shape, *[1] * (part.ndim - 2)).expand(-1, -1, *part.shape[2:]))


# -----------------------------------------------------------------------------------------------------------
# The predictive density that a cloud of curves gives: a mixture of normals, one for each member.
#
# Shapes: P = observed curves, N = members of the cloud of each, Q = queries.


class Cloud:
    """Members f (P, N, Q) with noise sigma (P, N) and log weights (P, N), which need not sum to one."""

    def __init__(self, f: Tensor, sigma: Tensor, log_weight: Tensor | None = None):
        equal = torch.zeros_like(sigma) if log_weight is None else log_weight
        self.f, self.sigma = f, sigma[..., None]  # (P, N, 1)
        self.log_w = equal.log_softmax(1)[..., None]  # (P, N, 1)

    def later(self, seen: int, ahead: int | None = None) -> "Cloud":
        """The same members at the epochs after the first `seen` of those that are here: all of them, or the next `ahead`."""
        return Cloud(self.f[..., seen:][..., :ahead], self.sigma[..., 0], self.log_w[..., 0])

    def log_density(self, y: Tensor) -> Tensor:
        """(P, Q) -> (P, Q)"""
        z = (y[:, None] - self.f) / self.sigma
        return (self.log_w - z.square() / 2 - self.sigma.log()).logsumexp(1) - 0.5 * math.log(2 * math.pi)

    def cdf(self, y: Tensor) -> Tensor:
        return (self.log_w.exp() * torch.special.ndtr((y[:, None] - self.f) / self.sigma)).sum(1)

    def mean(self) -> Tensor:
        return (self.log_w.exp() * self.f).sum(1)

    def quantile(self, level: float) -> Tensor:
        """By bisection between the lowest and the highest member, eight sigma beyond.  -> (P, Q)"""
        low, high = (self.f - 8 * self.sigma).amin(1), (self.f + 8 * self.sigma).amax(1)
        for _ in range(40):
            middle = (low + high) / 2
            below = self.cdf(middle) < level
            low, high = torch.where(below, middle, low), torch.where(below, high, middle)
        return (low + high) / 2
