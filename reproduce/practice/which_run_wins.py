"""After a fifth of each run, who picks the run that will win? Forecasts, fits, and rules that look at the values alone.

Runs of one task compete, all with the same share observed, and the pick is whose forecast of the last value is highest. Its
regret is the best last value minus its own; relative to the regret of a random pick, 0 % is the best run and 100 % is chance.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves.tuning_and_test import TEST
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.training.train import Forecaster
from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import around, panels
from reproduce.practice import _chosen
from reproduce.practice._chosen import ALL, SOURCES
from reproduce.protocols import forecasters, timing
from reproduce.protocols.forecasters import Ask, Density
from reproduce.protocols.pools_of_real_runs import Task, pools
from reproduce.rival.partner import PYTHON, Rival

Array = np.ndarray
End = Callable[
    [Tensor, int], Array
]  # runs (n, T) and epochs ahead -> the value at the end that is expected (n,)

MAIN = 20  # per cent observed
RIVAL = "deephyper"
NAMES = {  # of methods, and their styles, from top to bottom
    "shipped": ("released model", "shipped"),
    "finished": ("the same, given five finished runs", "shipped"),
    "old": ("network of the paper’s prior", "old"),
    RIVAL: ("DeepHyper’s model, every second task", "vector"),
    "mmf4": ("MMF4, least squares", "mmf4"),
    "pow4": ("pow4, least squares", "pow4"),
    "pow3": ("pow3, least squares", "pow3"),
    "last": ("last value, as successive halving ranks", "last"),
    "best": ("best so far, as patience ranks", "best"),
}
PROGRAM = ("-m", "reproduce.rival.deephyper_program")


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = ("taskset", "own", "algoperf", "deepobs")
    own: str = "own_curves/paper"  # the longer run of our factory, as published
    tasks: int = 9  # of a source, at most
    runs: int = 12  # of a task, of which some compete at a time
    finished: int = 5  # of it, that are known to their ends
    points: int = 50  # of a run, at most
    shares: tuple[int, ...] = (10, MAIN, 40)  # per cent observed
    every: int = 2  # every second task is for DeepHyper's model too, which takes seconds a forecast
    least: int = 4  # points that it needs
    asked: tuple[str, ...] = ("ours",)
    seed: int = 17


SCALES = {
    "smoke": Config(tasks=2, runs=8, finished=2, points=10, shares=(MAIN,)),
    "laptop": Config(),
    "paper": Config(asked=("ours", RIVAL)),
}
NOT_AT_SMOKE_SCALE = {"asked": "DeepHyper has an environment of its own, which smoke scale does without"}
TABLES = {
    "ends": ("source", "task", "unit", "run", "end"),
    "rows": ("source", "task", "run", "seen", "method", "expected"),
    "seconds": ("source", "task", "seen", "method", "runs", "seconds"),
}
READS_REAL_CURVES = True  # those that are there
STOPWATCHES = ("seconds.seconds",)
SMALLER = 8  # runs of a contest, drawn by chance
CONTESTS = 200


def parts(config: Config) -> list[str]:
    return [f"{who}-{source}" for who in config.asked for source in config.sources]


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    who, source = part.split("-")
    most = config.runs + config.finished
    some = pools(source, TEST, most, config.points, config.tasks, config.seed, read[config.own])
    tasks = [task for task in some if len(task.y) > config.finished + 1]
    lines: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
    if who == RIVAL:
        with Rival(1, PYTHON, PROGRAM) as rival:
            for task in tasks[:: config.every]:
                _ask(config, task, (MAIN,), {RIVAL: partial(_by_rival, rival, config)}, lines)
                print(f"which_run_wins: DeepHyper, {task.name}", flush=True)
    else:
        for task in tasks:
            ends = enumerate(task.y[config.finished :, -1].tolist())
            lines["ends"] += [(source, task.name, task.unit, i, round(end, 5)) for i, end in ends]
            with timing.threads(1):
                _ask(config, task, config.shares, _ours(task.y[: config.finished]), lines)
    return {name: pd.DataFrame(lines[name], columns=list(columns)) for name, columns in TABLES.items()}


def _ask(
    config: Config, task: Task, shares: tuple[int, ...], who: dict[str, End], lines: dict[str, list[tuple[Any, ...]]]
) -> None:  # fmt: skip
    running = task.y[config.finished :]
    n, m = running.shape
    for share, (method, ask) in product(shares, who.items()):
        seen, about, start = max(1, share * m // 100), (task.source, task.name), time.perf_counter()
        told = ask(running[:, :seen], m - seen)
        lines["seconds"].append((*about, share, method, n, time.perf_counter() - start))
        lines["rows"] += [(*about, i, share, method, round(end, 5)) for i, end in enumerate(told.tolist())]


def _ours(finished: Tensor) -> dict[str, End]:
    nets = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}
    who = {name: partial(_by_network, torch_network.load(path)) for name, path in nets.items()}
    simple = forecasters.simple()
    asks = forecasters.fits_of_one_family() | {name: simple[name] for name in ("last", "best")}
    who |= {name: partial(_by_values, ask) for name, ask in asks.items()}
    return who | {"finished": partial(_by_finished, finished)}


def _by_network(forecaster: Forecaster, y: Tensor, ahead: int) -> Array:
    """Asked for the last epoch alone."""
    x, last = torch.arange(1.0, y.shape[1] + 1), torch.tensor([float(y.shape[1] + ahead)])
    return _last(forecaster.predict(x.expand(len(y), -1), y, last.expand(len(y), -1)))


def _by_values(ask: Ask, y: Tensor, ahead: int) -> Array:
    return _last(ask(y, ahead))


def _last(density: Density) -> Array:
    median: Array = density.quantile(0.5)[:, -1].double().numpy()
    return median


def _by_finished(finished: Tensor, y: Tensor, ahead: int) -> Array:
    """As a user would ask, with all runs on the scale of the pool."""
    known, values = list(finished.double().numpy()), y.double().numpy()
    told = forecast(values, horizon=y.shape[1] + ahead, finished=known, check=False)
    return np.array([run.at_horizon(0.5)[0] for run in told])


def _by_rival(rival: Rival, config: Config, y: Tensor, ahead: int) -> Array:
    """NaN where it is not asked, or refuses."""
    told = []
    for i, one in enumerate(y.double().tolist() if y.shape[1] >= config.least else []):
        answer = rival.ask("forecast", y=one, ahead=ahead, levels=[0.5], seed=config.seed + i)
        told.append(answer["curve"][0][-1] if "curve" in answer else np.nan)
    return np.array(told or [np.nan] * len(y))


# ------------------------------------------------------------------------------------------------- estimates


def regrets(rows: Rows) -> pd.DataFrame:
    """By task, share observed and method: the regret of its picks among eight runs, relative to that of random picks.

    Who gives no forecast of a run is taken to expect its last value.
    """
    keys = ["source", "task", "run", "seen"]
    last = where(rows["rows"], method="last").set_index(keys)["expected"]
    lines = []
    for (source, task, seen, method), own in rows["rows"].groupby(["source", "task", "seen", "method"]):
        own = own.set_index(keys)["expected"].fillna(last).sort_index()
        about = where(rows["ends"], task=task).sort_values("run")
        regret = _regret(own.to_numpy(), about["end"].to_numpy())
        lines.append((source, task, about["unit"].iloc[0], seen, method, regret))
    return pd.DataFrame(lines, columns=["source", "task", "unit", "seen", "method", "regret"]).dropna()


def _regret(expected: Array, ends: Array) -> float:
    """Over contests of eight runs, drawn by chance and the same for all methods."""
    generator = np.random.default_rng(0)
    k = min(SMALLER, len(ends))
    drawn = np.stack([generator.permutation(len(ends))[:k] for _ in range(CONTESTS)])
    picked = drawn[np.arange(CONTESTS), expected[drawn].argmax(1)]
    best = ends[drawn].max(1)
    chance = (best - ends[drawn].mean(1)).sum()
    return float((best - ends[picked]).sum() / chance) if chance > 0 else float("nan")


def found(by_task: pd.DataFrame) -> Estimates:
    """By source, or all of them alike, share observed and method."""
    return {
        (source, seen, method): _chosen.over_units(_indexed(own))
        for (seen, method), every in by_task.groupby(["seen", "method"])
        for source in _measured(every)
        if len(own := every if source == ALL else where(every, source=source))
    }


def lead(by_task: pd.DataFrame, rival: str, method: str = "shipped", seen: int = MAIN) -> Interval | None:
    """How much lower the regret of one is than another's, on the tasks that both have, over all sources."""
    both = {name: _indexed(where(by_task, seen=seen, method=name)) for name in (method, rival)}
    less = (both[rival] - both[method]).dropna()
    return _chosen.over_units(less) if set(SOURCES) <= set(less.index.get_level_values("source")) else None


