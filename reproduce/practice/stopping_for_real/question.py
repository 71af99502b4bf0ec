"""Does stopping hopeless runs save epochs where the runs are real?"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.forecasting import shipped, torch_network
from curvecast.scores.stopping import Predict
from reproduce._press.claim import Claim
from reproduce._press.where import Rows
from reproduce.practice.stopping_for_real import claims as claimed
from reproduce.practice.stopping_for_real import pictures, tables
from reproduce.protocols import stopping_rules as rules
from reproduce.protocols.pools_of_real_runs import Task, pools

SIDES = (TUNING, TEST)
TABLES = {
    "rows": ("source", "side", "task", "unit", *rules.ROWS),
    "pools": ("source", "side", "task", "runs", "epochs", "left_out"),
    "looks": ("source", "side", "task", *rules.LOOKS),
}
READS_REAL_CURVES = True  # those that are there
STOPWATCHES = ("looks.seconds",)


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = ("taskset", "own", "algoperf", "deepobs", "nothing")
    own: str = "own_curves/paper"  # the longer run of our factory, as published
    tasks: int = 6  # of a source and side, at most
    runs: int = 50  # of a task, at most
    points: int = 50  # of a run, at most; an epoch is such a point
    orders: int = 5  # in which the runs of a task come
    budget: float = 0.2  # share of the cost of all runs of a pool; where nothing learns, all of it
    delta: float = 0.05
    least: int = 2  # epochs before the first check
    deltas: tuple[float, ...] = (0.001, 0.01, 0.1, 0.2)  # tried on the tuning set, beside the one above
    leasts: tuple[int, ...] = (1, 3, 5, 10)
    seed: int = 17
    resamples: int = 2000


SCALES = {
    "smoke": Config(
        tasks=2, runs=10, points=10, orders=2, budget=0.5, deltas=(0.2,), leasts=(3,), resamples=50
    ),
    "laptop": Config(orders=2),
    "paper": Config(),
}  # fmt: skip


def reads(config: Config) -> list[str]:
    return [config.own]


def parts(config: Config) -> list[str]:
    """Where nothing learns nothing is tuned, so there is no tuning set."""
    return [
        f"{source}-{side}"
        for source in config.sources
        for side in SIDES
        if (source, side) != ("nothing", TUNING)
    ]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    """For each task and rule: runs begun, share of all epochs spent, regret by thousandths of the budget."""
    source, side = part.split("-")
    networks: dict[str, Predict] = {
        "shipped": torch_network.load(shipped.PATH).predict,
        "old": torch_network.load(shipped.BY_NAME["paper-prior"]).predict,
    }
    found: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    chosen = pools(source, side, config.runs, config.points, config.tasks, config.seed, read[config.own])
    for number, task in enumerate(chosen):
        about = {"source": source, "side": side, "task": task.name}
        rows, looks = _of_task(config, number, task, side, networks)
        found["rows"] += [about | {"unit": task.unit} | row for row in rows]
        found["looks"] += [about | row for row in looks]
        n, m = task.y.shape
        found["pools"].append(about | {"runs": n, "epochs": m, "left_out": task.left_out})
    return {name: pd.DataFrame(found[name], columns=list(columns)) for name, columns in TABLES.items()}


def _of_task(
    config: Config, number: int, task: Task, side: str, networks: dict[str, Predict]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    pool = rules.pool(task.y, config.orders, [config.seed, number])
    whole = task.y.numel()
    budget = whole if task.source == "nothing" else round(config.budget * whole)
    who = rules.asked(networks, task.y, [config.delta, *(config.deltas if side == TUNING else ())])
    tables = rules.simple(task.y) | rules.by_forecast(who, pool, config.delta, config.least, budget)
    who[rules.FITTED], tables[rules.FITTED] = rules.fitted(pool, budget)
    if side == TUNING:
        tables |= rules.swept(who["shipped"], pool, config.leasts, config.least, budget)
    return rules.rows(pool, rules.trained(pool, tables, budget), budget), rules.looks(who)


def draw(rows: Rows) -> dict[str, Figure]:
    return pictures.figures(rows)


def tabulate(rows: Rows, config: Config) -> Rows:
    return tables.tables(rows, config.resamples)


def claims(rows: Rows) -> list[Claim]:
    return claimed.claims(rows)
