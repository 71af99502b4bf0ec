"""How well can accuracy against the size of the training set be forecast?

Sizes grow by a factor, and a network that knows epochs can be told of them in three ways, with the number of the observation
among them, and the share of all rows, as the older blog had it.
Curves that others measured over sizes (LCDB 1.1) are a row of real_curves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.contract import Claim, claim
from reproduce._press.where import Rows
from reproduce.new_data import _beside, _factors
from reproduce.new_data.sample_sizes import shown
from reproduce.new_data.sample_sizes.ways import NETWORKS, answers
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, Trial, trial_of

FROM = SHARES[1]  # per cent seen, from which on the claims count


@dataclass(frozen=True)
class Config:
    curves: int = 80  # of a metric, at most
    metrics: tuple[str, ...] = ("accuracy", "loss")
    least: int = 20  # points


SCALES = {"smoke": Config(3), "laptop": Config(), "paper": Config()}

TABLES = {
    "curves": ("row", "curve", "run", "group", "learner", "points"),
    "rows": ("row", "curve", "seen", "method", *_beside.SCORES),
}


class ChosenRun(NamedTuple):
    run: str
    group: str  # the task: all its curves are over the same rows
    learner: str
    trial: Trial
    sizes: np.ndarray  # (n,) training rows, rising


def parts(config: Config) -> list[str]:
    return ["simple", *NETWORKS]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    asked = {metric: put(read["own_curves"], metric, config) for metric in config.metrics}
    rows = [
        _beside.scores([one.trial for one in puts], answers(part, [one.sizes for one in puts])).assign(
            row=metric
        )
        for metric, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([_about(row, puts) for row, puts in asked.items()], ignore_index=True)
    return tables


def put(rows: Rows, metric: str, config: Config) -> list[ChosenRun]:
    runs = [
        run
        for run in own_runs(rows, (metric,), config.least)
        if run.x == "rows" and len(run.values) <= POINTS
    ]
    tried = ((run, trial_of(run)) for run in runs[: config.curves])
    return [
        ChosenRun(run.name, run.task, str(run.settings["model"]), one, run.steps.astype(float))
        for run, one in tried if one is not None
    ]  # fmt: skip


def _about(row: str, puts: list[ChosenRun]) -> pd.DataFrame:
    return pd.DataFrame(
        [(row, i, one.run, one.group, one.learner, len(one.sizes)) for i, one in enumerate(puts)],
        columns=list(TABLES["curves"]),
    )


def draw(rows: Rows) -> dict[str, Figure]:
    found = shown.forecasts(rows)
    return {} if found.empty else {"sizes": shown.figure(found)}


def tabulate(rows: Rows) -> Rows:
    found = shown.forecasts(rows)
    return {} if found.empty else {metric: shown.table(own) for metric, own in found.groupby("row")}


def claims(rows: Rows) -> list[Claim]:
    found = shown.forecasts(rows)
    own = found[(found["row"] == "accuracy") & (found["seen"] >= FROM)] if len(found) else found
    ships = "shipped, number"
    return [
        claim("numbers_beat_sizes", "On accuracy from a fifth of the sizes on, the number of the observation instead of the "
              "size lowers the CRPS of the network that ships: {value:.2f} times as large.",
              _factors.factor(own, ships, "shipped, size"), "< 1"),
        claim("numbers_beat_shares", "Instead of the share of all rows, as the older blog had it, it lowers the CRPS: "
              "{value:.2f} times as large.", _factors.factor(own, ships, "shipped, share"), "< 1"),
        claim("beats_last", "Its CRPS is lower than that of the last value there: {value:.2f} times as large.",
              _factors.factor(own, ships, "last"), "< 1"),
        claim("beats_pow3", "Its CRPS is lower than that of pow3 by least squares, which gets the sizes: {value:.2f} times.",
              _factors.factor(own, ships, "pow3"), "< 1"),
        claim("beats_old", "Its CRPS is lower than that of the network of 0.1, whose prior is the paper’s: "
              "{value:.2f} times.", _factors.factor(own, ships, "old, number"), "< 1"),
        claim("bands_hold", "There its 90 % band holds {least:.0%} to {most:.0%} of what came: {value:.0%}.",
              _factors.mean(own, ships, "in90"), "between 0.85 and 0.95"),
    ]  # fmt: skip
