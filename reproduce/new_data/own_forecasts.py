"""How good are forecasts of our own real runs, and which kinds of curve break them?"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.ground.config import later
from curvecast.scores.quantile_scores import LEVELS
from reproduce._press import style
from reproduce._press.claim import AtLeast, Between, Claim
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.where import Rows, where
from reproduce.new_data import _forecasters, _scores_by_benchmark, _warned
from reproduce.new_data._factors import over_groups
from reproduce.new_data._forecasters import TINY, ForecastersConfig
from reproduce.new_data._our_runs import KINDS, TITLES, ChosenRun, about, put
from reproduce.new_data._scores_by_benchmark import OURS
from reproduce.pictures.bands import bands
from reproduce.protocols.forecasters import Ask

AT = 20  # per cent observed, in the gallery
BANDS = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


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
    "smoke": Config(curves=2, slow=1, shown=2, asked=TINY),
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
    "shown": ("row", "place", "curve", "point", "value", *BANDS),
}

models, needs, parts = _forecasters.models, _forecasters.needs, _forecasters.parts


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    kind, rows = _forecasters.part(part, config.rows)
    most = config.slow if kind in _forecasters.SLOW else config.curves
    by_row = {row: put(read[config.own], row, most, config.seed) for row in rows}
    trials = {row: [one.trial for one in some] for row, some in by_row.items()}
    tables = _forecasters.measured(config.asked, kind, trials)
    if kind == "simple":  # these forecast all curves
        every = [_of_all_curves(config, row, some, tables["rows"]) for row, some in by_row.items()]
        tables |= _forecasters.together(every)
    return tables


def _of_all_curves(config: Config, row: str, picked: list[ChosenRun], simple: pd.DataFrame) -> Rows:
    """What is known of the curves of a benchmark, and the forecasts of some of them that the gallery shows."""
    ships, trials = _forecasters.the_one_that_ships(), [one.trial for one in picked]
    also = _forecasters.scored(config.asked, "simple", {OURS: ships}, trials, row)["rows"]
    numbers = from_best_to_worst(where(pd.concat([simple, also]), row=row), config.shown)
    return {
        "shown": pictures(picked, numbers, ships).assign(row=row).round(4),
        "curves": about(row, picked).round({"clipped": 4}),
    }


def from_best_to_worst(scored: pd.DataFrame, most: int) -> list[int]:
    """Numbers of curves at equal distances, both ends included, by their CRPS divided by the last value's."""
    wide = where(scored, seen=AT).pivot_table(index="curve", columns="method", values="crps")
    order = (wide[OURS] / (wide["last"] + 1e-6)).sort_values().index
    return [int(i) for i in order[np.unique(np.linspace(0, len(order) - 1, most).round().astype(int))]]


def pictures(found: list[ChosenRun], numbers: list[int], ask: Ask) -> pd.DataFrame:
    """Of each curve its values, and the intervals of its future points."""
    frames = []
    for place, number in enumerate(numbers):
        one, cutoff = found[number].trial, found[number].trial.cutoff(AT)
        seen = torch.from_numpy(one.seen)[None]
        density = ask(seen[:, :cutoff], len(one.values) - cutoff)
        own = one.scale.back(torch.cat([density.quantile(float(level)) for level in LEVELS]).double().numpy())
        own = own[::-1] if one.scale.metric.minimise else own
        frame = pd.DataFrame(
            {"place": place, "curve": number, "point": range(1, len(one.values) + 1), "value": one.values}
        )
        for name, level in BANDS.items():
            frame[name] = np.r_[np.full(cutoff, np.nan), own[round(level * 20) - 1]]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


# ------------------------------------------------------------------------------------------------- estimates


def of_ours(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of the released model, and one more that counts it among all kinds of curve."""
    scored = where(_scores_by_benchmark.each(rows), method=OURS)
    return pd.concat([scored, scored.assign(kind="all")])


def estimates(found: pd.DataFrame, score: str) -> Estimates:
    """Coverage by kind of curve, over all benchmarks and shares observed; runs of one setting form a group."""
    return grouped(found, ["kind"], lambda own: over_groups(own[score], own["group"]).of_share())


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return _scores_by_benchmark.figures(rows, TITLES) | {"gallery": _gallery(rows, config.shown)}


def _gallery(rows: Rows, columns: int) -> Figure:
    """Forecasts at equal distances from the best to the worst, both included."""
    figure, axes = plt.subplots(
        len(TITLES), columns, figsize=(2.1 * columns, 1.75 * len(TITLES)), squeeze=False, layout="constrained"
    )
    for line, row in zip(axes, TITLES, strict=True):
        for ax, (_, own) in zip(line, where(rows["shown"], row=row).groupby("place"), strict=False):
            _forecast(ax, own)
            (about,) = where(rows["curves"], row=row, curve=own["curve"].iloc[0]).itertuples()
            ax.set_title(f"{about.learner}, {about.task}", fontsize=8)
        line[0].set_ylabel(TITLES[row], fontsize=8)
    return figure


def _forecast(ax: Axes, own: pd.DataFrame) -> None:
    ours = style.colour("shipped")
    later = own.dropna(subset=["q50"])
    bands(ax, later["point"], later, ours, {("q05", "q95"): 0.18, ("q25", "q75"): 0.35})
    ax.plot(later["point"], later["q50"], color=ours, linewidth=1.2)
    ax.plot(own["point"], own["value"], ".", color=style.ink(), markersize=2)
    values = pd.concat([own["value"], later["q50"]])
    room = 0.3 * float(values.max() - values.min()) + 0.01
    ax.set_ylim(values.min() - room, values.max() + room)  # a much wider interval leaves the picture
    ax.tick_params(labelsize=7)


def tabulate(rows: Rows) -> Rows:
    """Scores by benchmark and by kind of curve."""
    tables = _scores_by_benchmark.tables(rows, TITLES) | {"kinds": _by_kind(of_ours(rows))}
    del tables["ranks"]  # those are for the curves of others
    return tables | _warned.tables(rows, TITLES)


def _by_kind(scored: pd.DataFrame) -> pd.DataFrame:
    wide, half = estimates(scored, "in90"), estimates(scored, "in50")
    return pd.DataFrame([
        {"kind": kind, "which": words, "curves": f"{own.groupby(['row', 'curve']).ngroups}",
         "coverage of the 90 % interval": f"{100 * wide[kind].value:.0f} %",
         "of the 50 % interval": f"{100 * half[kind].value:.0f} %",
         "error / last value’s": f"{own['ratio'].median():.2f}"}
        for kind, words in KINDS.items() if len(own := scored[scored["kind"] == kind])
    ])  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    scored = of_ours(rows)
    wide = estimates(scored, "in90")
    return [
        Claim("bands_hold", "On our own runs, is the coverage of the released model’s 90 % interval close to nominal?",
              wide.get("all"), Between(0.85, 0.95), "%"),
        Claim("risers_hold", "On those of our own runs that simply rise, is the coverage of the released model’s 90 % "
              "interval close to nominal?", wide.get("rises"), Between(0.85, 0.95), "%"),
        Claim("late_break", "On those of our own runs that start to learn late, is the coverage of the released model’s "
              "90 % interval high enough?", wide.get("late"), AtLeast(0.85), "%"),
    ]  # fmt: skip
