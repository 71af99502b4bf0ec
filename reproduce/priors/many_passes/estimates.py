"""What many passes gain over one, with intervals: by the number of passes, by kind of map, by benchmark."""

from collections.abc import Iterator

import pandas as pd

from reproduce._press.estimates import Estimates, by_mean, there
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.priors.many_passes.scores import KINDS, VALUES
from reproduce.protocols.benchmarks import ROWS

PRIOR, REAL = "prior", "real"


def estimates(rows: pd.DataFrame) -> Estimates:
    """By curves, network, way, passes and value."""
    found: dict[tuple[str | int, ...], Interval | None] = {}
    for key, own in by_way(rows):
        for curves, some in ((PRIOR, own[own["row"] == PRIOR]), (REAL, own[own["row"] != PRIOR])):
            if len(some):
                found |= {(curves, *key, value): interval(units(some, value)) for value in VALUES}
    return there(found)


def by_way(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, str, int], pd.DataFrame]]:
    rows = rows.assign(averaging=rows["gain"] - rows["single"], off=(100 * rows["in90"] - 90).abs())
    yield from rows.groupby(["network", "way", "passes"], sort=False) if len(rows) else ()


def units(own: pd.DataFrame, value: str) -> pd.DataFrame:
    """What another sample would change: of real curves sources; of the prior (seeds, groups of curves)."""
    if own["row"].iloc[0] == PRIOR:
        return own.pivot_table(value, "seed", "group")
    means = own.groupby("row")[value].mean()
    return means.groupby(lambda row: ROWS[row].source).mean().to_frame("mean")


def interval(found: pd.DataFrame) -> Interval | None:
    """Over sources, or over seeds and curves; of one network over curves alone."""
    if found.shape[1] < 2:
        return Interval.of_mean(found.sum(axis=1))
    return Interval.of_seeds_and_curves(found) or Interval.of_mean(found.mean(axis=0))


def differences(rows: pd.DataFrame, kinds: pd.DataFrame, network: str, way: str, most: int) -> Estimates:
    """Of numbers that vary together, on real curves."""
    real = {key: own for key, some in by_way(rows) if len(own := some[some["row"] != PRIOR])}

    def of(passes: int, value: str) -> pd.DataFrame:
        own = real.get((network, way, passes))
        return pd.DataFrame(columns=["mean"], dtype=float) if own is None else units(own, value)

    pairs = {
        "four over half": (of(4, "gain"), of(most, "gain") / 2),
        "averaging over maps": (of(most, "averaging"), of(most, "single")),
        "many over flat": (of(most, "gain"), of(most, "flat")),
        "coverage": (of(1, "off"), of(most, "off")),
    }
    by_kind = {
        kind: own for kind, own in where(kinds, network=network).groupby("kind") if own["row"].ne(PRIOR).any()
    }
    for name, (one, other) in {"near over middle": KINDS[:2], "narrow over wide": KINDS[2:]}.items():
        if one in by_kind and other in by_kind:
            pairs[name] = tuple(
                units(own[own["row"] != PRIOR], "gain") for own in (by_kind[one], by_kind[other])
            )
    return there({name: interval((one - other).dropna()) for name, (one, other) in pairs.items()})


def by_benchmark(rows: pd.DataFrame) -> Estimates:
    """The gain by benchmark, network, way and passes; without an interval where there is one seed."""
    key = ["row", "network", "way", "passes"]
    means = rows[rows["row"] != PRIOR].groupby([*key, "seed"], as_index=False)["gain"].mean()
    return by_mean(means, key, "gain", lambda gains: Interval.of_mean(gains) or one_seed(gains))


def one_seed(gains: pd.Series) -> Interval:
    return Interval(float(gains.iloc[0]), float("nan"), float("nan"))


def milliseconds(times: pd.DataFrame) -> Estimates:
    return by_mean(times, "passes", "ms", lambda ms: Interval.of_median(list(ms)))


def times_as_long(times: pd.DataFrame, most: int) -> Interval | None:
    """So many passes over one, round by round."""
    by_round = times.pivot_table("ms", "round", "passes")
    return Interval.of_median((by_round[most] / by_round[1]).tolist()) if {1, most} <= set(by_round) else None
