"""How good are forecasts, how long do they take, and how many numbers must be kept of a curve?

All rows of `architectures` as published, two more recurrent networks trained in the same way, and three forecasts in closed
form. What a row keeps of a curve follows from its design: `state_size` in curvecast/networks/backbones. The row that leads
at equal time is trained again with seeds that chose nothing, beside the same trainings of attention in `fresh_seeds`.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.backbones import _leads, _rows, _scores, _sweep
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import FIRST_FRESH_SEED, LATER, LEADERS, PFN
from reproduce.backbones._scores import CLOSED_FORMS
from reproduce.pictures.panels import legend, logarithmic, panels

COMPARED = "architectures"  # the part that takes over what was published
PUBLISHED, SPEEDS, MORE = "architectures/paper", "backbone_speeds/paper", "more_rows"
FRESH = "fresh_seeds/paper"
LEADER, AGAIN = "minGRU", "time, again"  # at equal time; the name of its budget with fresh seeds
SHORT, LONG = 70, 1_000  # points of a curve
SMALL = 256  # numbers
TOP = 0.5  # what loses more is drawn at the edge, with its number beside its name
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
    closed = [name.replace(" ", "_") for name in CLOSED_FORMS]
    fresh = [f"{_rows.part(LEADER)}-{FIRST_FRESH_SEED + i}" for i in range(config.again)]
    return [COMPARED, *closed, *_rows.parts(config.rows, config.seeds), *fresh]


def reads(config: Config) -> list[str]:
    return [config.judged, PUBLISHED, SPEEDS, MORE, FRESH]


def measure(config: Config, part: str, read: dict[str, Any]) -> Rows:
    if part == COMPARED:
        again = where(read[FRESH], budget="time", backbone=PFN).assign(budget=AGAIN)
        every = pd.concat([read[PUBLISHED], again])
        return {"rows": over_cutoffs(every), "costs": costs(read[SPEEDS], read[MORE]["times"])}
    judged, name = where(read[config.judged]["rows"], method="exact"), part.replace("_", " ")
    if name in CLOSED_FORMS:
        frame = _scores.scores(_scores.closed_form(name), judged, config.scored)
        return {"rows": over_cutoffs(frame.assign(backbone=name, budget="none", seed=0, curves=0))}
    name, seed = _rows.of_part(part)
    steps, setting = costs(read[SPEEDS], read[MORE]["times"]), _sweep.best(read[MORE]["sweep"], name)
    budgets = [AGAIN] if seed >= FIRST_FRESH_SEED else config.budgets
    frames = (_scores.at_budget(budget, config, name, seed, setting, steps, judged) for budget in budgets)
    return {"rows": pd.concat(map(over_cutoffs, frames))}


def over_cutoffs(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each training; without the process of `architectures`, which is scored here as well."""
    mine = rows[rows["budget"].fillna("") != ""]
    return mine.groupby(["backbone", "budget", "seed", "curves"], as_index=False)[["ll", "lost"]].mean()


