"""Does stopping hopeless runs save epochs where the runs are real?

Which rule is faster, what is spent where no run learns, and who picks the run that will win; intervals over tasks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves.real_table import TEST, TUNING
from curvecast.forecasting import shipped, torch_network, track_record
from curvecast.forecasting.finished_runs import Levels
from curvecast.forecasting.shipped import Shipped
from curvecast.scores import pools_of_runs
from curvecast.scores.pools_of_runs import NONE
from presswork import Above, AtLeast, AtMost, Claim, Estimates, Interval, Rows, there, where
from presswork.contract import ROOT
from presswork.estimates import Columns, by_mean, table
from reproduce.pictures.panels import panels, speed_ups
from reproduce.practice import _chosen as chosen
from reproduce.practice._chosen import ALL, CHOSEN, OURS, PATIENT, SIDES, SOURCES
from reproduce.printed.numbers import printed
from reproduce.protocols import stopping_rules as rules
from reproduce.protocols import timing
from reproduce.protocols.pools_of_real_runs import Task, pools
from reproduce.rival import freeze_thaw

NAMES = {  # of rules, and their styles, from top to bottom
    OURS: ("released model", "shipped"),
    f"{OURS}, four looks": ("released model, four checks", "coarse"),
    "old": ("network of the paper’s prior", "old"),
    "last value": ("last value", "last"),
    "DeepHyper’s rule": ("DeepHyper’s rule", "mmf4"),
    CHOSEN: ("patience, tuned on other tasks", "patience"),
    "one epoch": ("one-epoch screening", "one epoch"),
    "halving": ("successive halving", "rungs"),
    "ASHA": ("ASHA", "rungs"),
    "Hyperband": ("Hyperband", "rungs"),
    "oracle": ("oracle", "oracle"),
}
NOTHING = "nothing"  # the source where no run learns
EDGE = 0.1  # left end of the axis of speed-ups
RULE = "the stopping rule with the released model"
Array = np.ndarray


@dataclass(frozen=True)
class Contests:
    """Who picks the run that will win: runs of a task compete, all with the same share observed."""

    tasks: int = 9  # of a source, at most
    out: int = 5  # runs of a task, its first ones, that do not compete: elsewhere they have finished
    runs: int = 12  # of a task
    seen: int = 20  # per cent of a run


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = ("taskset", "own", "algoperf", "deepobs", NOTHING)
    own: str = "own_curves/paper"  # the longer run of our factory, as published
    tasks: int = 6  # of a source and side, at most
    runs: int = 50  # of a task, at most
    points: int = 50  # of a run, at most; an epoch is such a point
    orders: int = 5  # in which the runs of a task come
    budget: float = 0.2  # share of the cost of all runs of a pool; where nothing learns, all of it
    delta: float = 0.05
    least: int = 2  # epochs before the first check
    contests: Contests = Contests()
    seed: int = 17


SCALES = {
    "smoke": Config(tasks=2, runs=10, points=6, orders=2, budget=0.5, contests=Contests(2, 2, 8)),
    "laptop": Config(orders=2),
    "paper": Config(),
}
TABLES = {
    "rows": ("source", "side", "task", "unit", *rules.ROWS),
    "pools": ("source", "side", "task", "runs", "epochs", "left_out"),
    "picks": ("source", "task", "unit", "run", "end", "shipped", "last"),
    "thawed": ("source", "task", "run", "thawed"),
}
NOT_AT_SMOKE_SCALE = {"parts": "some ask Syne Tune’s freeze-thaw, in an environment of its own"}
STAND_IN = True  # those that are there
SMALLER = 8  # runs of a contest, drawn by chance
CONTESTS = 200


def parts(config: Config) -> dict[str, dict[str, str]]:
    """Where nothing learns nothing is tuned, so there is no tuning set, and nobody wins. Freeze-thaw: paper scale alone."""
    every = [*product(config.sources, (*SIDES, "picks"))]
    every += product(config.sources, ["thawed"] * (config == SCALES["paper"]))
    each = [(source, side) for source, side in every if source != NOTHING or side == TEST]
    return {f"{source}-{side}": {"source": source, "side": side} for source, side in each}


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, source: str, side: str, read: dict[str, Rows]) -> Rows:
    """For each task and rule: runs begun, share of all epochs spent, regret by thousandths of the budget."""
    if side == "picks":
        return {"picks": _contestants(config, source, read[config.own])}
    if side == "thawed":
        return {"thawed": _thawed(config, source, read[config.own])}
    tables: dict[str, list[dict[str, object]]] = {"rows": [], "pools": []}
    some = pools(source, side, config.runs, config.points, config.tasks, config.seed, read[config.own])
    for number, task in enumerate(some):
        about, (n, m) = {"source": source, "side": side, "task": task.name}, task.y.shape
        tables["rows"] += [about | {"unit": task.unit} | row for row in _of_task(config, number, task, side)]
        tables["pools"].append(about | {"runs": n, "epochs": m, "left_out": task.left_out})
    return {name: pd.DataFrame(lines, columns=list(TABLES[name])) for name, lines in tables.items()}


def _of_task(config: Config, number: int, task: Task, side: str) -> list[dict[str, object]]:
    """On the tuning set patience alone, which is chosen there."""
    pool = rules.pool(task.y, config.orders, [config.seed, number])
    whole = task.y.numel()
    budget = whole if task.source == NOTHING else round(config.budget * whole)
    tables = rules.simple(task.y)
    if side == TUNING:
        patient = {rule: tables[rule] for rule in (NONE, *PATIENT)}
        return rules.rows(pool, pools_of_runs.trainings(pool, patient, budget), budget)
    by = {"shipped": shipped.load(), "old": shipped.load("paper-prior")}
    networks: dict[str, Callable[..., Any]] = {name: partial(told, one) for name, one in by.items()}
    tables |= rules.by_forecast(networks, pool, config.delta, config.least, budget)
    tables[rules.FITTED] = rules.fitted(pool, budget)
    return rules.rows(pool, rules.trained(pool, tables, budget), budget)


class Kept(NamedTuple):
    """Forecasts of B runs as the package makes them: what runs smoothly, its own record narrows."""

    density: Any  # (B, Q)
    levels: Levels  # (B, 1)

    def quantile(self, level: float) -> Tensor:
        return torch.from_numpy(self.density.quantile(self.levels.asked(np.full((1, 1), level))))  # (B, Q)


def told(by: Shipped, x: Tensor, y: Tensor, later: Tensor) -> Any:
    given = [part.float().numpy() for part in (x, y, later)]
    records = track_record.scores(by.network, list(zip(*given[:2], strict=True)))
    return Kept(by.network.density(*given), track_record.own_levels(records))


def _contests(config: Config, source: str, own: Rows) -> Iterator[tuple[Task, Tensor, int]]:
    """Of each task the runs that compete, and how many of their points are seen."""
    how = config.contests
    for task in pools(source, TEST, how.runs + how.out, config.points, how.tasks, config.seed, own):
        if len(y := task.y[how.out :]) > 1:
            yield task, y, max(1, how.seen * y.shape[1] // 100)


def _thawed(config: Config, source: str, own: Rows) -> pd.DataFrame:
    """Of each run the end that freeze-thaw expects."""
    some = [*_contests(config, source, own)] if freeze_thaw.installed(ROOT) else []
    ends = freeze_thaw.ends([(y[:, :seen].double().numpy(), y.shape[1]) for _, y, seen in some], ROOT)
    pairs = zip((task.name for task, _, _ in some), ends, strict=True)
    lines = [(source, name, i, end) for name, told in pairs for i, end in enumerate(told)]
    return pd.DataFrame(lines, columns=list(TABLES["thawed"]))


def _contestants(config: Config, source: str, own: Rows) -> pd.DataFrame:
    """Of each run its end, the released model's median of it, and its last observed value."""
    network, lines = torch_network.load(shipped.PATH), []
    for task, y, seen in _contests(config, source, own):
        x, last = torch.arange(1.0, seen + 1).expand(len(y), -1), torch.full((len(y), 1), float(y.shape[1]))
        with timing.threads():
            median = network.predict(x, y[:, :seen], last).quantile(0.5)[:, -1]
        each = torch.stack([y[:, -1], median, y[:, seen - 1]], 1).double().round(decimals=5)
        lines += [(source, task.name, task.unit, i, *one) for i, one in enumerate(each.tolist())]
    return pd.DataFrame(lines, columns=list(TABLES["picks"]))


