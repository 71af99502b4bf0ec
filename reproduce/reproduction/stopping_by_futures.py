"""Does the stopping rule gain if it asks whether any later epoch will beat the best, not only the likeliest one?

The paper's rule stops a run when no single later epoch is likely to beat the best. What one wants to know is whether any of
them will, which takes the joint distribution of all: futures that are sampled epoch by epoch, each value read before the next
is sampled. Pools, orders, checks and budget are those of the question `stopping`.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.scores import pools_of_runs, stopping
from curvecast.scores.best_of_futures import by_futures
from curvecast.scores.regret import times
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.where import where
from reproduce.protocols.times_sooner import budget, cell, ends, faster, gain, more_regret
from reproduce.reproduction import _regret_of_goals
from reproduce.reproduction._regret_of_goals import GOALS
from reproduce.trainings import SMALL, TINY

ON_REQUEST = "python -m reproduce run stopping_by_futures --scale laptop"
TABLES = {"rows": ("task", "method", "goal", "runs", "epochs", ...)}  # regret after so many epochs
RULES = {  # of the tables of `stopping`; the new one last
    "no stopping": "no stopping",
    "one epoch": "one-epoch screening",
    "fine": "LC-PFN, likeliest epoch",
    "futures": "LC-PFN, sampled futures",
}
STYLE = {"no stopping": "none", "one epoch": "one epoch", "fine": "ours", "futures": "shipped"}


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    tasks: int = 20  # the first ones of `stopping`
    shares: int = 4  # of the tasks: each is a part
    runs: int = 100
    budget: int = 20  # whole runs
    delta: float = 0.05
    futures: int = 40
    seed: int = 20231211
    resamples: int = 2000


SCALES = {
    "smoke": Config(TINY["1x16"], tasks=2, shares=2, runs=6, budget=3, futures=10, resamples=100),
    "laptop": Config(),
    "paper": Config(tasks=100, shares=20, runs=200, futures=100),
}


def parts(config: Config) -> list[str]:
    return [f"share{i}" for i in range(config.shares)]


def measure(config: Config, part: str) -> pd.DataFrame:
    """A row for each task, rule and goal, as in `stopping`."""
    share, rows = int(part.removeprefix("share")), []
    predict, generator = trained(config.train).predict, torch.Generator().manual_seed(share)
    grown = by_futures(predict, config.futures, generator)
    for task in range(share, config.tasks, config.shares):
        pool = pools_of_runs.draw(config.runs, 1, np.random.default_rng([config.seed, task]))
        tables = {
            rule: table[0] for rule, table in pools_of_runs.tables(predict, [pool], config.delta).items()
        }
        m = pool.noisy.shape[1]
        when = stopping.fine(m)
        floor = stopping.certain(pool.noisy, pool.orders, when[0])
        tables["futures"] = stopping.reaches(grown, pool.noisy, when, config.delta, floor)
        spent = pools_of_runs.trainings(pool, tables, config.budget * m)
        rows += [
            {"task": task, "method": rule} | counts | {"goal": goal} | at
            for rule in RULES
            for goal, counts, at in _regret_of_goals.rows(pool, spent[rule], config.budget * m)
        ]
    return pd.DataFrame(rows)


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharex=True)
    looks = {rule: (name, STYLE[rule], 1.8) for rule, name in RULES.items()}
    for axis, goal in zip(axes, GOALS, strict=True):
        _regret_of_goals.panel(axis, rows, goal, looks)
        axis.set_xlabel("epochs spent")
    axes[0].set_ylabel("regret (lower is better)")
    return {"regret": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    counts, lines = rows.groupby("method")[["runs", "epochs"]].mean(), []
    for rule, name in RULES.items():
        if rule == "no stopping":
            continue
        cells = {
            title: cell(gain(times(where(rows, goal=goal), config.resamples), rule))
            for goal, title in GOALS.items()
        }
        runs, epochs = counts.loc[rule]
        lines.append(
            {"rule": name} | cells | {"runs begun": f"{runs:.0f}", "epochs per run": f"{epochs / runs:.1f}"}
        )
    return {"speed": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated, most = [], budget(rows)
    for goal, title in GOALS.items():
        mine = where(rows, goal=goal)
        found, left = times(mine, config.resamples), ends(mine)
        ours, by = "the stopping rule with sampled futures", f"(regret {title})?"
        for rival, called in (
            ("one epoch", "one-epoch screening"),
            ("fine", "the rule with the likeliest epoch"),
        ):
            sooner, name = faster(found, "futures", rival, most), rival.replace(" ", "_")
            gap = more_regret(left, "futures", rival)
            faster_asks = f"Is {ours} faster than {called} {by}"
            lower_asks = f"Does {ours} end with less regret than {called} {by}"
            stated.append(Claim(f"{goal}_futures_beat_{name}", faster_asks, sooner, Above(1), "×"))
            stated.append(Claim(f"{goal}_futures_end_below_{name}", lower_asks, gap, Below(0)))
    return stated
