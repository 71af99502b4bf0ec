"""How good are forecasts of our own real runs, and which kinds of curve break them?"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from curvecast.ground.config import later
from reproduce._press.claim import AtLeast, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.new_data import _cells, _forecasters, _kinds, _panels, _score_tables, _warned
from reproduce.new_data._cells import OURS
from reproduce.new_data._chosen_runs import TITLES, about, put, titles
from reproduce.new_data._forecasters import TINY, ForecastersConfig
from reproduce.new_data.own_forecasts import gallery
from reproduce.protocols.forecasters import Ask


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(TITLES)
    curves: int = 60  # of a benchmark, at most
    slow: int = 4  # of them, the first ones, for slow forecasters
    shown: int = 4  # in the gallery, of a benchmark
    asked: ForecastersConfig = ForecastersConfig()
    seed: int = 0
    own: str = later("own_curves")  # the question whose rows are the runs


SCALES = {
    "smoke": Config(curves=4, slow=1, shown=2, asked=TINY),
    "laptop": Config(curves=30, asked=ForecastersConfig("1x64")),
    "paper": Config(own="own_curves/laptop"),
}

SHAKEN = "one of eight curves is of a network that diverges, and differs between chips"
SHAKEN_COLUMNS = (
    "rows.ll", "rows.crps", "rows.error", "rows.in50", "rows.in90", "below.below", "warned.chance",
)  # fmt: skip
TOLERANCES = dict.fromkeys(SHAKEN_COLUMNS, (0.05, SHAKEN))

TABLES = {
    "curves": ("row", "curve", "run", "learner", "task", "group", "kind", "learns", "points", "clipped"),
    "rows": _forecasters.SCORES,
    "below": _forecasters.BELOW,
    "warned": _warned.CHANCES,
    "shown": ("row", "place", "curve", "point", "value", *gallery.BANDS),
}


models, needs, parts = _forecasters.models, _forecasters.needs, _forecasters.parts


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    kind, rows = _forecasters.part(part, config.rows)
    if kind == "warned":
        found = {row: put(read[config.own], row, config.curves, config.seed) for row in rows}
        odd = [_warned.chances([one.trial for one in some], row) for row, some in found.items()]
        return {"warned": pd.concat(odd, ignore_index=True)}
    who = _forecasters.asked(config.asked, kind)
    return _forecasters.together([_of_row(config, kind, row, who, read[config.own]) for row in rows])


def _of_row(config: Config, kind: str, row: str, who: dict[str, Ask], own: Rows) -> Rows:
    found = put(own, row, config.slow if kind in _forecasters.SLOW else config.curves, config.seed)
    trials = [one.trial for one in found]
    tables = _forecasters.scored(config.asked, kind, who, trials, row)
    if kind == "simple":  # these forecast all curves
        ships = _forecasters.the_one_that_ships()
        also = _forecasters.scored(config.asked, kind, {OURS: ships}, trials, row)["rows"]
        numbers = gallery.chosen(pd.concat([tables["rows"], also]), OURS, config.shown)
        tables["shown"] = gallery.pictures(found, numbers, ships).assign(row=row).round(4)
        tables["curves"] = about(row, found).round({"clipped": 4})
    return tables


def draw(rows: Rows) -> dict[str, Figure]:
    drawn = _panels.figures(rows, titles(rows))
    return drawn | ({"gallery": gallery.draw(rows["shown"], rows["curves"])} if "shown" in rows else {})


def tabulate(rows: Rows) -> Rows:
    """Scores by benchmark and by kind of curve."""
    if not (named := titles(rows)):
        return {}
    tables = _score_tables.tables(rows, named) | {"kinds": _by_kind(_with_kind(rows))}
    del tables["ranks"]  # those are for the curves of others
    return tables | _warned.tables(rows, named)


def _with_kind(rows: Rows) -> pd.DataFrame:
    found = _cells.each(rows)
    return found.merge(rows["curves"][["row", "curve", "kind"]], on=["row", "curve"]) if len(found) else found


def _by_kind(found: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for kind, words in _kinds.KINDS.items():
        own = found[(found["kind"] == kind) & (found["method"] == OURS)]
        if len(own):
            cells.append({
                "kind": kind, "which": words, "curves": f"{own.groupby(['row', 'curve']).ngroups}",
                "coverage of the 90 % interval": f"{100 * own['in90'].mean():.0f} %",
                "of the 50 % interval": f"{100 * own['in50'].mean():.0f} %",
                "error / last value’s": f"{own['ratio'].median():.2f}",
            })  # fmt: skip
    return pd.DataFrame(cells)


def claims(rows: Rows) -> list[Claim]:
    found = _with_kind(rows) if rows else pd.DataFrame()
    return [
        Claim("bands_hold", "On our own runs, is the coverage of the released model’s 90 % interval close to nominal?",
              _mean(found, "in90"), Between(0.85, 0.95), "%"),
        Claim("half_holds", "On our own runs, is the coverage of the released model’s 50 % interval close to nominal?",
              _mean(found, "in50"), Between(0.45, 0.55), "%"),
        Claim("risers_hold", "On those of our own runs that simply rise, is the coverage of the released model’s 90 % "
              "interval close to nominal?", _mean(found, "in90", "rises"), Between(0.85, 0.95), "%"),
        Claim("late_break", "On those of our own runs that start to learn late, is the coverage of the released model’s "
              "90 % interval high enough?", _mean(found, "in90", "late"), AtLeast(0.85), "%"),
    ]  # fmt: skip


def _mean(found: pd.DataFrame, score: str, kind: str | None = None) -> Interval | None:
    """Over all benchmarks and shares observed; runs of one setting form a group."""
    if found.empty or not (found["method"] == OURS).any():
        return None
    own = found[(found["method"] == OURS) & (True if kind is None else found["kind"] == kind)]
    found = Interval.over_clusters(own[score], own["group"]) if len(own) else None
    return found and found.of_share()