def estimates(rows: Rows) -> Estimates:
    """{(source or ALL, rule): how many times as fast as never stopping}, {(NOTHING, rule): the share of all epochs that it
    spends}, and comparisons with other rules by the names of their claims."""
    judged, picks = chosen.judged(rows["rows"]), regrets_of_picks(rows["picks"], rows["thawed"])
    when = {source: chosen.reached(judged, source) for source in (*SOURCES, ALL)}
    found = {(source, rule): chosen.faster(own, rule) for source, own in when.items() for rule in own}
    return there(found) | by_mean(where(judged, source=NOTHING), ["source", "method"], "spent") | there({
        **{f"{source}_patience": chosen.faster(when[source], OURS, CHOSEN) for source in ("deepobs", ALL)},
        "beats_one_epoch": chosen.faster(when[ALL], OURS, "one epoch"),
        "beats_last": picked(picks["last"] - picks["shipped"]),
        "beats_freeze_thaw": picked(picks["thawed"] - picks["shipped"]),
    })  # fmt: skip


def picked(lead: pd.Series) -> Interval | None:
    """None unless all sources were measured."""
    lead = lead.dropna()
    return chosen.over_units(lead) if set(SOURCES) <= set(lead.index.get_level_values("source")) else None


def regrets_of_picks(picks: pd.DataFrame, thawed: pd.DataFrame) -> pd.DataFrame:
    """By task and method: the regret of its picks among eight runs, relative to that of random picks."""
    keys, methods = ["source", "unit", "task"], ["shipped", "last", "thawed"]
    picks = picks.merge(thawed.drop(columns="part", errors="ignore"), "left", ["source", "task", "run"])
    by_task = {
        key: [_regret(own[method].to_numpy(float), own["end"].to_numpy()) for method in methods]
        for key, own in picks.sort_values("run").groupby(keys)
    }
    index = pd.MultiIndex.from_tuples(by_task, names=keys)
    return pd.DataFrame(list(by_task.values()), index, methods).dropna(subset=["shipped", "last"])


