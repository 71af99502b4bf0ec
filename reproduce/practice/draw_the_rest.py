"""Who draws the rest of a learning curve better: you, a network, or Bayes’ rule?"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.forecasting.api import forecast
from presswork import Rows, style
from presswork.estimates import where
from reproduce.pictures.panels import bands, legend, panels
from reproduce.practice._ship import settings_in_words
from reproduce.protocols.forecasters import exact_posterior
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import trial_of

TABLES = {
    "curves": ("curve", "run", "about"),
    "rows": ("curve", "epoch", "accuracy", "low", "median", "high", "exact"),  # observed: without forecasts
}
TOLERANCES = {
    "rows.exact": (0.05, "a step of a particle that rounding decides otherwise on another processor"),
}


@dataclass(frozen=True)
class Config:
    own: str = "own_curves/laptop"  # the question whose rows are the runs, as published
    # each of which has runs of its own; their names begin those of tasks
    data: tuple[str, ...] = ("digits", "cancer", "wine", "diabetes", "photo_china", "photo_flower")
    each: int = 2  # runs of a data set
    seen: int = 20  # per cent of a run
    moves: float = 0.02  # between the last two quarters of what is seen, at least
    # at a third of the effort: these runs are no curves of the prior, so that a hundredth of a nat does not matter
    how: PosteriorConfig = field(default_factory=lambda: PosteriorConfig(200_000, 8, 32, 5, 80, 10))
    seed: int = 0


SCALES = {
    "smoke": Config("own_curves", each=1, moves=0, how=PosteriorConfig(1000, 2, 8, 1, 4, 2)),
    "laptop": Config(),
    "paper": Config(),
}


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, read: dict[str, Rows]) -> Rows:
    runs = chosen(config, read[config.own])
    exact = exact_posterior(config.how, config.seed)
    frames = []
    for number, run in enumerate(runs):
        y, cutoff = run.values, observed(config, run)
        told = forecast(y[:cutoff], horizon=len(y), check=False)
        low, high = told.interval(0.9)
        trial = trial_of(run)
        assert trial is not None
        median = exact(torch.tensor(trial.seen[None, :cutoff]), len(y) - cutoff).quantile(0.5)[0]
        ahead = np.stack([low, told.median, high, trial.scale.back(median.numpy())], 1)  # (Q, 4)
        forecasts = np.concatenate([np.full((cutoff, 4), np.nan), ahead]).round(4)
        frame = pd.DataFrame(forecasts, columns=["low", "median", "high", "exact"])
        frame.insert(0, "accuracy", y)
        frame.insert(0, "epoch", run.steps)
        frame.insert(0, "curve", number)
        frames.append(frame)
    about = [(number, run.name, settings_in_words(run.task, run.settings)) for number, run in enumerate(runs)]
    return {"curves": pd.DataFrame(about, columns=list(TABLES["curves"])), "rows": pd.concat(frames)}


def chosen(config: Config, rows: Rows) -> list[OwnRun]:
    """A network of each data set, then another one of each, in the order in which they were trained: those that still move
    when the rest is hidden, and no two that differ in the seed alone. Nothing hidden is looked at, and no forecast."""
    networks = [run for run in own_runs(rows, ("accuracy",)) if run.learner == "networks"]
    of_data = []
    for data in config.data:
        moving: dict[str, OwnRun] = {}
        for run in networks:
            if run.task.startswith(data) and moves(config, run):
                moving.setdefault(run.group, run)
        of_data.append([*moving.values()][: config.each])
    return [run for one_of_each in zip(*of_data, strict=True) for run in one_of_each]


def moves(config: Config, run: OwnRun) -> bool:
    seen = run.values[: observed(config, run)]
    quarter = len(seen) // 4
    before, last = seen[-2 * quarter : -quarter].mean(), seen[-quarter:].mean()
    return bool(abs(last - before) >= config.moves)


def observed(config: Config, run: OwnRun) -> int:
    return round(len(run.values) * config.seen / 100)


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """The first run of each data set: what is seen, what happened, and the forecasts."""
    every = rows["rows"]
    numbers = sorted(set(every["curve"]))[:6]
    titles = [f"run {number + 1}" for number in numbers]
    figure, axes = panels(titles, (9, 4.6), 3, across="epoch", up="accuracy, %", sharex=True)
    for axis, number in zip(axes, numbers, strict=True):
        mine = where(every, curve=number)
        percent = mine.assign(
            **{name: 100 * mine[name] for name in ("accuracy", "low", "median", "high", "exact")}
        )
        seen, later = percent[percent["median"].isna()], percent[percent["median"].notna()]
        shipped, exact = style.colour("shipped"), style.colour("exact")
        bands(axis, later["epoch"], later, shipped, {("low", "high"): 0.18}, "90 % interval of Release")
        axis.plot(seen["epoch"], seen["accuracy"], color=style.colour("paper"), linewidth=2, label="observed")
        axis.plot(
            later["epoch"], later["accuracy"], ":", color=style.ink(), linewidth=1.2, label="what happened"
        )
        axis.plot(later["epoch"], later["median"], "--", color=shipped, label="Release")
        axis.plot(later["epoch"], later["exact"], "-.", color=exact, linewidth=1.2, label="exact posterior")
    legend(figure, axes)
    return {"runs": figure}
