"""Does stopping hopeless runs save epochs?"""

from dataclasses import dataclass, field, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.scores import pools_of_runs, stopping
from curvecast.scores.regret import times
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Claim
from reproduce._press.estimates import by_mean
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.pictures.speed_ups import speed_ups
from reproduce.printed.numbers import printed
from reproduce.protocols.times_sooner import budget, cell, ends, gain, more_regret
from reproduce.reproduction import _regret_of_goals
from reproduce.reproduction._regret_of_goals import GOALS
from reproduce.trainings import SMALL, TINY

# of the rows the regret after so many epochs
TABLES = {"rows": ("task", "method", "goal", "runs", "epochs", ...), "looks": ("task", "after", "missed")}
PATIENT = [f"patience {k}" for k in pools_of_runs.PATIENCE]
METHODS = ["no stopping", "fine", "coarse", "last value", *PATIENT, "one epoch", "oracle"]
STYLE = {"no stopping": "none", "fine": "ours", "coarse": "coarse", "last value": "last"}
STYLE |= {"one epoch": "one epoch", "oracle": "oracle"} | dict.fromkeys(PATIENT, "patience")
SHOWN = {"fine": "LC-PFN, every epoch", "coarse": "LC-PFN, four checks", "one epoch": "one-epoch screening"}
CALLED = {
    "fine": "our stopping rule, checked after every epoch,",
    "coarse": "the rule checked four times",
    "best patience": "the best patience",
    "one epoch": "one-epoch screening",
    "last value": "the same rule with the last value as its forecast",
}
DRAWN = [m for m in METHODS if m not in ("patience 0", "patience 10", "patience 50")]  # which lie between
AFTER = (2, 3, 5, 10)  # epochs, at which most runs are stopped


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: {"3x128": SMALL["3x128"]})
    best: str = "3x128"
    tasks: int = 40
    shares: int = 2  # of the tasks: each is a part
    runs: int = 100  # of a task
    orders: int = 1  # in which the runs of a task come
    budget: int = 20  # whole runs
    delta: float = 0.05
    seed: int = 20231211
    resamples: int = 2000  # of the bootstrap over tasks


SCALES = {
    "smoke": Config(TINY, "1x16", tasks=4, shares=2, runs=12, budget=4, resamples=200),
    "laptop": Config(),
    "paper": Config(tasks=200, shares=8, runs=200, orders=10),  # a quarter of an hour on a processor
}


def parts(config: Config) -> list[str]:
    return [f"share{i}" for i in range(config.shares)]


def measure(config: Config, part: str) -> Rows:
    """A row for each task, method and goal: runs begun, epochs spent, and the regret after so many epochs."""
    predict = trained(config.models[config.best]).predict
    mine = range(int(part.removeprefix("share")), config.tasks, config.shares)
    pools = [
        pools_of_runs.draw(config.runs, config.orders, np.random.default_rng([config.seed, t])) for t in mine
    ]
    tables = pools_of_runs.tables(predict, pools, config.delta)
    rows, looks = [], []
    for i, (task, pool) in enumerate(zip(mine, pools, strict=True)):
        budget = config.budget * pool.noisy.shape[1]
        spent = pools_of_runs.trainings(pool, {method: table[i] for method, table in tables.items()}, budget)
        for method in METHODS:
            rows += [
                {"task": task, "method": method, "goal": goal} | counts | at
                for goal, counts, at in _regret_of_goals.rows(pool, spent[method], budget)
            ]
        looks += [
            {"task": task, "after": T, "missed": missed(predict, pool.noisy[:2], T, config.delta)}
            for T in AFTER
        ]
    return {"rows": pd.DataFrame(rows), "looks": pd.DataFrame(looks)}


def missed(predict: stopping.Predict, y: torch.Tensor, T: int, delta: float) -> float:
    """How much higher the value that a run may still reach is after T epochs if all later epochs are asked about."""
    every = 20 * y.shape[1]  # so many on a logarithmic scale leave none out
    few, all_ = (stopping.reaches(predict, y, [T], delta, looks=n)[:, T - 1] for n in (stopping.LOOKS, every))
    return float((all_ - few).mean())


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return {"regret": draw_regret(rows["rows"]), "speed": draw_speed(rows["rows"], config)}


