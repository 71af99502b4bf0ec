"""Which forecasters are asked, in which parts of an answer, and which of their scores are kept.

simple, fits, networks   a part each, for all benchmarks
warned                   another one: how unusual the observed points are for the released model
exact, chains            a part for each benchmark, and fewer curves: they take long
"""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.forecasting import shipped, torch_network
from curvecast.training.train import TrainConfig, trained
from presswork.estimates import Rows
from reproduce.new_data import _warned
from reproduce.protocols import forecasters
from reproduce.protocols.forecasters import Ask, ChainsConfig
from reproduce.protocols.real_curve import Trial
from reproduce.protocols.scores_by_share import AT_ONCE, scores
from reproduce.trainings import SMALL, TINIEST

SLOW = ("exact", "chains")
DIGITS = {"ll": 3, "crps": 3, "error": 3, "in50": 2, "in90": 2}
# seen: per cent of the points observed
SCORES = ("row", "curve", "seen", "method", "ll", "crps", "error", "in50", "in90")
NEW_PRIOR = PriorConfig(real=0.5)  # half of the curves from the run simulator, half from the paper's prior


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


def parts(config: Any, *more: str) -> dict[str, dict[str, Any]]:
    """A part for each kind, for slow ones and each benchmark, and more; a question's config has `rows` and `asked`."""
    jobs: dict[str, dict[str, Any]] = {}
    for kind in (*config.asked.kinds, *more):
        each = {f"{kind}.{row}": (row,) for row in config.rows} if kind in SLOW else {kind: config.rows}
        jobs |= {part: {"kind": kind, "rows": rows} for part, rows in each.items()}
    return jobs


def needs(config: Any, kind: str) -> list[TrainConfig]:
    return list(networks(config.asked.size).values()) if kind == "networks" else []


def networks(size: str) -> dict[str, TrainConfig]:
    """By method: ours on two priors, and the paper's recipe, with as many layers, units and curves, on its prior."""
    ours = (SMALL | TINIEST)[size]
    paper = TrainConfig.paper(ours.model.width, ours.model.layers, ours.curves)
    paper = replace(paper, bars=replace(ours.bars, tails="paper"))
    model, bars = replace(ours.model, features="spread"), replace(ours.bars, buckets=2 * ours.bars.buckets)
    new = replace(ours, prior=NEW_PRIOR, model=model, bars=bars)  # as in the released model
    return {"paper": paper, "ours": ours, "new": new}


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
    loaded = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
    nets |= {name: torch_network.load(path) for name, path in loaded.items()}
    return {name: forecasters.network(net) for name, net in nets.items()}


def the_one_that_ships() -> Ask:
    return forecasters.network(torch_network.load(shipped.PATH))


def measured(config: ForecastersConfig, kind: str, trials: dict[str, list[Trial]]) -> Rows:
    """Of the curves of each benchmark."""
    if kind == "warned":
        odd = [_warned.chances(own, row) for row, own in trials.items()]
        return {"warned": pd.concat(odd, ignore_index=True)}
    who, at_once = asked(config, kind), config.at_once if kind in SLOW else AT_ONCE
    each = [scored(who, own, row, at_once) for row, own in trials.items()]
    return {"rows": pd.concat(each, ignore_index=True)}


def scored(who: dict[str, Ask], trials: list[Trial], row: str, at_once: int = AT_ONCE) -> pd.DataFrame:
    """Rounded to what is committed: three digits of a score."""
    rows = scores(trials, who, at_once).assign(row=row)[list(SCORES)]
    for name, digits in DIGITS.items():
        rows[name] = [float(f"{value:.{digits}g}") for value in rows[name]]
    return rows


def together(each: list[Rows]) -> Rows:
    return {name: pd.concat([tables[name] for tables in each], ignore_index=True) for name in each[0]}
