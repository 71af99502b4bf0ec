"""What do your own finished runs buy, and what if only the runs that were not pruned have finished?"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TUNING
from curvecast.forecasting import shipped
from curvecast.forecasting.kept_promises import Draw
from reproduce._press.claim import Claim
from reproduce._press.where import Rows
from reproduce.practice.finished_bands import chosen, shown
from reproduce.practice.finished_bands.tasks import SOURCES, Task, tasks
from reproduce.practice.finished_bands.with_finished import Case, survivors, worths

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
TEST_ONLY = ("adabelief", "nanogpt", "pythia")
NONE = 0  # finished runs


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = tuple(SOURCES)
    tasks: int = 12  # of a source, at most
    runs: int = 60  # of a task, at most
    forecast: int = 12  # of them, the first ones
    tried: int = 6  # of them, for each candidate of the tuning set
    counts: tuple[int, ...] = (2, 5, 10, 20, 50)
    survivors: tuple[int, ...] = (5, 10)
    seen: tuple[int, ...] = (10, 20, 40, 80)  # per cent of a run that is observed
    seed: int = 0


SCALES = {
    "smoke": Config(tasks=1, runs=24, forecast=2, tried=2, counts=(2, 10), survivors=(5,), seen=(20, 80)),
    "laptop": Config(),
    "paper": Config(tasks=30, forecast=40),
}

TABLES = {
    "tasks": ("side", "source", "task", "licence", "runs"),
    "rows": ("source", "task", "seen", "finished", "who", "whom", "in90", "in50", "width", "ratio"),
    "draws": ("source", "task", "seen", "finished", "mean", "spread", "shape", "in90", "ratio"),
}


def parts(config: Config) -> list[str]:
    look = [f"look.{source}" for source in config.sources if source not in TEST_ONLY]
    return [*look, *(f"judge.{source}" for source in config.sources)]


def measure(config: Config, part: str) -> Rows:
    side, _, source = part.partition(".")
    own = list(tasks(source, side, config.tasks, config.runs, config.seed))
    about = pd.DataFrame(
        [(side, source, task.name, task.licence, len(task.runs)) for task in own],
        columns=list(TABLES["tasks"]),
    )
    frames = [
        (_look if side == TUNING else _judge)(config, source, task, seen)
        for task in own
        for seen in config.seen
    ]
    return {"tasks": about, "draws" if side == TUNING else "rows": pd.concat(frames, ignore_index=True)}


def _judge(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    """`who` had finished, any runs or survivors; `whom` was forecast, any run or one that would survive."""
    cases = [
        Case(NONE),
        *(Case(n) for n in config.counts),
        *(Case(n, survivors=True) for n in config.survivors),
    ]
    found, alive = _forecast(config, task, seen, cases, config.forecast), survivors(task.runs)
    groups = {"any run": found, "survivors": found[found["run"].isin(alive)]}
    lines = []
    for whom, some in groups.items():
        for case, own in some.groupby("case"):
            who = "survivors" if cases[case].survivors else "any run"
            lines.append((source, task.name, seen, cases[case].finished, who, whom, *_means(own, some)))
    return _rounded(pd.DataFrame(lines, columns=list(TABLES["rows"])))


def _look(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    """Mean and spread with few runs, where only they count; the shape with more, at one mean and spread."""
    few = [Case(n, Draw(*pair)) for n in chosen.FEW for pair in chosen.PAIRS]
    more = [Case(n, Draw(*chosen.BESIDE, shape)) for n in chosen.MANY for shape in chosen.SHAPES]
    cases = [Case(NONE), *few, *more]
    found = _forecast(config, task, seen, cases, config.tried)
    lines = []
    for case, own in found[found["case"] > 0].groupby("case"):
        draw = cases[case].draw
        in90, _, _, ratio = _means(own, found)
        lines.append(
            (source, task.name, seen, cases[case].finished, draw.mean, draw.spread, draw.shape, in90, ratio)
        )
    return _rounded(pd.DataFrame(lines, columns=list(TABLES["draws"])))


def _forecast(config: Config, task: Task, seen: int, cases: list[Case], most: int) -> pd.DataFrame:
    network, rng = shipped.load().network, np.random.default_rng([config.seed, seen])
    found = worths(network, task, seen / 100, cases, most, rng)
    return pd.DataFrame(
        [{"run": run, "case": cases.index(case)} | worth._asdict() for run, case, worth in found]
    )


def _means(own: pd.DataFrame, all_cases: pd.DataFrame) -> tuple[float, float, float, float]:
    """Coverage of both intervals; width and CRPS relative to the network without finished runs, on the same runs."""
    alone = all_cases[(all_cases["case"] == 0) & all_cases["run"].isin(own["run"])]
    width, crps = (own[score].mean() / max(alone[score].mean(), 1e-12) for score in ("width", "crps"))
    return own["in90"].mean(), own["in50"].mean(), width, crps


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    return table.round({"in90": 4, "in50": 4, "width": 4, "ratio": 4})


def draw(rows: Rows) -> dict[str, Figure]:
    return {"finished": shown.picture(rows["rows"])} if "rows" in rows else {}


def tabulate(rows: Rows) -> Rows:
    return shown.tables(rows)


def claims(rows: Rows) -> list[Claim]:
    return shown.claims(rows.get("rows"))
