"""How good are forecasts, how long do they take, and how many numbers must be kept of a curve?

All rows of `architectures` as published, two more recurrent networks trained in the same way, and three forecasts in closed
form. What a row keeps of a curve follows from its design: `state_size` in curvecast/networks/backbones. The rows that lead at
either budget were chosen with the seeds that compared them, so they are trained again with eight seeds that chose nothing,
beside the attention of the PFN.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from presswork import Above, Claim, Estimates, Interval, Rows, file_name, style, there, where
from reproduce.backbones import _leads, _rows, _trainings
from reproduce.backbones._leads import Contest
from reproduce.backbones._rows import BUDGETS, FIRST_FRESH_SEED, LATER, LEADERS, PFN
from reproduce.backbones._trainings import CLOSED_FORMS
from reproduce.pictures.panels import legend, logarithmic, panels

COMPARED = "architectures"  # the part that takes over what was published
PUBLISHED, SPEEDS, SWEEP = "architectures/paper", "backbone_speeds/paper", "backbone_rates/paper"
LEADER, AGAIN = "minGRU", "time, again"  # at equal time; the name of its budget with fresh seeds
SHORT, LONG = 70, 1_000  # points of a curve
TOP = 0.5  # what loses more is drawn at the edge, with its number beside its name
CONTESTS = (
    Contest("gates_pay", "LSTM", "Elman, two layers",
            "does an LSTM score higher than Elman’s network with as many layers", True),
    Contest("loop_pays", "GRU", "minGRU", "does a GRU score higher than minGRU, whose gates do not read the state"),
)  # fmt: skip
TIMED = True
STOPWATCHES = ("costs.step", "costs.forecast", "fresh.seconds")
TABLES = {
    "rows": ("backbone", "budget", "seed", "curves", "ll", "lost"),
    "fresh": ("backbone", "budget", "seed", "curves", "seconds", "cutoff", "ll", "lost"),
    "costs": ("backbone", "state", "longer", "step", "forecast"),
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = LATER
    budgets: tuple[str, ...] = tuple(BUDGETS)
    seeds: int = 3
    again: int = 8  # fresh seeds of the leaders
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


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Fresh seeds lie side by side, so that a run which is cut short has whole pairs."""
    fresh = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + config.again)
    each = [("", "rows", config.budgets, row, seed) for seed in range(config.seeds) for row in config.rows]
    each += [("", "rows", (AGAIN,), LEADER, seed) for seed in fresh]
    each += [(f"{budget}-", "fresh", (budget,), row, seed)
             for seed in fresh for budget in LEADERS for row in (LEADERS[budget], PFN)]  # fmt: skip
    return {COMPARED: {}} | {file_name(row): {"row": row} for row in CLOSED_FORMS} | {
        f"{begin}{file_name(row)}-{seed}": {"table": table, "budgets": budgets, "row": row, "seed": seed}
        for begin, table, budgets, row, seed in each
    }  # fmt: skip


def reads(config: Config) -> list[str]:
    return [config.judged, PUBLISHED, SPEEDS, SWEEP]


def measure(config: Config, row: str, seed: int, budgets: tuple[str, ...], table: str, read: Any) -> Rows:
    if not row:
        return {"rows": over_cutoffs(read[PUBLISHED]), "costs": costs(read[SPEEDS]["rows"])}
    judged = where(read[config.judged]["rows"], method="exact")
    if row in CLOSED_FORMS:
        frame = _trainings.scores(partial(_trainings.closed_form, row), judged, config.scored)
        return {"rows": over_cutoffs(frame.assign(backbone=row, budget="none", seed=0, curves=0))}
    setting = _trainings.best(read[SWEEP], row)
    frame = pd.concat(_trainings.at_budget(one, config, row, seed, setting, judged) for one in budgets)
    return {table: over_cutoffs(frame) if table == "rows" else frame.drop(columns=["setting", "width"])}


def over_cutoffs(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each training."""
    return rows.groupby(["backbone", "budget", "seed", "curves"], as_index=False)[["ll", "lost"]].mean()


def costs(speeds: pd.DataFrame) -> pd.DataFrame:
    lines = speeds.groupby("backbone", as_index=False)[["step", "forecast"]].median()
    kept = {title: [state_size(name, length) for name in lines["backbone"]]
            for title, length in (("state", SHORT), ("longer", LONG))}  # fmt: skip
    return lines.assign(**kept)


def state_size(name: str, length: int) -> int:
    """Closed forms: the last value and its mean squared step, or all values."""
    if name in CLOSED_FORMS:
        return 2 if name == "last value" else length
    return _rows.reader(name).state_size(length)


def estimates(rows: Rows) -> Estimates:
    """{("costs", "kept", backbone, points): numbers kept of so many}, and by claim: nats per point, between trainings with
    the same seeds."""
    at_time, fresh = _leads.at_equal("time", rows["rows"]), rows["fresh"]
    beside = over_cutoffs(where(fresh, budget="time", backbone=PFN)).assign(budget=AGAIN)
    again = _leads.at_equal(AGAIN, pd.concat([rows["rows"], beside]))
    found = {f"{one.name}_at_equal_time": _leads.lead(at_time, one.ahead, one.of) for one in CONTESTS}
    found["another_leads_at_equal_time"] = _leads.of_the_best(at_time, PFN)
    found["leader_again"] = _leads.lead(again, LEADER, PFN, len(LEADERS) + 1)
    for budget, leader in LEADERS.items():
        table = _leads.at_equal(budget, fresh)
        found[f"leader_again_at_equal_{budget}"] = _leads.lead(table, leader, PFN, among=len(LEADERS))
    kept = rows["costs"][["backbone", "state"]].itertuples(index=False)
    return there(found | {("costs", "kept", name, SHORT): Interval.exactly(n) for name, n in kept})


def lost(rows: pd.DataFrame, budget: str) -> pd.Series:
    """Nats below the exact posterior, mean over seeds, the lowest last; closed forms, which have no budget, among them."""
    mine = rows[rows["budget"].isin([budget, "none"])]
    return mine.groupby("backbone")["lost"].mean().sort_values(ascending=False)


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


def tabulate(rows: Rows) -> Rows:
    below = {f"at {words}": lost(rows["rows"], budget) for budget, words in BUDGETS.items()}
    lines = [
        {"forecaster": one["backbone"]}
        | {title: f"{nats[one['backbone']]:.3f}" if one["backbone"] in nats else "" for title, nats in below.items()}
        | {"forecast, ms": f"{1_000 * one['forecast']:.2g}", f"kept of {SHORT} points": f"{one['state']:,}",
           f"of {LONG:,}": f"{one['longer']:,}"}
        for _, one in rows["costs"].iterrows()
    ]  # fmt: skip
    return {"costs": pd.DataFrame(lines)}


def claims() -> list[Claim]:
    budget, attention = BUDGETS["time"], "score higher than the attention of the PFN"
    asked = {f"{one.name}_at_equal_time": f"At {budget}, {one.asks}" for one in CONTESTS} | {
        "another_leads_at_equal_time": f"At {budget}, does the best of all other backbones {attention}",
        "leader_again": f"With eight fresh seeds at {budget}, does {LEADER} {attention}",
    } | {
        f"leader_again_at_equal_{name}": f"With eight fresh seeds at {BUDGETS[name]}, does {words} {attention}"
        for name, words in (("parameters", "the recurrent encoder–decoder"), ("time", "the pooled convolution"))
    }  # fmt: skip
    nats = "nats per point"
    return [Claim(name, f"{asks}?", name, Above(0), nats) for name, asks in asked.items()]