def costs(speeds: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """Of the rows that came later, in seconds of the day on which the others were timed first: all were timed again."""
    lines = speeds.groupby("backbone")[["step", "forecast"]].median()
    again = times.groupby("name")[["step", "forecast"]].median()
    slower = (lines / again).median()  # over all rows that were timed on both days
    later = [name for name in (*LATER, *CLOSED_FORMS) if name in again.index]
    lines = pd.concat([lines, again.loc[later] * slower]).rename_axis("backbone")
    kept = pd.DataFrame(
        {"state": state_size(name, SHORT), "longer": state_size(name, LONG)} for name in lines.index
    )
    return pd.concat([lines.reset_index(), kept], axis=1)


def state_size(name: str, length: int) -> int:
    """Closed forms: the last value and its mean squared step, or all values."""
    if name in CLOSED_FORMS:
        return 2 if name == "last value" else length
    return _rows.reader(name).state_size(length)


# -------------------------------------------------------------------------------------------- estimates


def lost(rows: pd.DataFrame, budget: str) -> pd.Series:
    """Nats below the exact posterior, mean over seeds, the lowest last; closed forms, which have no budget, among them."""
    mine = rows[rows["budget"].isin([budget, "none"])]
    return mine.groupby("backbone")["lost"].mean().sort_values(ascending=False)


def best_small(scores: pd.DataFrame, costs: pd.DataFrame) -> Interval | None:
    """Of those that keep few numbers: the lead of the best over the best of all others, for a choice among all."""
    is_small = scores.index.isin(costs.loc[costs["state"] <= SMALL, "backbone"])
    means = scores.mean(axis=1)
    if is_small.all() or not is_small.any():
        return None
    return _leads.lead(scores, means[is_small].idxmax(), means[~is_small].idxmax(), len(scores) - 1)


# ------------------------------------------------------------------------------------------------ shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """A dot in each panel for every row; the grey line is as many numbers as the points themselves have."""
    cost = rows["costs"].set_index("backbone")
    losses = lost(rows["rows"], config.budgets[-1])  # at equal time, if anything was trained for that
    losses = losses[losses.index.isin(cost.index)]
    titles = ["time of a forecast", f"numbers kept of {SHORT} points"]
    figure, (left, right) = panels(titles, (9.4, 8.0), sharey=True)
    for name, y in losses.items():
        closed, marker = name in CLOSED_FORMS, "D" if name == PFN else "^" if y > TOP else "o"
        label = "closed form" if closed else _rows.kind(str(name))
        for axis, x in ((left, 1_000 * cost["forecast"][name]), (right, cost["state"][name])):
            axis.plot(x, min(y, TOP), marker, linestyle="", color=colour(name), label=label, markersize=5)
    for axis, unit in ((left, "milliseconds of one core"), (right, "numbers")):
        axis.set(xscale="log", xlabel=f"{unit} (left is better)")
        axis.xaxis.set_major_formatter("{x:,g}")
    logarithmic(left, "y")
    left.set_ylabel("nats per point below the exact posterior (lower is better)")
    right.axvline(2 * SHORT, color=style.faint(), linewidth=1, zorder=0)
    write_names(right, losses)
    left.set_ylim(top=1.1 * TOP)
    legend(figure, [left])
    return {"costs": figure}


def write_names(axis: Axes, lost: pd.Series) -> None:
    """In a column beside the panel, evenly spread, with a line from each name to the height of its dot."""
    line = {"arrowstyle": "-", "color": style.faint(), "linewidth": 0.6, "relpos": (0, 0.5)}
    line |= {"shrinkA": 0, "shrinkB": 0}
    for place, (name, y) in enumerate(lost.items()):
        words = f"{name} ({y:.2f})" if y > TOP else str(name)
        axis.annotate(
            words, (1, min(y, TOP)), (1.12, 1 - (place + 0.5) / len(lost)), axis.get_yaxis_transform(), "axes fraction",
            arrowprops=line, fontsize=8, va="center", color=colour(name), annotation_clip=False,
        )  # fmt: skip


def colour(name: object) -> str:
    return style.ink() if name in CLOSED_FORMS else _rows.colour(str(name))


def tabulate(rows: Rows, config: Config) -> Rows:
    below = {f"at {words}": lost(rows["rows"], budget) for budget, words in _rows.BUDGETS.items()}
    lines = [
        {"forecaster": one["backbone"]}
        | {title: f"{nats[one['backbone']]:.3f}" if one["backbone"] in nats else "" for title, nats in below.items()}
        | {"forecast, ms": f"{1_000 * one['forecast']:.2g}", f"kept of {SHORT} points": f"{one['state']:,}",
           f"of {LONG:,}": f"{one['longer']:,}"}
        for _, one in rows["costs"].iterrows()
    ]  # fmt: skip
    return {"costs": pd.DataFrame(lines)}


def claims(rows: Rows) -> list[Claim]:
    stated, nats = [], "nats per point"
    for budget, words in _rows.BUDGETS.items():
        scores = _leads.at_equal(budget, rows["rows"])
        for name, asks, found, least in (
            *((one.name, one.asks, _leads.lead(scores, one.ahead, one.of), 0) for one in CONTESTS),
            ("small_state_suffices", f"does the best network that keeps at most {SMALL} numbers of a curve come within "
             "0.03 nats per point of the best that keeps more", best_small(scores, rows["costs"]), -0.03),
            ("another_leads", "does the best of all other backbones score higher than the attention of the PFN",
             _leads.of_the_best(scores, PFN), 0),
        ):  # fmt: skip
            stated.append(
                Claim(f"{name}_at_equal_{budget}", f"At {words}, {asks}?", found, Above(least), nats)
            )
    found = _leads.lead(_leads.at_equal(AGAIN, rows["rows"]), LEADER, PFN, len(LEADERS) + 1)
    asks = f"With eight fresh seeds at {_rows.BUDGETS['time']}, does {LEADER} score higher than the attention of the PFN?"
    return [*stated, Claim("leader_again", asks, found, Above(0), nats)]
