"""Is the stopping rule faster with calibrated intervals, or with sampled futures?

Ten runs of each task have finished before the search, which goes through the others. Rule and settings are those of the
question stopping_for_real; only the forecasts differ.

Shapes: n finished runs, m epochs of a whole run, B runs at once, T epochs seen, Q later epochs.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves.tuning_and_test import TEST
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.finished_runs import Finished, at_distances, fell
from curvecast.forecasting.kept_promises import Fell, Levels, levels, outline
from curvecast.forecasting.torch_network import TorchDensity, TorchNetwork
from curvecast.scores import pools_of_runs, stopping
from curvecast.scores.best_of_futures import by_futures
from curvecast.scores.regret import NONE
from curvecast.scores.stopping import Density, Predict
from curvecast.training.train import Forecaster
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.where import Rows
from reproduce.practice import _chosen as chosen
from reproduce.protocols import stopping_rules as rules
from reproduce.protocols.lazy_forecasts import LazyForecasts
from reproduce.protocols.pools_of_real_runs import Task, pools
from reproduce.protocols.times_sooner import gain

ON_REQUEST = "python -m reproduce run stopping_variants --scale laptop"
VARIANTS = {  # of the released model
    "alone": "released model",
    "calibrated": "calibrated on ten finished runs",
    "futures": "sampled futures",
}


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = ("taskset", "own", "algoperf", "deepobs")
    own: str = "own_curves/paper"  # the longer run of our factory, as published
    tasks: int = 6  # of a source, at most
    runs: int = 50  # of a task, at most, with those that have finished
    finished: int = 10  # of them
    points: int = 50  # of a run, at most
    orders: int = 3  # in which the runs of a task come
    budget: float = 0.2  # share of the cost of all runs of a pool
    delta: float = 0.05
    least: int = 2  # epochs before the first check
    futures: int = 40
    seed: int = 17
    resamples: int = 2000


SCALES = {
    "smoke": Config(tasks=2, runs=10, finished=4, points=6, orders=2, budget=0.5, futures=4, resamples=50),
    "laptop": Config(),
    "paper": Config(tasks=12, runs=100, orders=10, futures=100),
}
TABLES = {
    "rows": ("source", "task", "unit", *rules.ROWS),
    "looks": ("source", "task", *rules.LOOKS),
}
READS_REAL_CURVES = True  # those that are there
STOPWATCHES = ("looks.seconds",)


def parts(config: Config) -> list[str]:
    return list(config.sources)


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    """On the test set: for each task and variant, regret by thousandths of the budget."""
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    some = pools(part, TEST, config.runs, config.points, config.tasks, config.seed, read[config.own])
    for number, task in enumerate(task for task in some if len(task.y) > config.finished + 1):
        about = {"source": part, "task": task.name}
        rows, looks = _of_task(config, number, task)
        tables["rows"] += [about | {"unit": task.unit} | row for row in rows]
        tables["looks"] += [about | row for row in looks]
    return {name: pd.DataFrame(tables[name], columns=list(columns)) for name, columns in TABLES.items()}


def _of_task(
    config: Config, number: int, task: Task
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    finished, y = task.y[: config.finished], task.y[config.finished :]
    pool = rules.pool(y, config.orders, [config.seed, number])
    budget = round(config.budget * y.numel())
    forecaster = torch_network.load(shipped.PATH)
    drawn = by_futures(forecaster.predict, config.futures, torch.Generator().manual_seed(number))
    predicts = {"alone": forecaster.predict, "calibrated": calibrated(forecaster, finished), "futures": drawn}
    who = {name: LazyForecasts(predict, y, [config.delta]) for name, predict in predicts.items()}
    looked_at = range(config.least, y.shape[1])
    tables = {name: one.table(pool, looked_at, config.delta, budget) for name, one in who.items()}
    tables |= {NONE: stopping.always(y), "patience 0": stopping.patience(y, 0)}  # the latter begins one epoch
    return rules.rows(pool, pools_of_runs.trainings(pool, tables, budget), budget), rules.looks(who)


@dataclass(frozen=True)
class Kept:
    """A forecast whose quantiles are moved to the levels at which the finished runs fell."""

    density: Density  # (B, Q)
    levels: Levels  # (B, Q)

    def quantile(self, level: float) -> Tensor:  # -> (B, Q)
        asked = self.levels.asked(np.full(self.levels.mean.shape, level))  # (B, Q)
        return self.density.quantile(torch.from_numpy(asked).float())  # type: ignore[arg-type]  # one for each epoch


def calibrated(forecaster: Forecaster, finished: Tensor) -> Predict:  # (n, m)
    """Where the finished runs fell in the network's forecast is computed once for each number of observed epochs."""
    m = finished.shape[1]
    whole = [Finished(np.arange(1.0, m + 1), run.double().numpy()) for run in finished]
    known: dict[int, Fell] = {}

    def predict(x: Tensor, y: Tensor, later: Tensor) -> Kept:
        T = x.shape[1]
        if T not in known:
            known[T] = fell(TorchNetwork(forecaster.model), whole, T / m)
        to_come = torch.arange(T + 1.0, m + 1)
        outlined = to_come[at_distances(T, to_come.numpy())].expand(len(x), -1)  # (B, D)
        outlines = outline(TorchDensity(forecaster.predict(x, y, outlined)))  # (2, B, D)
        ahead = (later[0].double().numpy() - T) / (m - T)  # (Q,)
        each = [levels(known[T], outlines[:, b], ahead) for b in range(len(x))]
        mean, spread = np.stack([one.mean for one in each]), np.stack([one.spread for one in each])
        return Kept(forecaster.predict(x, y, later), Levels(mean, spread))

    return predict


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {}


def tabulate(rows: Rows, config: Config) -> Rows:
    """How many times faster than never stopping, by source."""
    speed, regret = chosen.sooner(rows["rows"]), chosen.by_mean_regret(rows["rows"], config.resamples)
    seconds = rows["looks"].groupby("method")[["seconds", "forecasts"]].sum()
    each = 1000 * seconds["seconds"] / seconds["forecasts"]
    lines = [
        {"source": title} | {name: chosen.in_cell(speed.get((source, v))) for v, name in VARIANTS.items()}
        for source, title in (chosen.SOURCES | {chosen.ALL: "all four"}).items()
    ]
    by_regret = {name: chosen.in_cell(gain(regret, v)) for v, name in VARIANTS.items()}
    cost = {name: f"{each[v]:.1f}" for v, name in VARIANTS.items() if v in each}
    lines += [{"source": "all four, by mean regret"} | by_regret, {"source": "ms per forecast"} | cost]
    return {"speed": pd.DataFrame(lines)}


def claims(rows: Rows) -> list[Claim]:
    when, stated = chosen.reached(rows["rows"], chosen.ALL), []
    for variant, called in (
        ("calibrated", "intervals calibrated on ten finished runs"),
        ("futures", "sampled futures"),
    ):
        asks = (
            f"On all four sources together, is the stopping rule of the released model faster with {called}?"
        )
        ratio = chosen.faster(when, variant, "alone")
        stated.append(Claim(f"{variant}_sooner", asks, ratio, Above(1), "×"))
        asks = f"Does the stopping rule of the released model end with less regret with {called}?"
        more = chosen.more_regret(rows["rows"], chosen.ALL, variant, "alone")
        stated.append(Claim(f"{variant}_lower", asks, more, Below(0), "%"))
    return stated