def _measured(by_task: pd.DataFrame) -> list[str]:
    there = [source for source in SOURCES if source in set(by_task["source"])]
    return [*there, *([ALL] if len(there) == len(SOURCES) else [])]


def _indexed(by_task: pd.DataFrame) -> pd.Series:
    return by_task.set_index(["source", "unit", "task"])["regret"]


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    estimates = found(regrets(rows))
    sources = [source for source in (*SOURCES, ALL) if any(key[:2] == (source, MAIN) for key in estimates)]
    if not sources:
        return {}
    figure, axes = panels([_title(source) for source in sources], (10, 3.4), sharey=True)
    upwards = list(reversed(NAMES))
    for axis, source in zip(axes, sources, strict=True):
        for place, method in enumerate(upwards):
            one = estimates.get((source, MAIN, method))
            dots(axis, [(place, one)], fmt="o", markersize=4, color=style.colour(NAMES[method][1]))
        axis.axvline(1, color=style.ink(), linewidth=1, linestyle=":")
        axis.set(xlim=(-0.25, 2.25))
        axis.set_xticks([0, 1, 2], ["0", "100", "200"])
    axes[0].set_yticks(range(len(upwards)), [NAMES[method][0] for method in upwards])
    around(figure, "regret, % of a random pick’s (dotted)")
    return {"picks": figure}


