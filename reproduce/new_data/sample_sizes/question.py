"""How well can accuracy against the size of the training set be forecast?

Sizes grow by a factor. In place of an epoch a network can be given the number of the observation, the size, or the share of
all rows, as in the older blog.
Curves over sizes that others measured (LCDB 1.1) are a benchmark of real_curves.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, Between, Claim
from reproduce._press.where import Rows
from reproduce.new_data import _beside, _factors
from reproduce.new_data.sample_sizes import shown
from reproduce.new_data.sample_sizes.ways import NETWORKS, answers
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import POINTS, SHARES, Trial, trial_of

FROM = SHARES[1]  # per cent observed, from which on the claims count


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
    found = _factors.forecasts(rows)
    return {} if found.empty else {"sizes": shown.figure(found)}


def tabulate(rows: Rows) -> Rows:
    found = _factors.forecasts(rows)
    return {} if found.empty else {metric: shown.table(own) for metric, own in found.groupby("row")}


def claims(rows: Rows) -> list[Claim]:
    found = _factors.forecasts(rows)
    own = found[(found["row"] == "accuracy") & (found["seen"] >= FROM)] if len(found) else found
    ships = "shipped, number"
    return [
        Claim("numbers_beat_sizes", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "size as its input than with the number of the observation?",
              _factors.factor(own, "shipped, size", ships), Above(1), "×"),
        Claim("numbers_beat_shares", "On accuracy by training-set size, is the released model’s CRPS larger with the "
              "share of all rows as its input than with the number of the observation?",
              _factors.factor(own, "shipped, share", ships), Above(1), "×"),
        Claim("beats_last", "On accuracy by training-set size, is the released model’s CRPS lower than the last value’s?",
              _factors.factor(own, "last", ships), Above(1), "×"),
        Claim("beats_pow3", "On accuracy by training-set size, is the released model’s CRPS lower than that of a power "
              "law fitted by least squares?", _factors.factor(own, "pow3", ships), Above(1), "×"),
        Claim("beats_old", "On accuracy by training-set size, is the released model’s CRPS lower than that of the "
              "previous release?", _factors.factor(own, "old, number", ships), Above(1), "×"),
        Claim("bands_hold", "On accuracy by training-set size, is the coverage of the released model’s 90 % interval "
              "close to nominal?", _factors.mean(own, ships, "in90"), Between(0.85, 0.95), "%"),
    ]  # fmt: skip
