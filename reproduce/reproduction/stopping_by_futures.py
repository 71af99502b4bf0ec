"""Does it help the rule to ask whether any later epoch will beat the best, and not the likeliest alone?

The paper's rule stops a run when no single later epoch is likely to beat the best. What one wants to know is whether any of
them will, which takes the joint law of all: futures that are drawn epoch by epoch, each read before the next is drawn. Pools,
orders, looks and budget are those of the question `stopping`.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.scores import metrics, pools_of_runs, stopping
from curvecast.scores.best_of_futures import by_futures
from curvecast.scores.regret import regrets, sooner, times
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.beside_lines import name_lines
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.trainings import SMALL, TINY

ON_REQUEST = "python -m reproduce run stopping_by_futures --scale laptop"
GOALS = {"observed": "as observed", "true": "without the noise"}
RULES = {  # of the tables of `stopping`; the new one last
    "no stopping": "no stopping",
    "one epoch": "one epoch",
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


def models(config: Config) -> list[TrainConfig]:
    return [config.train]


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
        rows += [row for rule in RULES for row in _row(task, rule, pool, spent[rule], config.budget * m)]
    return pd.DataFrame(rows)


def _row(
    task: int, rule: str, pool: pools_of_runs.Pool, spent: list[Tensor], budget: int
) -> list[dict[str, object]]:
    grid, m = pools_of_runs.grid(budget), pool.noisy.shape[1]
    about: dict[str, object] = {"task": task, "method": rule, "runs": pools_of_runs.begun(spent, m)}
    about["epochs"] = float(np.mean([len(one) for one in spent]))
    return [
        about | {"goal": goal} | {str(e): round(float(r), 4) for e, r in zip(grid, regret, strict=True)}
        for goal, regret in pools_of_runs.regret(pool, spent, budget).items()
    ]


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharex=True)
    for axis, (goal, title) in zip(axes, GOALS.items(), strict=True):
        ends = {}
        for rule, mine in regrets(where(rows, goal=goal)).items():
            mean, epochs = mine.mean(), [int(c) for c in mine.columns]
            axis.plot(epochs, mean, **style.line(STYLE[rule]))
            ends[RULES[rule]] = (mean.iloc[-1], style.colour(STYLE[rule]))
        axis.set(
            xscale="log", xlabel="epochs spent", ylim=(0, None), xlim=(3, epochs[-1]), title=f"regret {title}"
        )
        name_lines(axis, ends)
    axes[0].set_ylabel("regret")
    return {"regret": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    counts, found = rows.groupby("method")[["runs", "epochs"]].mean(), []
    for rule, name in RULES.items():
        if rule == "no stopping":
            continue
        cells = {}
        for goal, title in GOALS.items():
            value, low, high = (
                f"{x:.1f}" if x else "never"
                for x in Interval.of_resamples(sooner(times(where(rows, goal=goal), config.resamples), rule))
            )
            cells[title] = f"{value} ({low} to {high})"
        runs, epochs = counts.loc[rule]
        found.append(
            {"rule": name} | cells | {"runs begun": f"{runs:.0f}", "epochs a run": f"{epochs / runs:.1f}"}
        )
    return {"speed": pd.DataFrame(found)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated, budget = [], max(int(c) for c in rows.columns if c.isdigit())
    for goal, title in GOALS.items():
        found = times(where(rows, goal=goal), config.resamples)
        ends = {m: torch.tensor(r.iloc[:, -1].to_numpy()) for m, r in regrets(where(rows, goal=goal)).items()}
        for rival, called in (
            ("one epoch", "one epoch for each run"),
            ("fine", "asking for the likeliest epoch alone"),
        ):
            sooner = (
                f"Regret {title}: looking after every epoch and asking sampled futures is faster than {called}: "
                "{value:.2f} times as fast."
            )
            name = rival.replace(" ", "_")
            ratio = Interval.of_resamples(
                np.minimum(found[rival], budget) / np.minimum(found["futures"], budget)
            )
            stated.append(claim(f"{goal}_futures_beat_{name}", sooner, ratio, "> 1"))
            lower = f"Regret {title}: at the end sampled futures have less than {called}: a difference of {{value:+.3f}}."
            gap = Interval.with_error(*metrics.paired(ends["futures"], ends[rival]))
            stated.append(claim(f"{goal}_futures_end_below_{name}", lower, gap, "< 0"))
    return stated