def _regret(expected: Array, ends: Array) -> float:
    """Over contests of eight runs, drawn by chance and the same for all methods; 0 is a perfect choice, 1 is chance."""
    generator = np.random.default_rng(0)
    k = min(SMALLER, len(ends))
    drawn = np.stack([generator.permutation(len(ends))[:k] for _ in range(CONTESTS)])
    picked = drawn[np.arange(CONTESTS), expected[drawn].argmax(1)]
    best = ends[drawn].max(1)
    chance = (best - ends[drawn].mean(1)).sum()
    told = chance > 0 and not np.isnan(expected).any()
    return float((best - ends[picked]).sum() / chance) if told else float("nan")


# ---------------------------------------------------------------------------------------------------- shown


def measured_sources(rows: Rows) -> list[str]:
    return [source for source in SOURCES if len(where(rows["rows"], source=source, side=TEST))]


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    if not (sources := measured_sources(rows)):
        return {}
    figure, axes = panels([SOURCES[source] for source in sources], (8.6, 6.4), 2, sharey=True)
    upwards = [(rule, *NAMES[rule]) for rule in reversed(NAMES)]
    for axis, source in zip(axes, sources, strict=True):
        speed_ups(axis, [(found.get((source, rule)), styled) for rule, _, styled in upwards], EDGE, 30)
    axes[0].set_yticks(range(len(upwards)), [name for _, name, _ in upwards])
    return {"speed": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    lines = {rule: name for rule, (name, _) in NAMES.items()}
    columns: Columns = {
        **{(source, ...): SOURCES[source] for source in measured_sources(rows)}, (ALL, ...): "all four",
        (NOTHING, ...): ("spent where nothing learns", lambda one: f"{100 * one.value:.0f} %"),
    }  # fmt: skip
    return {"speed": table(found, "rule", lines, columns, partial(rules.cell, form="{} [{}, {}]"))}


def claims() -> list[Claim]:
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    called = SOURCES | {ALL: "all four sources together"}
    end = "reach the final regret of never stopping"
    goal = f"does {RULE} {end}"
    return [
        Claim("taskset_speed_up", f"On {called['taskset']}, does the stopping rule with a network of the paper’s prior {end} "
              "as much faster as the paper prints?", ("taskset", "old"), AtLeast(least), "×", least),
        *(Claim(f"{source}_speed_up", f"On {called[source]}, {goal} faster?", (source, OURS),
                Above(1), "×") for source in ("own", ALL)),
        *(Claim(f"{source}_patience", f"On {called[source]}, is {RULE} at least as fast as patience tuned on other tasks?",
                f"{source}_patience", AtLeast(1), "×") for source in ("deepobs", ALL)),
        Claim("beats_one_epoch", f"On all four sources together, is {RULE} faster than one-epoch screening?",
              "beats_one_epoch", Above(1), "×"),
        Claim("nothing_spent", f"Where no run learns, does {RULE} spend only a small share of the epochs of all runs?",
              (NOTHING, OURS), AtMost(0.2), "%"),
        Claim("beats_last", "After 20 % of each run, is the regret of the released model’s pick below that of the best last "
              "value?", "beats_last", Above(0), "%"),
        Claim("beats_freeze_thaw", "After 20 % of each run, is the regret of the released model’s pick below that of "
              "freeze-thaw, which is not given the settings of the runs?",
              "beats_freeze_thaw", Above(0), "%"),
    ]  # fmt: skip
