"""How good are forecasts of real curves, by source, by method, by share observed?"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from curvecast.ground.config import later
from reproduce._press.where import Rows
from reproduce.new_data import _chosen, _forecasters, _panels, _warned
from reproduce.new_data._chosen import ROWS, chosen, titles
from reproduce.new_data._forecasters import LONG, TINY, ForecastersConfig
from reproduce.new_data.real_curves import claims as claimed
from reproduce.new_data.real_curves import effort, tables
from reproduce.new_data.real_curves.effort import EffortConfig
from reproduce.protocols.forecasters import Ask

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}


@dataclass(frozen=True)
class Config:
    side: str = TEST  # TUNING while something is chosen
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 120  # of a benchmark, at most
    slow: int = 10  # of them, the first ones, for slow forecasters
    asked: ForecastersConfig = ForecastersConfig()
    seed: int = 0
    learning: float = later(0.5)  # share of the curves of a benchmark that must learn: most do
    effort: EffortConfig = later(EffortConfig())  # of the exact posterior, where there are chains as well


SCALES = {
    "smoke": Config(curves=2, slow=1, asked=TINY),
    "laptop": Config(),
    "paper": Config(curves=180, slow=100, asked=LONG),
}

CHAINS = "after a rounding difference a chain, or a draw by weights, may take another path"
MOVED = ("rows.ll", "rows.crps", "rows.error", "rows.in50", "rows.in90", "below.below", "effort.in90")
TOLERANCES = dict.fromkeys(MOVED, (0.02, CHAINS)) | {"effort.ess": ("chaotic", CHAINS)}

TABLES = {
    "curves": (*_chosen.ABOUT, "side"),
    "rows": _forecasters.SCORES,
    "below": _forecasters.BELOW,
    "warned": _warned.CHANCES,
    "read": _chosen.READ,
    "effort": effort.COLUMNS,
}


models, needs = _forecasters.models, _forecasters.needs


def parts(config: Config) -> list[str]:
    again = config.effort.rows if "chains" in config.asked.kinds else ()
    return _forecasters.parts(config) + [f"effort.{row}" for row in again if row in config.rows]


def measure(config: Config, part: str) -> Rows:
    kind, rows = _forecasters.part(part, config.rows)
    if kind == "effort":
        few = chosen(rows[0], config.side, min(config.slow, config.effort.curves), config.seed)
        trials = [one.trial for one in few]
        how = config.asked.judge
        return {
            "effort": effort.asked_again(
                config.effort, how, trials, rows[0], config.asked.at_once, config.seed
            )
        }
    if kind == "warned":
        found = {row: chosen(row, config.side, config.curves, config.seed) for row in rows}
        odd = [_warned.chances([one.trial for one in some], row) for row, some in found.items()]
        return {"warned": pd.concat(odd, ignore_index=True)}
    who = _forecasters.asked(config.asked, kind)
    return _forecasters.together([_of_row(config, kind, row, who) for row in rows])


def _of_row(config: Config, kind: str, row: str, who: dict[str, Ask]) -> Rows:
    found = chosen(row, config.side, config.slow if kind in _forecasters.SLOW else config.curves, config.seed)
    tables = _forecasters.scored(config.asked, kind, who, [one.trial for one in found], row)
    if kind == "simple":  # these forecast all curves
        tables |= _chosen.listed(row, config.side, found)
    return tables


def draw(rows: Rows) -> dict[str, Figure]:
    return _panels.figures(rows, titles(rows))


def tabulate(rows: Rows, config: Config) -> Rows:
    return tables.tables(rows, config.learning)


claims = claimed.claims
