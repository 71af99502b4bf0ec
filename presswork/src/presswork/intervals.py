"""A number and the interval that holds it with 95 %: one constructor for each way in which it comes about.

None stands for what was not measured; an end that too few values leave unknown is NaN. Claims rest on these.

An interval knows what it is taken over: the index of the rows, or a column that their estimate was grouped by, says what was
drawn (curves, seeds, sources), and their number how many. A sentence may speak of no more than that.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from presswork.ground.blog import BLOG

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


Key = TypeVar("Key", bound=Hashable)
RESAMPLES = 2000
Over = tuple[tuple[str, int], ...]  # (("seeds", 3), ("curves", 500))
UNITS = {  # by the name of a column or of an index: what was drawn, and would be another if drawn again
    "seed": "seeds", "repeat": "repetitions", "task": "tasks", "run": "runs", "group": "groups", "source": "sources",
} | BLOG.drawn_from  # fmt: skip
COUNTED: Over = (("exact", 1),)  # without chance


class Ends(NamedTuple):
    value: float
    low: float
    high: float


class Interval(Ends):
    over: Over
    rivals: int  # of how many comparisons it is the worst, or for how many at once it is wide enough

    def __new__(cls, value: float, low: float, high: float, over: Over = (), rivals: int = 1) -> Interval:
        self = super().__new__(cls, value, low, high)
        self.over, self.rivals = over, rivals
        return self

    def taken_over(self, over: Over) -> Interval:
        return Interval(*self, over, self.rivals)

    def against(self, rivals: int) -> Interval:
        """The worst of so many comparisons, or one that is corrected for so many."""
        return Interval(*self, self.over, rivals)

    def ends(self, value: float, low: float, high: float) -> Interval:
        """Other numbers, taken over the same."""
        return Interval(value, low, high, self.over, self.rivals)

    @property
    def half(self) -> float:
        return self.high - self.value

    def of_share(self) -> Interval:
        """No share lies below 0 or above 1, whatever its error is; an end that is not known stays unknown."""
        return self.ends(self.value, max(self.low, 0.0), min(self.high, 1.0))

    def inverse(self) -> Interval:
        """A ratio the other way round; without an upper end where it may be nothing."""
        value, low = (1 / x if x else math.inf for x in (self.value, self.high))
        return self.ends(value, low, math.inf if self.low <= 0 else 1 / self.low)

    def wider(self, among: int) -> Interval:
        """As an interval that is one of so many, and covers with all of them (Bonferroni)."""
        n = min((n for unit, n in self.over if unit != "exact"), default=math.inf)
        factor = student(n, among) / student(n) if among > 1 and n > 1 else 1.0
        value, low, high = self
        return self.ends(value, value - factor * (value - low), value + factor * (high - value))

    def negated(self) -> Interval:
        """A difference the other way round."""
        return self.ends(-self.value, -self.high, -self.low)

    def times(self, factor: float) -> Interval:
        """In another unit."""
        return self.ends(*(factor * x for x in self))

    def minus(self, other: Interval) -> Interval:
        """The difference of two that are independent of one another."""
        value, below = self.value - other.value, math.hypot(self.value - self.low, other.half)
        above = math.hypot(self.half, other.value - other.low)
        return Interval(value, value - below, value + above, fewest(self, other))

    def exp(self) -> Interval:
        """From a logarithm to a factor."""
        return self.ends(*map(math.exp, self))

    def plus_minus(self, form: str) -> str:
        """In a cell: ± is half of the 95 % interval, on all pages; alone where it is exact or its ends are not known.

        A ratio or a share whose ends lie unequally far from it has both in brackets.
        """
        half = (self.high - self.low) / 2 if self.over != COUNTED else math.nan
        if math.isinf(half) or abs(self.high - self.value - half) > half / 5:
            return self.in_brackets(form)
        return f"{self.value:{form}}" + ("" if math.isnan(half) else f" ± {half:{form.removeprefix('+')}}")

    def in_brackets(self, form: str) -> str:
        """In a cell: 2.31 [2.10, 2.45]; the number alone where its ends are not known."""
        ends = "" if math.isnan(self.low) else f" [{self.low:{form}}, {self.high:{form}}]"
        return f"{self.value:{form}}{ends}".replace("inf", "∞")

    @classmethod
    def exactly(cls, value: float | None) -> Interval | None:
        """Counted, or computed without chance: a number is its own interval."""
        return None if value is None else cls(value, value, value, COUNTED)

    @classmethod
    def without_ends(cls, value: float) -> Interval:
        """Of one training or one run alone, nobody knows how far another would lie from it."""
        return cls(float(value), math.nan, math.nan)

    @classmethod
    def around(cls, value: float, half: float, over: Over = ()) -> Interval:
        return cls(value, value - half, value + half, over)

    @classmethod
    def with_error(cls, value: float, se: float, over: Over = ()) -> Interval:
        """A mean of many values and its standard error, as `metrics.estimate` and `metrics.paired` give them."""
        return cls.around(value, 1.96 * se, over)

    @classmethod
    def of_many(cls, values: pd.Series) -> Interval | None:
        """The mean of values that are independent of one another, and so many that their number plays no part."""
        if values.empty:
            return None
        return cls.with_error(float(values.mean()), float(values.sem()), drawn(values))

    @classmethod
    def of_mean(cls, values: pd.Series) -> Interval | None:
        """Of values that are independent of one another, by Student's t, which matters where they are few."""
        n = int(values.count())  # what is NaN was not measured
        return cls.around(values.mean(), student(n) * values.sem(), drawn(values)) if n > 1 else None

    @classmethod
    def of_seeds_and_curves(cls, values: pd.DataFrame) -> Interval | None:
        """The mean of values (seeds, curves), where another seed and other curves would give another: both errors add up."""
        seeds, curves = cls.of_mean(values.mean(axis=1)), cls.of_mean(values.mean(axis=0))
        if not (seeds and curves):
            return None
        return cls.around(seeds.value, math.hypot(seeds.half, curves.half), seeds.over + curves.over)

    @classmethod
    def of_median(cls, values: pd.Series) -> Interval | None:
        """The narrowest pair of order statistics, whatever the law of the values; six are the least for ends."""
        if not (n := len(ordered := sorted(values.dropna().tolist()))):
            return None
        outside, k = 2 * 0.5**n, 0  # chance that the median lies beyond the k-th smallest or largest
        while outside + 2 * math.comb(n, k + 1) * 0.5**n <= 0.05:
            k += 1
            outside += 2 * math.comb(n, k) * 0.5**n
        ends = (ordered[k], ordered[n - 1 - k]) if outside <= 0.05 else (math.nan, math.nan)
        return cls(statistics.median(ordered), *ends).taken_over(drawn(values))

    @classmethod
    def of_spread(cls, values: pd.Series) -> Interval | None:
        """The standard deviation of normal values, as of seeds: of three it may be six times what was found."""
        n = int(values.count())
        return cls.of_sd(float(values.std()), n - 1, drawn(values)) if n > 1 else None

    @classmethod
    def of_sd(cls, sd: float, free: int, over: Over = ()) -> Interval:
        """A standard deviation with so many degrees of freedom."""
        from scipy.special import chdtri  # half a second, which jobs that only measure need not wait

        low, high = (sd * math.sqrt(free / chdtri(free, p)) for p in (0.025, 0.975))
        return cls(sd, low, high, over)

    @classmethod
    def wilson(cls, flags: pd.Series) -> Interval | None:
        """The share of flags that are set; it has ends also where none or all are."""
        n = len(flags := flags.dropna())
        if n < 2:
            return None
        p, z = float(flags.mean()), 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return cls(p, max(0.0, middle - half), min(1.0, middle + half), drawn(flags))

    @classmethod
    def clopper_pearson(cls, flags: pd.Series) -> Interval | None:
        """The share of flags that are set; this interval is never too short."""
        from scipy.special import betaincinv  # half a second, which jobs that only measure need not wait

        n = len(flags := flags.dropna())
        k = int(flags.sum())
        if not n:
            return None
        low = betaincinv(k, n - k + 1, 0.025) if k else 0.0
        high = betaincinv(k + 1, n - k, 0.975) if k < n else 1.0
        return cls(k / n, float(low), float(high), drawn(flags))

    @classmethod
    def over_clusters(cls, values: pd.Series, clusters: pd.Series, what: str = "mean") -> Interval | None:
        """Their mean or median, where values of one cluster hang together: clusters are drawn anew as a whole.

        Percentiles of so few clusters lie too close together, by n over n - 1 and as the normal law does to Student's:
        they are moved apart. Fewer than eight clusters tell too little of how clusters vary: then the interval is
        Student's, with the error that leaving out one cluster after the other shows (the jackknife). A lone cluster has
        no interval.
        """
        import numpy as np

        values, clusters = values[values.notna()], clusters[values.notna().to_numpy()]
        statistic, by_cluster = getattr(np, what), values.groupby(clusters.to_numpy())
        parts = [own.to_numpy() for _, own in by_cluster]
        value, n = float(statistic(values.to_numpy())), len(parts)
        over = named(clusters.name, n)
        if n < 2:
            return None
        if n < 8:
            left = [statistic(np.concatenate(parts[:i] + parts[i + 1 :])) for i in range(n)]
            return cls.around(value, student(n) * math.sqrt(n - 1) * float(np.std(left)), over)
        picks = np.random.default_rng(0).integers(n, size=(RESAMPLES, n))
        if what == "mean":
            sums, sizes = (np.array([getattr(np, of)(part) for part in parts]) for of in ("sum", "size"))
            again = sums[picks].sum(1) / sizes[picks].sum(1)
        else:
            again = np.array([statistic(np.concatenate([parts[i] for i in some])) for some in picks])
        wider = student(n) / 1.96 * math.sqrt(n / (n - 1))
        return cls.of_resamples(np.append(value, value + wider * (again - value)), over)

    @classmethod
    def of_resamples(cls, values: np.ndarray, over: Over = ()) -> Interval:
        """A bootstrap: first what all the data give, then what data drawn anew from them give."""
        import numpy as np

        low, high = np.quantile(values[1:], [0.025, 0.975])
        return cls(float(values[0]), float(low), float(high), over)


