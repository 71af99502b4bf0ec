"""What is known of a run's future: quantiles, chances, sampled futures. All in the run's own unit and steps."""

from functools import cached_property
from typing import Any

import numpy as np

from curvecast.forecasting import doubts, first_passage
from curvecast.forecasting.finished_runs import Levels
from curvecast.forecasting.first_passage import When, improved
from curvecast.forecasting.network import DensityNetwork
from curvecast.forecasting.normalise import Scale
from curvecast.forecasting.passes import AT_ONCE, Beginning, Row
from curvecast.forecasting.shipped import Shipped
from curvecast.forecasting.user_input import number
from curvecast.ground.errors import UserError, demand, installed, printable

Array = np.ndarray


class Forecast:
    """Of one run. Its arrays have one number for each of `steps`, the steps ahead.

    name            what the run is called in messages and tables
    observed_steps  the steps at which something was measured
    observed        what was measured there
    steps           the steps ahead, the last of them the horizon; empty if the run has ended
    thinned         True where not all points were used: several fell on one epoch, or a scaling curve has too many
    row             what the network says, where it sees the run; None if the run has ended
    finished        how many finished runs its intervals were calibrated on; 0: none, and the run's own record narrows them
                    if it is smooth
    """

    def __init__(
        self, name: str, observed_steps: Array, observed: Array, steps: Array, thinned: bool, scale: Scale,
        beginning: Beginning, row: Row | None, network: Shipped, record: Array | None = None,
        levels: Levels | None = None, finished: int = 0,
    ):  # fmt: skip
        self.name, self.observed_steps, self.observed = name, observed_steps, observed
        self.steps, self.thinned, self.finished = steps, thinned, finished
        self._scale, self._beginning, self.row, self._network = scale, beginning, row, network
        self._record = record  # normal scores of what was observed, (T - 1,); of scaling curves none
        # of its finished runs; without them, of its own record
        self._levels = levels or (row and row.levels)
        self._doubts: list[str] = []  # of its finished runs

    @property
    def minimise(self) -> bool:
        """True where lower is better."""
        return self._scale.metric.minimise

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that the metric can have."""
        return self._scale.metric.low, self._scale.metric.high

    @property
    def best(self) -> float:
        """The best observed value."""
        return float(self.observed.min() if self.minimise else self.observed.max())

    @cached_property
    def median(self) -> Array:
        """The value that the future is as likely to be above as below, at each step."""
        return self.quantile(0.5)

    @cached_property
    def mean(self) -> Array:
        """Over ninety-nine quantiles."""
        if self.row is None:
            return self.steps.copy()
        levels = self._asked(np.arange(1, 100)[:, None] / 100)
        return np.asarray(self._scale.back(self.row.density.quantile(levels).astype(float)).mean(0))

    def quantile(self, q: float) -> Array:
        """The value that a share q of all futures stays below, at each step."""
        demand(0 < (q := number(q, "q")) < 1, f"q is {q}: give a share between 0 and 1, such as 0.95")
        if self.row is None:
            return self.steps.copy()
        level = round(1 - q if self.minimise else q, 12)  # 0.05, and not 0.04999999999999999
        if not self.finished:
            return self._scale.back(self.row.quantile(level))
        return self._scale.back(self.row.density.quantile(self._asked(np.array([level]))).astype(float))

    def at_horizon(self, *levels: float) -> Array:
        """Quantiles at the last step ahead alone, which takes a fraction of the time."""
        if self.row is None:
            return np.full(len(levels), self.observed[-1])
        promised = [round(1 - q if self.minimise else q, 12) for q in levels]
        values = self.row.last.quantile(self._asked(np.array(promised)[:, None], last=True))  # (L, 1)
        return self._scale.back(values[:, 0].astype(float))

    def _asked(self, promised: Array, last: bool = False) -> Array:
        """The levels to ask the network for, so that promised ones are kept at all steps, or at the last one alone."""
        if self._levels is None:
            return promised
        return (self._levels[-1:] if last else self._levels).asked(promised)

    def interval(self, p: float = 0.9) -> tuple[Array, Array]:
        """The central interval that contains a share p of all futures, at each step."""
        demand(0 < (p := number(p, "p")) < 1, f"p is {p}: give a share between 0 and 1, such as 0.9")
        return self.quantile((1 - p) / 2), self.quantile((1 + p) / 2)

    def prob_above(self, t: float) -> Array:
        """The chance of a value above t, at each step."""
        low, high = self.bounds
        if (t := number(t, "the value")) >= high or t < low:  # no value lies beyond a bound
            return np.full(len(self.steps), float(t < low))
        return 1 - self._exceeds(t) if self.minimise else self._exceeds(t)

    def prob_beats(self, t: float, by: float | None = None) -> float:
        """The largest chance at any one step ahead to be better than t; with `by`, no step after it counts;
        a `by` before the first step ahead is refused.

        The chance to beat t at one step or another is at least as large. 0 where the run has ended.
        """
        if by is not None and not (by := number(by, "by")) > self.observed_steps[-1]:
            reached = f"the run has reached {self.observed_steps[-1]:.12g}"
            raise UserError(f"by is {by:.12g}, but {reached}: give a later step")
        before = np.ones(len(self.steps), dtype=bool) if by is None else self.steps <= by + 1e-9
        if not before[:1].all():  # where many values fall on one epoch, some may still come before the first
            nearest = f"the first step of the forecast is {self.steps[0]:.12g}"
            raise UserError(f"by is {by:.12g}, but {nearest}: give this step or a later one")
        low, high = self.bounds
        if not self.minimise:
            better = self.prob_above(t)
        elif (t := number(t, "the value to beat")) <= low or t > high:
            better = np.full(len(self.steps), float(t > high))
        else:
            better = self._exceeds(t)
        return float(better[before].max(initial=0.0))

    def _exceeds(self, t: float) -> Array:
        """The chance to lie above t where the network sees it, with more being better."""
        if self.row is None:
            return self.steps.copy()
        everywhere, density = np.full(len(self.steps), float(self._scale.to(np.array(t)))), self.row.density
        above = np.clip(density.exceeds(everywhere).astype(float), 0, 1)
        return above if self._levels is None else self._levels.above(density.cdf(everywhere), above)

    def sample(self, n: int = 1, seed: int = 0) -> Array:
        """n values at each step, (n, steps). Steps are drawn independently; `futures` draws whole runs."""
        if self.row is None:
            return np.empty((n, 0))
        values = self.row.density.quantile(self._asked(random_levels(seed, n, len(self.steps))))
        return self._scale.back(values.astype(float))

    def sample_end(self, n: int, seed: int = 0, clip: bool = True) -> Array:
        """n values at the horizon: (n,). The last observed one, n times, if the run has ended.

        The network's density knows no bounds: by default a value beyond a bound of the metric is set to the bound.
        clip=False leaves it where it is, so that two runs that both end at the bound can be compared.
        """
        if self.row is None:
            return np.full(n, self.observed[-1])
        values = self.row.last.quantile(self._asked(random_levels(seed, n, 1), last=True))  # (n, 1)
        return self._scale.back(values[:, 0].astype(float), clip)

    def futures(self, n: int = 20, seed: int = 0) -> tuple[Array, Array]:
        """n possible futures, as (steps, values): some of the steps ahead, at most 16, and values of shape (n, steps).

        A future is drawn value by value, and the network reads each value before the next one is drawn.
        """
        if self.row is None:
            return self.steps.copy(), np.empty((n, 0))
        ahead = self._beginning.x_ahead
        at = looked_at(ahead)
        levels = random_levels(seed, n, len(at))
        values = grown(self._network.network, self._beginning, ahead[at], levels)
        if self._levels is not None:  # each moves to where the calibrated forecast has its level
            density = self.row.density[at]
            levels = np.stack([density.cdf(one) for one in values]).astype(float)  # (n, Q)
            values = density.quantile(self._levels[at].asked(levels))
        return self.steps[at], self._scale.back(values.astype(float))

    def when(self, target: float, n: int = 1000, seed: int = 0) -> When:
        """When a measured value will be at least as good as the target: the chance up to the horizon, and by which step.

        Counted in n futures, each drawn whole.
        """
        return first_passage.when(self, target, n, seed)

    def improved_since(self, step: float, n: int = 400, seed: int = 0) -> float:
        """The chance that the run is better at its last observed step than it ever was up to this one, noise apart.

        Of the observed values alone: a Gaussian process with noise, fitted to them. Most runs rise, so that one
        which does not is taken for better too often.
        """
        demand(len(self.observed) > 1, "the run has one value, and an improvement needs two: observe more")
        first, last = self.observed_steps[0], self.observed_steps[-1]
        there = first <= (step := number(step, "the step")) < last
        demand(
            there, f"the step is {step:g}: give one from {first:g} to before the last one observed, {last:g}"
        )
        return improved(
            self.observed_steps, -self.observed if self.minimise else self.observed, step, n, seed
        )

    @cached_property
    def in_prior(self) -> float | None:
        """The share of curves drawn as for training that look at least as unusual as this run; None for a single point."""
        if self._record is None or not len(self._record):
            return None
        return doubts.in_prior(
            self._network.table, len(self._record) + 1, float(doubts.chance(self._record[None])[0])
        )

    @property
    def warnings(self) -> list[str]:
        """Why the forecast should not be trusted, a sentence each; empty if nothing speaks against it."""
        return doubts.of(self, used=len(self._beginning.x)) + self._doubts

    def to_dict(self) -> dict[str, Any]:
        """What `curvecast forecast --json` prints of a run, without its place among others."""
        quantiles = {f"q{level:02d}": self.quantile(level / 100).tolist() for level in (5, 25, 75, 95)}
        return {
            "name": self.name, "observed": len(self.observed), "steps": self.steps.tolist(),
            "median": self.median.tolist(), **quantiles, "finished_runs": self.finished, "in_prior": self.in_prior,
            "warnings": self.warnings,
        }  # fmt: skip

    def plot(self, ax: Any = None) -> Any:
        """Draw points, median and the 50 and 90 % intervals on matplotlib axes, new ones by default. Returns the axes."""
        with installed("matplotlib is not installed: pip install 'curvecast[plot]'"):
            import matplotlib.pyplot as plt
        if ax is None:
            _, ax = plt.subplots()
        ax.plot(self.observed_steps, self.observed, ".", color="0.3", label="_seen")
        (line,) = ax.plot(self.steps, self.median, label=in_a_picture(self.name))
        for p, strength in ((0.9, 0.15), (0.5, 0.25)):
            how = {"color": line.get_color(), "alpha": strength, "linewidth": 0}
            ax.fill_between(self.steps, *self.interval(p), **how)
        ax.set_xlabel("step")
        return ax

    def _repr_html_(self) -> str:
        import html  # for notebooks alone

        return f"<p>{html.escape(repr(self)[1:-1])}</p>"

    def __repr__(self) -> str:
        seen = f"{self.name}: {len(self.observed)} points up to step {self.observed_steps[-1]:g}"
        if not len(self.steps):
            return f"<{seen}; it has ended>"
        low, high = (side[-1] for side in self.interval(0.9))
        return f"<{seen}; at step {self.steps[-1]:g} median {self.median[-1]:.4g}, 90 % within {low:.4g} to {high:.4g}>"


def in_a_picture(name: str) -> str:
    """As matplotlib takes it for a name, and SVG for text: $ begins no formula, and a leading _ hides nothing."""
    return (" " if name.startswith("_") else "") + printable(name, 200).replace("$", r"\$")


# -----------------------------------------------------------------------------------------------------------
# Sampled futures of a run: at random levels, value by value, each read before the next is drawn.
#
# Shapes: n = futures, Q = epochs ahead.

LOOKS = 16  # later epochs of a future, at most


def random_levels(seed: int, n: int, steps: int) -> Array:
    """(n, steps)"""
    demand(isinstance(n, int | np.integer) and n >= 1, f"n is {n!r}: give a whole number, 1 or more")
    return np.clip(np.random.default_rng(seed).random((n, steps)), 1e-7, 1 - 1e-7)


def looked_at(ahead: Array) -> Array:
    """Which of the epochs ahead a future has values at: the first, the last, and some between, denser at first."""
    wanted = np.geomspace(ahead[0], ahead[-1], LOOKS)
    return np.unique(np.searchsorted(ahead, np.minimum(wanted, ahead[-1]) - 1e-3))


def grown(network: DensityNetwork, seen: Beginning, epochs: Array, levels: Array) -> Array:
    """Values (n, Q) of futures at these epochs (Q,), each at its own levels (n, Q); as many at once as a pass takes."""
    at_once = max(1, AT_ONCE // (len(seen.x) + len(epochs)))
    begun, ahead = seen.x, epochs  # (T,), (Q,); with planned rates (T, 2), (Q, 2)
    if seen.rates:
        there = np.searchsorted(seen.x_ahead, epochs)
        begun, ahead = np.stack([begun, seen.rates[0]], -1), np.stack([epochs, seen.rates[1][there]], -1)
    values = []
    for some in (levels[i : i + at_once] for i in range(0, len(levels), at_once)):
        x, y = (np.repeat(part[None], len(some), 0) for part in (begun, seen.y))
        for i in range(len(epochs)):
            now = np.repeat(ahead[None, i : i + 1], len(some), 0)
            drawn = network.density(x, y, now).quantile(some[:, i : i + 1])  # (n, 1)
            x, y = np.concatenate([x, now], 1), np.hstack([y, drawn])
        values.append(y[:, len(seen.y) :])
    return np.concatenate(values)
