"""How good are forecasts, how long do they take, and how many numbers must be kept of a curve?

All rows of `architectures` as published, two more recurrent networks trained in the same way, and three forecasts in closed
form. What a row keeps of a curve follows from its design: `state_size` in curvecast/networks/backbones. The row that leads
at equal time is trained again with seeds that chose nothing, beside the same trainings of attention in `fresh_seeds`.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.backbones import _leads, _rows, _scores, _sweep, _trainings
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import FIRST_FRESH_SEED, LATER, LEADERS, PFN
from reproduce.backbones._trainings import SETTINGS
from reproduce.backbones.state_and_seconds import picture

COMPARED = "architectures"  # the part that takes over what was published
PUBLISHED, SPEEDS, MORE, FRESH = (
    "architectures/paper",
    "backbone_speeds/paper",
    "more_rows",
    "fresh_seeds/paper",
)
LEADER, AGAIN = "minGRU", "time, again"  # at equal time; the name of its budget with fresh seeds
SHORT, LONG = 70, 1_000  # points of a curve
SMALL = 256  # numbers
CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman, two layers",
            "does an LSTM score higher than Elman’s network with as many layers", True),
    Contest("loop_pays", "GRU", "minGRU", "does a GRU score higher than minGRU, whose gates do not read the state"),
    Contest("second_layer_pays", "Elman, two layers", "Elman",
            "does Elman’s network score higher with two layers than with one"),
)  # fmt: skip
STOPWATCHES = ("costs.step", "costs.forecast", "rows.curves")
TABLES = {
    "rows": ("backbone", "budget", "seed", "curves", "ll", "lost"),
    "costs": ("backbone", "state", "longer", "step", "forecast"),
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = LATER
    budgets: tuple[str, ...] = tuple(_rows.BUDGETS)
    seeds: int = 3
    again: int = 8  # fresh seeds of the leader
    parameters: int = _rows.PARAMETERS
    curves: int = 48_000  # at equal parameters
    core_seconds: float = 240.0  # at equal time
    scored: int = 2_000  # curves of the second test set
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config(seeds=1, again=2, parameters=2_000, curves=64, core_seconds=0, scored=4),
    "laptop": Config(("minGRU",), ("parameters",), 1, 0, curves=2_048, scored=500),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    closed = [name.replace(" ", "_") for name in _scores.CLOSED_FORMS]
    fresh = [f"{_rows.part(LEADER)}-{FIRST_FRESH_SEED + i}" for i in range(config.again)]
    return [COMPARED, *closed, *_rows.parts(config.rows, config.seeds), *fresh]


def reads(config: Config) -> list[str]:
    return [config.judged, PUBLISHED, SPEEDS, MORE, FRESH]


def measure(config: Config, part: str, read: dict[str, Any]) -> Rows:
    if part == COMPARED:
        again = where(read[FRESH], budget="time", backbone=PFN).assign(budget=AGAIN)
        return {
            "rows": _over_cutoffs(pd.concat([read[PUBLISHED], again])),
            "costs": _costs(read[SPEEDS], read[MORE]["times"]),
        }
    judged, name = where(read[config.judged]["rows"], method="exact"), part.replace("_", " ")
    if name in _scores.CLOSED_FORMS:
        found = _scores.scores(_scores.closed_form(name), judged, config.scored)
        return {"rows": _over_cutoffs(found.assign(backbone=name, budget="none", seed=0, curves=0))}
    name, seed = _rows.of_part(part)
    steps, found = _costs(read[SPEEDS], read[MORE]["times"]), []
    setting = SETTINGS[_sweep.best(read[MORE]["sweep"], name)]
    for budget in [AGAIN] if seed >= FIRST_FRESH_SEED else config.budgets:
        curves = (
            config.curves if budget == "parameters" else _scores.affordable(config.core_seconds, steps, name)
        )
        done = _trainings.train(
            _trainings.training(_rows.reader(name, config.parameters), setting, curves, seed)
        )
        scored = _scores.of_training(done, judged, config.scored)
        found.append(_over_cutoffs(scored.assign(backbone=name, budget=budget, seed=seed, curves=curves)))
    return {"rows": pd.concat(found)}


def _over_cutoffs(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each training; without the process of `architectures`, which is scored here as well."""
    mine = rows[rows["budget"].fillna("") != ""]
    return mine.groupby(["backbone", "budget", "seed", "curves"], as_index=False)[["ll", "lost"]].mean()


