"""Which forecasters are asked, in which parts of an answer, and which of their scores are kept.

simple, fits, networks   a part each, for all benchmarks
warned                   another one: how unusual the observed points are for the released model
exact, chains            a part for each benchmark, and fewer curves: they take long
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.forecasting import shipped, torch_network
from curvecast.training.train import TrainConfig, trained
from reproduce._press.where import Rows
from reproduce.new_data import _warned
from reproduce.new_data._networks import networks
from reproduce.protocols import forecasters
from reproduce.protocols.forecasters import Ask, ChainsConfig
from reproduce.protocols.real_curve import Trial
from reproduce.protocols.scores_by_share import AT_ONCE, scores

SLOW = ("exact", "chains")
CALIBRATED = ("networks", "exact")  # whose calibration is kept
DIGITS = {"ll": 3, "crps": 3, "error": 3, "below": 3, "in50": 2, "in90": 2, "level": 2}
# seen: per cent of the points observed; below: share of points below each quantile, with equal weight for each curve
SCORES = ("row", "curve", "seen", "method", "ll", "crps", "error", "in50", "in90")
BELOW = ("row", "seen", "method", "level", "below")


@dataclass(frozen=True)
class ForecastersConfig:
    size: str = "2x96"  # of the networks that are trained for this
    kinds: tuple[str, ...] = ("simple", "fits", "networks", "warned", "exact")
    judge: PosteriorConfig = field(default_factory=lambda: PosteriorConfig(50_000, 4, 32, 5, 80, 10))
    chains: ChainsConfig = ChainsConfig()
    at_once: int = 8  # curves, of the slow ones
    seed: int = 0


ALL = ("simple", "fits", "networks", "warned", "exact", "chains")
TINY = ForecastersConfig("1x8", ALL, PosteriorConfig(1000, 2, 8, 1, 4, 2), ChainsConfig(26, 20, 5))
# an exact posterior at a third of the effort: on curves outside its prior, a hundredth of a nat does not matter
LONG = ForecastersConfig("3x128", ALL, PosteriorConfig(200_000, 8, 32, 5, 80, 10))


class Part(NamedTuple):
    kind: str
    rows: tuple[str, ...]  # benchmarks


def models(config: Any) -> list[TrainConfig]:
    """These three are of a question: its config has `rows`, the benchmarks, and `asked`."""
    return list(networks(config.asked.size).values()) if "networks" in config.asked.kinds else []


def needs(config: Any, part: str) -> list[TrainConfig]:
    return models(config) if part == "networks" else []


def parts(config: Any) -> list[str]:
    quick = [kind for kind in config.asked.kinds if kind not in SLOW]
    return [*quick, *(f"{kind}.{row}" for kind in config.asked.kinds if kind in SLOW for row in config.rows)]


def part(name: str, rows: tuple[str, ...]) -> Part:
    kind, _, row = name.partition(".")
    return Part(kind, (row,) if row else rows)


def asked(config: ForecastersConfig, kind: str) -> dict[str, Ask]:
    if kind == "simple":
        return forecasters.simple()
    if kind == "fits":
        return forecasters.fits()
    if kind == "exact":
        return {"exact": forecasters.exact_posterior(config.judge, config.seed)}
    if kind == "chains":
        return {"vector": forecasters.chains(config.chains, config.seed)}
    nets = {name: trained(train) for name, train in networks(config.size).items()}
    nets |= {
        "shipped": torch_network.load(shipped.PATH),
        "old": torch_network.load(shipped.BY_NAME["paper-prior"]),
    }
    return {name: forecasters.network(net) for name, net in nets.items()}


def the_one_that_ships() -> Ask:
    return forecasters.network(torch_network.load(shipped.PATH))


def measured(config: ForecastersConfig, kind: str, trials: dict[str, list[Trial]]) -> Rows:
    """Of the curves of each benchmark."""
    if kind == "warned":
        odd = [_warned.chances(own, row) for row, own in trials.items()]
        return {"warned": pd.concat(odd, ignore_index=True)}
    who = asked(config, kind)
    return together([scored(config, kind, who, own, row) for row, own in trials.items()])


def scored(config: ForecastersConfig, kind: str, who: dict[str, Ask], trials: list[Trial], row: str) -> Rows:
    """Rounded to what is committed: three digits of a score."""
    unrounded = scores(trials, who, config.at_once if kind in SLOW else AT_ONCE)
    tables = {"rows": unrounded["rows"].assign(row=row)[list(SCORES)]}
    if kind in CALIBRATED:
        tables["below"] = unrounded["below"].assign(row=row)[list(BELOW)]
    return {name: _rounded(table) for name, table in tables.items()}


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    short = {
        name: [float(f"{value:.{digits}g}") for value in table[name]]
        for name, digits in DIGITS.items()
        if name in table
    }
    return table.assign(**short)


def together(each: list[Rows]) -> Rows:
    return {name: pd.concat([tables[name] for tables in each], ignore_index=True) for name in each[0]}