def drawn(values: pd.Series) -> Over:
    """What the index of these values says that they are, one after another, and how many there are.

    A label that is there twice names no unit: its values are rows of one.
    """
    kept = values.index[values.notna()]
    return named(values.index.names[-1], len(kept)) if kept.is_unique else ()


def named(unit: object, n: int) -> Over:
    return ((UNITS[str(unit)], n),) if unit in UNITS else ()


def fewest(*some: Interval) -> Over:
    """What all of these together are taken over: of each unit the fewest of any."""
    found: dict[str, int] = {}
    for unit, n in (pair for one in some for pair in one.over if one.over != COUNTED):
        found[unit] = min(n, found.get(unit, n))
    return tuple(found.items()) or COUNTED * all(one.over == COUNTED for one in some)


def holm(p: Mapping[Key, float]) -> dict[Key, float]:
    """p values of many comparisons, adjusted for all of them by Holm's rule, the smallest first."""
    adjusted, most = dict[Key, float](), 0.0
    for place, key in enumerate(sorted(p, key=p.__getitem__)):
        adjusted[key] = most = min(1.0, max(most, (len(p) - place) * p[key]))
    return adjusted


Form = str | Callable[[Interval], str]


def in_cell(found: Interval | None, form: Form = ".2f", missing: str = "…") -> str:
    """The number with half of its 95 % interval, or what `form` makes of it; a mark where nothing was measured.

    A format may end in a unit: of ".1f %" comes 94.2 ± 0.3 %."""
    if found is None:
        return missing
    if not isinstance(form, str):
        return form(found)
    digits, space, unit = form.partition(" ")
    return found.plus_minus(digits) + space + unit


def means_again(values: np.ndarray, times: int = RESAMPLES) -> np.ndarray:
    """A bootstrap of means (n, ...): first that of all, then those of as many drawn anew.  -> (1 + times, ...)"""
    import numpy as np

    picks = np.random.default_rng(0).integers(len(values), size=(times, len(values)))
    return np.stack([values.mean(0), *(values[pick].mean(0) for pick in picks)])


def student(n: float, among: int = 1) -> float:
    """How many standard errors of n values lie between their mean and an end of its interval, one of `among` at once."""
    import scipy.special  # half a second, which jobs that only measure need not wait

    return float(scipy.special.stdtrit(n - 1, 1 - 0.025 / among))
