"""Does stopping hopeless runs save epochs?"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from curvecast.scores import pools_of_runs
from curvecast.scores.pools_of_runs import regrets, sooner, times
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, Below, Claim, Estimates, Interval, Rows, there, where
from presswork.estimates import by_mean, cells, of_each_end
from presswork.intervals import Over, named
from reproduce.printed.numbers import printed
from reproduce.protocols.stopping_rules import cell
from reproduce.trainings import SMALL, TINY

TABLES = {"rows": ("task", "method", "goal", "runs", "epochs", ...)}  # and the regret after so many epochs
GOALS = {"observed": "as observed", "true": "without the noise"}
PATIENT = [f"patience {k}" for k in pools_of_runs.PATIENCE]
METHODS = ["no stopping", "fine", "coarse", "last value", *PATIENT, "one epoch", "oracle"]
BEST = "best patience"
RIVALS = {
    "coarse": ("four_looks", "the rule checked four times"), BEST: ("patience", "the best patience"),
    "one epoch": ("one_epoch", "one-epoch screening"),
}  # fmt: skip
ENDS_BELOW = {  # when the whole budget is spent, or all runs are stopped
    "observed": ("observed_fine_ends_below_coarse", "the rule checked four times"),
    "true": ("true_ends_below_patience", "each patience"),
}
SHOWN = {"fine": "LC-PFN, every epoch", "coarse": "LC-PFN, four checks", "one epoch": "one-epoch screening"}


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

PARTS = "share{share}"


def measure(config: Config, share: int) -> Iterator[dict[str, object]]:
    """A row for each task, method and goal: runs begun, epochs spent, and the regret after so many epochs."""
    mine = range(share, config.tasks, config.shares)
    dice = [np.random.default_rng([config.seed, task]) for task in mine]
    pools = [pools_of_runs.draw(config.runs, config.orders, one) for one in dice]
    tables = pools_of_runs.tables(trained(config.models[config.best]).predict, pools, config.delta)
    for i, (task, pool) in enumerate(zip(mine, pools, strict=True)):
        budget = config.budget * pool.noisy.shape[1]
        spent = pools_of_runs.trainings(pool, {method: table[i] for method, table in tables.items()}, budget)
        for method in METHODS:
            about = {"task": task, "method": method}
            runs, epochs = spent[method], np.mean([len(one) for one in spent[method]])
            for goal, regret in pools_of_runs.regret(pool, runs, budget).items():
                pairs = zip(pools_of_runs.grid(budget), regret, strict=True)
                after = {str(epoch): round(float(lack), 4) for epoch, lack in pairs}
                begun = pools_of_runs.begun(runs, pool.noisy.shape[1])
                yield about | {"goal": goal, "runs": begun, "epochs": epochs} | after


def estimates(rows: pd.DataFrame, config: Config) -> Estimates:
    """{(goal, rule): how many times faster than never stopping; (goal, rule, rival): than a rival;
    ("speed", "epochs", rule): spent}, and how much more regret our rule ends with, by the name of the claim. One task has
    no interval."""
    tasks, found = rows["task"].nunique(), dict[Any, Interval | None]()
    over = named("task", tasks)
    for goal, mine in rows.groupby("goal") if tasks > 1 else ():
        took = times(mine, config.resamples)
        left = {rule: own.iloc[:, -1] for rule, own in regrets(mine).items()}
        most = max((int(column) for column in mine if column.isdigit()), default=0)  # all that may be spent
        when = {rule: sooner(took, rule) for rule in METHODS if rule in took}  # 0 says never
        found |= {(goal, rule): Interval.of_resamples(one, over) for rule, one in when.items()}
        if took:
            took[BEST] = np.minimum.reduce([took[method] for method in PATIENT])
        found |= {(goal, "fine", rival): faster(took, "fine", rival, most, over) for rival in RIVALS}
        found[f"{goal}_fine_ends_below_coarse"] = more_regret(left, "fine", "coarse")
        each = [more_regret(left, "fine", patience) for patience in PATIENT]
        found[f"{goal}_ends_below_patience"] = None if None in each else of_each_end(max, filter(None, each))
    spent = by_mean(where(rows, goal="observed"), "method", "epochs")
    return there(found) | {("speed", "epochs", method): one for method, one in spent.items()}


def more_regret(left: dict[str, pd.Series], method: str, rival: str) -> Interval | None:
    """How much more regret one rule ends with than another, on the same tasks: `left` when all is spent."""
    return Interval.of_many(left[method] - left[rival]) if {method, rival} <= set(left) else None


def faster(took: dict[str, np.ndarray], method: str, rival: str, most: int, over: Over) -> Interval | None:
    """How many times as fast as a rival; who never gets there counts as if it did with the last of the budget."""
    if not {rival, method} <= set(took):
        return None
    return Interval.of_resamples(np.minimum(took[rival], most) / np.minimum(took[method], most), over)


def tabulate(rows: pd.DataFrame, found: Estimates) -> Rows:
    runs = rows.groupby("method")["runs"].mean()
    spent = {method: found["speed", "epochs", method].value for method in METHODS}
    return {"speed": pd.DataFrame(
        {"rule": SHOWN.get(method, method)}
        | cells(found, method, {(goal, ...): title for goal, title in GOALS.items()}, cell)
        | {"epochs spent": f"{epochs:,.0f}", "runs begun": f"{runs[method]:.0f}"}
        | {"epochs per run": f"{epochs / runs[method]:.1f}"}
        for method, epochs in spent.items()
    )}  # fmt: skip


def claims() -> list[Claim]:
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    ours, stated = "our stopping rule, checked after every epoch,", []
    for goal, title in GOALS.items():
        by = f"(regret {title})?"
        asks = f"Does {ours} reach the smallest speed-up over never stopping that the paper prints {by}"
        stated.append(Claim(f"{goal}_speed_up", asks, (goal, "fine"), AtLeast(least), "×", least))
        for rival in RIVALS if goal == "observed" else (BEST,):
            name, called = RIVALS[rival]
            asks = f"Is {ours} faster than {called} {by}"
            stated.append(Claim(f"{goal}_beats_{name}", asks, (goal, "fine", rival), Above(1), "×"))
        name, called = ENDS_BELOW[goal]
        asks = f"Does {ours} end with less regret than {called} {by}"
        stated.append(Claim(name, asks, name, Below(0)))
    return stated