def draw_regret(rows: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(2, 1, figsize=(7.4, 7.6), sharex=True)
    looks = {m: (SHOWN.get(m, m), STYLE[m], 1.1 if m in PATIENT else 1.8) for m in DRAWN}
    for axis, goal in zip(axes, GOALS, strict=True):
        _regret_of_goals.panel(axis, rows, goal, looks)
        axis.set_ylabel("regret (lower is better)")
    axes[-1].set_xlabel("epochs spent")
    return figure


def draw_speed(rows: pd.DataFrame, config: Config) -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(7.8, 4.2), sharey=True)
    methods = METHODS[:0:-1]
    for axis, (goal, title) in zip(axes, GOALS.items(), strict=True):
        spent = times(where(rows, goal=goal), config.resamples)
        speed_ups(axis, [(gain(spent, method), STYLE[method]) for method in methods], 0.4, None)
        axis.set(title=f"regret {title}", xlabel="× faster than no stopping")
    axes[0].set_yticks(range(len(methods)), [SHOWN.get(m, m) for m in methods])
    return figure


def tabulate(rows: Rows, config: Config) -> Rows:
    of_goal = {goal: where(rows["rows"], goal=goal) for goal in GOALS}
    by_goal = {goal: times(mine, config.resamples) for goal, mine in of_goal.items()}
    left = {goal: ends(mine) for goal, mine in of_goal.items()}
    counts = rows["rows"].groupby("method")[["runs", "epochs"]].mean()
    speed, final = [], []
    for method in METHODS:
        runs, epochs = counts.loc[method]
        row = {"rule": SHOWN.get(method, method)}
        faster = {title: cell(gain(by_goal[goal], method)) for goal, title in GOALS.items()}
        speed.append(row | faster | {"runs begun": f"{runs:.0f}", "epochs per run": f"{epochs / runs:.1f}"})
        lost = {title: in_cell(Interval.of_many(left[goal][method]), ".3f") for goal, title in GOALS.items()}
        final.append(row | lost | {"epochs spent": f"{epochs:,.0f}"})
    return {"speed": pd.DataFrame(speed), "final": pd.DataFrame(final)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    stated = []
    for goal, title in GOALS.items():
        mine = where(rows["rows"], goal=goal)
        stated += [*faster(mine, goal, title, config.resamples), *less_regret(mine, goal, title)]
    missed = by_mean(rows["looks"], "after", "missed", Interval.of_many).values()
    asks = (
        "Does our stopping rule find nearly the same reachable value, the highest that some later epoch likely enough "
        "exceeds, if it asks about a few later epochs instead of all?"
    )
    most = max(missed, key=lambda one: one.high, default=None)
    stated.append(Claim("few_looks_suffice", asks, most, AtMost(0.001)))
    alone = rows["rows"]["task"].nunique() < 2  # one task has no interval
    return [replace(one, found=None) for one in stated] if alone else stated


def faster(rows: pd.DataFrame, goal: str, title: str, resamples: int) -> list[Claim]:
    """The rule that is checked after every epoch, against no stopping and the other rules."""
    found, most, ours, by = times(rows, resamples), budget(rows), CALLED["fine"], f"(regret {title})?"
    if found:
        found["best patience"] = np.minimum.reduce([found[m] for m in PATIENT])
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    asks = f"Does {ours} reach the smallest speed-up over never stopping that the paper prints {by}"
    stated = [Claim(f"{goal}_speed_up", asks, gain(found, "fine"), AtLeast(least), "×", least)]
    for rival, name in (
        ("coarse", "four_looks"), ("best patience", "patience"), ("one epoch", "one_epoch"), ("last value", "last_value"),
    ):  # fmt: skip
        # a rival that never gets there counts as if it did with the last epoch
        ratio = Interval.of_resamples(np.minimum(found[rival], most) / found["fine"]) if found else None
        asks = f"Is {ours} faster than {CALLED[rival]} {by}"
        stated.append(Claim(f"{goal}_beats_{name}", asks, ratio, Above(1), "×"))
    return stated


def less_regret(rows: pd.DataFrame, goal: str, title: str) -> list[Claim]:
    """When the whole budget is spent, or all runs are stopped: which rule has less regret on the same tasks?"""
    asks = f"Does {CALLED['fine']} end with no more regret than never stopping (regret {title})?"
    left = ends(rows)
    stated = [Claim(f"{goal}_no_harm", asks, more_regret(left, "fine", "no stopping"), AtMost(0))]
    for name, one, other in (
        ("fine_ends_below_coarse", "fine", "coarse"), ("coarse_ends_below_one_epoch", "coarse", "one epoch"),
        ("fine_ends_below_one_epoch", "fine", "one epoch"),
    ):  # fmt: skip
        asks = f"Does {CALLED[one]} end with less regret than {CALLED[other]} (regret {title})?"
        stated.append(Claim(f"{goal}_{name}", asks, more_regret(left, one, other), Below(0)))
    return stated