def _costs(speeds: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """Of the rows that came later, in seconds of the day on which the others were timed first: all were timed again."""
    lines = speeds.groupby("backbone")[["step", "forecast"]].median()
    again = times.groupby("name")[["step", "forecast"]].median()
    slower = (lines / again).median()  # over all rows that were timed on both days
    later = [name for name in (*LATER, *_scores.CLOSED_FORMS) if name in again.index]
    lines = pd.concat([lines, again.loc[later] * slower]).rename_axis("backbone")
    kept = pd.DataFrame(
        {"state": state_size(name, SHORT), "longer": state_size(name, LONG)} for name in lines.index
    )
    return pd.concat([lines.reset_index(), kept], axis=1)


def state_size(name: str, length: int) -> int:
    """Closed forms: the last value and its mean squared step, or all values."""
    if name in _scores.CLOSED_FORMS:
        return 2 if name == "last value" else length
    return _rows.reader(name).state_size(length)


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return {"costs": picture.costs(rows["costs"], _middle(rows, config), SHORT)}


def _middle(rows: Rows, config: Config) -> pd.Series:
    """Nats below the exact posterior, mean over seeds, the lowest last: at equal time, if anything was trained for that."""
    table = rows["rows"]
    mine = table[table["budget"].isin([config.budgets[-1], "none"])]
    return mine.groupby("backbone")["lost"].mean().sort_values(ascending=False)


def tabulate(rows: Rows, config: Config) -> dict[str, pd.DataFrame]:
    lost = rows["rows"].groupby(["backbone", "budget"])["lost"].mean()
    lines = []
    for _, one in rows["costs"].iterrows():
        name = one["backbone"]
        found = {words: lost.get((name, b), lost.get((name, "none"))) for b, words in _rows.BUDGETS.items()}
        scores = {f"at {words}": "" if value is None else f"{value:.3f}" for words, value in found.items()}
        kept = {f"kept of {SHORT} points": f"{one['state']:,}", f"of {LONG:,}": f"{one['longer']:,}"}
        lines.append(
            {"forecaster": name} | scores | {"forecast, ms": f"{1_000 * one['forecast']:.2g}"} | kept
        )
    return {"costs": pd.DataFrame(lines)}


def claims(rows: Rows) -> list[Claim]:
    table, costs = rows["rows"], rows["costs"]
    small, stated = costs.loc[costs["state"] <= SMALL, "backbone"], []
    for budget, words in _rows.BUDGETS.items():
        scores = _leads.by_seed(where(table, budget=budget), "backbone")
        for name, asks, found, least in (
            *((one.name, one.asks, _leads.lead(scores, one.ahead, one.of), 0) for one in CONTESTS),
            ("small_state_suffices", f"does the best network that keeps at most {SMALL} numbers of a curve come within "
             "0.03 nats per point of the best that keeps more", best_small(scores, small), -0.03),
            ("another_leads", "does the best of all other backbones score higher than the attention of the PFN",
             _leads.of_the_best(scores, PFN), 0),
        ):  # fmt: skip
            stated.append(
                Claim(
                    f"{name}_at_equal_{budget}", f"At {words}, {asks}?", found, Above(least), "nats per point"
                )
            )
    found = _leads.lead(_leads.by_seed(where(table, budget=AGAIN), "backbone"), LEADER, PFN, len(LEADERS) + 1)
    asks = f"With eight fresh seeds at {_rows.BUDGETS['time']}, does {LEADER} score higher than the attention of the PFN?"
    return [*stated, Claim("leader_again", asks, found, Above(0), "nats per point")]


def best_small(scores: pd.DataFrame, small: pd.Series) -> Interval | None:
    """Its lead over the best of all others, with an interval for a choice among all."""
    is_small, means = scores.index.isin(small), scores.mean(axis=1)
    if is_small.all() or not is_small.any():
        return None
    return _leads.lead(scores, means[is_small].idxmax(), means[~is_small].idxmax(), len(scores) - 1)