def _title(source: str) -> str:
    return "all four" if source == ALL else SOURCES[source]


def tabulate(rows: Rows) -> Rows:
    estimates = found(regrets(rows))
    sources = [source for source in (*SOURCES, ALL) if any(key[0] == source for key in estimates)]
    at = sorted({seen for _, seen, _ in estimates})
    own = rows["seconds"].groupby("method")[["runs", "seconds"]].sum()
    lines = []
    for method, (name, _) in NAMES.items():
        if method not in own.index:
            continue
        cells = {
            _title(source): " / ".join(
                f"{100 * one.value:.0f}" if (one := estimates.get((source, seen, method))) else "–"
                for seen in at
            )
            for source in sources
        }
        ms = 1000 * own.loc[method, "seconds"] / own.loc[method, "runs"]
        lines.append(
            {"picks by": name} | cells | {"ms a forecast": f"{ms:.2g}" if ms < 100 else f"{ms:,.0f}"}
        )
    return {"picks": pd.DataFrame(lines)}


def claims(rows: Rows) -> list[Claim]:
    by_task = regrets(rows)
    estimates = found(by_task)
    after = f"After {MAIN} % of each run, is the regret of"
    ours, half = f"{after} the released model", "at most half of a random pick’s?"
    rivals = {
        "last": "the best last value", "best": "the best value so far", "pow3": "least squares of pow3",
        "pow4": "least squares of pow4", "mmf4": "least squares of MMF4", "old": "a network of the paper’s prior",
        RIVAL: "DeepHyper’s model",
    }  # fmt: skip
    return [
        Claim("half_of_chance", f"{ours} {half}", estimates.get((ALL, MAIN, "shipped")), AtMost(0.5), "%"),
        Claim("last_half", f"{after} the best last value {half}", estimates.get((ALL, MAIN, "last")), AtMost(0.5), "%"),
        *(Claim(f"beats_{name}", f"{ours} below the regret of {called}?", lead(by_task, name), Above(0), "%")
          for name, called in rivals.items()),
        Claim("finished_help", f"{ours} lower when five finished runs are given?",
              lead(by_task, "shipped", "finished"), Above(0), "%"),
    ]  # fmt: skip
