"""Does stopping hopeless runs save epochs where the runs are real?

Which rule is faster, which ends with less regret, and what is spent where no run learns; intervals over tasks.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.forecasting import shipped, torch_network
from curvecast.scores.regret import NONE, regrets
from curvecast.scores.stopping import Predict
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Claim
from reproduce._press.estimates import Estimates, by_mean
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import legend, panels
from reproduce.pictures.speed_ups import speed_ups
from reproduce.practice import _chosen as chosen
from reproduce.practice import _other_settings
from reproduce.practice._chosen import ALL, CHOSEN, OURS, PATIENT, SIDES, SOURCES
from reproduce.printed.numbers import printed
from reproduce.protocols import stopping_rules as rules
from reproduce.protocols.pools_of_real_runs import Task, pools
from reproduce.protocols.times_sooner import gain

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
TITLES = {rule: name for rule, (name, _) in NAMES.items()}
DRAWN = (NONE, OURS, "old", CHOSEN, "one epoch", "Hyperband", "oracle")  # as lines of regret
NOTHING = "nothing"  # the source where no run learns
COLUMNS = SOURCES | {ALL: "all four"}
LOWEST = 1e-3  # smaller regrets are drawn here
EDGE = 0.1  # left end of the axis of speed-ups
RULE = "the stopping rule with the released model"
RIVALS = {
    "beats_old": ("old", "the same rule with a network trained on the paper’s prior"),
    "beats_last_value": ("last value", "the same rule with the last value as the forecast"),
    "beats_one_epoch": ("one epoch", "one-epoch screening"),
    "beats_hyperband": ("Hyperband", "Hyperband"),
    "beats_asha": ("ASHA", "ASHA"),
    "beats_deephyper_rule": ("DeepHyper’s rule", "DeepHyper’s rule with a least-squares fit"),
}


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
    deltas: tuple[float, ...] = (0.001, 0.01, 0.1, 0.2)  # tried on the tuning set, beside the one above
    leasts: tuple[int, ...] = (1, 3, 5, 10)
    seed: int = 17
    resamples: int = 2000


SCALES = {
    "smoke": Config(
        tasks=2, runs=10, points=6, orders=2, budget=0.5, deltas=(0.2,), leasts=(3,), resamples=50
    ),
    "laptop": Config(orders=2),
    "paper": Config(),
}
TABLES = {
    "rows": ("source", "side", "task", "unit", *rules.ROWS),
    "pools": ("source", "side", "task", "runs", "epochs", "left_out"),
    "looks": ("source", "side", "task", *rules.LOOKS),
}
READS_REAL_CURVES = True  # those that are there
STOPWATCHES = ("looks.seconds",)


def parts(config: Config) -> list[str]:
    """Where nothing learns nothing is tuned, so there is no tuning set."""
    every = [(source, side) for source in config.sources for side in SIDES]
    return [f"{source}-{side}" for source, side in every if (source, side) != (NOTHING, TUNING)]


def reads(config: Config) -> list[str]:
    return [config.own]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    """For each task and rule: runs begun, share of all epochs spent, regret by thousandths of the budget."""
    source, side = part.split("-")
    networks: dict[str, Predict] = {
        "shipped": torch_network.load(shipped.PATH).predict,
        "old": torch_network.load(shipped.BY_NAME["paper-prior"]).predict,
    }
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
    some = pools(source, side, config.runs, config.points, config.tasks, config.seed, read[config.own])
    for number, task in enumerate(some):
        about = {"source": source, "side": side, "task": task.name}
        rows, looks = _of_task(config, number, task, side, networks)
        tables["rows"] += [about | {"unit": task.unit} | row for row in rows]
        tables["looks"] += [about | row for row in looks]
        n, m = task.y.shape
        tables["pools"].append(about | {"runs": n, "epochs": m, "left_out": task.left_out})
    return {name: pd.DataFrame(tables[name], columns=list(columns)) for name, columns in TABLES.items()}


def _of_task(
    config: Config, number: int, task: Task, side: str, networks: dict[str, Predict]
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    pool = rules.pool(task.y, config.orders, [config.seed, number])
    whole = task.y.numel()
    budget = whole if task.source == NOTHING else round(config.budget * whole)
    who = rules.asked(networks, task.y, [config.delta, *(config.deltas if side == TUNING else ())])
    tables = rules.simple(task.y) | rules.by_forecast(who, pool, config.delta, config.least, budget)
    who[rules.FITTED], tables[rules.FITTED] = rules.fitted(pool, budget)
    if side == TUNING:
        tables |= rules.swept(who["shipped"], pool, config.leasts, config.least, budget)
    return rules.rows(pool, rules.trained(pool, tables, budget), budget), rules.looks(who)


# ------------------------------------------------------------------------------------------------- estimates


def measured_sources(rows: pd.DataFrame) -> list[str]:
    return [source for source in SOURCES if len(chosen.of_source(rows, source))]


def spent_in_vain(found: pd.DataFrame) -> Estimates:
    """By rule: the share of all epochs that it spends where no run learns."""
    return by_mean(where(found, source=NOTHING), "method", "spent")


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    judged = chosen.judged(rows["rows"])
    sources = measured_sources(judged)
    if not sources:
        return {}
    speed, tuned = chosen.sooner(judged), chosen.sooner(where(rows["rows"], side=TUNING))
    made = {"speed": _speed(speed, sources), "regret": _regret(judged, sources)}
    return made | {"settings": _other_settings.draw(tuned, sources)}


def _speed(speed: Estimates, sources: list[str]) -> Figure:
    figure, axes = panels([SOURCES[source] for source in sources], (8.6, 6.4), 2, sharey=True)
    upwards = [(rule, *NAMES[rule]) for rule in reversed(NAMES)]
    for axis, source in zip(axes, sources, strict=True):
        speed_ups(axis, [(speed.get((source, rule)), styled) for rule, _, styled in upwards], EDGE, 30)
    axes[0].set_yticks(range(len(upwards)), [name for _, name, _ in upwards])
    return figure


def _regret(judged: pd.DataFrame, sources: list[str]) -> Figure:
    figure, axes = panels([SOURCES[source] for source in sources], (8.6, 6.4), 2)
    for axis, source in zip(axes, sources, strict=True):
        told = regrets(chosen.of_source(judged, source))
        for rule in (one for one in DRAWN if one in told):
            mean = told[rule].mean().clip(lower=LOWEST)
            name, styled = NAMES.get(rule, ("never stopping", "none"))
            axis.plot([int(spent) / 10 for spent in mean.index], mean, **style.line(styled, label=name))
        axis.set(xscale="log", yscale="log", xlim=(1, 100))
        axis.set(xlabel="budget spent, %", ylabel="regret (lower is better)")
        axis.set_xticks([1, 10, 100], ["1", "10", "100"])
    legend(figure, axes, 4)
    return figure


def tabulate(rows: Rows, config: Config) -> Rows:
    judged, tuned = chosen.judged(rows["rows"]), where(rows["rows"], side=TUNING)
    sources, speed = measured_sources(judged), chosen.sooner(judged)
    titles = {source: COLUMNS[source] for source in (*sources, ALL)}
    regret = chosen.by_mean_regret(judged, config.resamples)
    by_regret = {("regret", rule): one for rule in regret if (one := gain(regret, rule))}
    patience = [
        {"source": SOURCES[source], "fastest on the tuning set": chosen.fastest_patience(own)}
        for source in sources
        if len(own := where(tuned, source=source))
    ]
    vain = spent_in_vain(judged)
    spent = [
        {"rule": name, "share of all epochs": f"{100 * vain[rule].value:.0f} %"}
        for rule, name in ({NONE: "never stopping"} | TITLES).items()
        if rule in vain
    ]
    return {
        "speed": _speeds({**speed, **by_regret}, TITLES, titles | {"regret": "all four, by mean regret"}),
        "ahead": _ahead(judged, titles),
        "patience": _speeds(speed, dict(zip(PATIENT, PATIENT, strict=True)), titles),
        "settings": _speeds(
            chosen.sooner(tuned),
            _other_settings.lines(rows["rows"]),
            {s: SOURCES[s] for s in sources},
        ),
        "chosen": pd.DataFrame(patience),
        "spent": pd.DataFrame(spent),
        "overhead": _overhead(rows),
        "pools": _pools(rows["pools"]),
    }


def _speeds(speed: Estimates, lines: dict[str, str], columns: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame([
        {"rule": name} | {title: chosen.in_cell(speed.get((source, rule))) for source, title in columns.items()}
        for rule, name in lines.items()
    ])  # fmt: skip


def _ahead(judged: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    """On how many tasks our rule is faster than another, and on how many slower; of all, how many the other never solves."""
    when = {source: own for source in columns if (own := chosen.reached(judged, source))}
    lines = []
    for rule, name in ({NONE: "never stopping"} | TITLES).items():
        counts = {
            columns[source]: chosen.ahead(own, OURS, rule) if rule in own and rule != OURS else "–"
            for source, own in when.items()
        }
        mine = when.get(ALL, {}).get(rule, pd.Series(dtype=float))
        never = f"{np.isinf(mine).sum()} of {len(mine)}" if len(mine) else "–"
        lines.append({"rule": name} | counts | {"never there": never})
    return pd.DataFrame(lines)


def _overhead(rows: Rows) -> pd.DataFrame:
    """On the test set, where each forecast is asked for one chance."""
    own = where(rows["looks"], side=TEST).merge(rows["pools"], on=["source", "side", "task"])
    cells = []
    for method, mine in own.groupby("method", sort=False):
        ms = 1000 * mine["seconds"].sum() / max(1, mine["forecasts"].sum())
        cells.append({
            "rule": TITLES[str(method)], "forecasts per run": f"{(mine['forecasts'] / mine['runs']).mean():.1f}",
            "ms per forecast": f"{ms:.1f}", "seconds per task": f"{mine['seconds'].mean():.1f}",
        })  # fmt: skip
    return pd.DataFrame(cells)


def _pools(pools: pd.DataFrame) -> pd.DataFrame:
    titles = COLUMNS | {NOTHING: "where nothing learns"}
    return pd.DataFrame([
        {"source": titles[str(source)], "set": SIDES[str(side)], "tasks": f"{len(own)}", "runs": _range(own["runs"]),
         "epochs": _range(own["epochs"]), "left out": f"{own['left_out'].sum()}"}
        for (source, side), own in pools.groupby(["source", "side"], sort=False)
    ])  # fmt: skip


def _range(counts: pd.Series) -> str:
    return f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"


def claims(rows: Rows) -> list[Claim]:
    judged, stated = chosen.judged(rows["rows"]), []
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    for source, title in (SOURCES | {ALL: "all four sources together"}).items():
        when = chosen.reached(judged, source)
        speed, lead = chosen.faster(when, OURS), chosen.faster(when, OURS, CHOSEN)
        asks = f"On {title}, does {RULE} reach the final regret of never stopping"
        if source == "taskset":
            asks = f"{asks} as much faster as the paper prints?"
            stated.append(Claim("taskset_speed_up", asks, speed, AtLeast(least), "×", least))
        else:
            stated.append(Claim(f"{source}_speed_up", f"{asks} faster?", speed, Above(1), "×"))
        asks = f"On {title}, is {RULE} at least as fast as patience tuned on other tasks?"
        stated.append(Claim(f"{source}_patience", asks, lead, AtLeast(1), "×"))
        asks = f"On {title}, does {RULE} end with at most the regret of never stopping?"
        stated.append(Claim(f"{source}_no_harm", asks, chosen.more_regret(judged, source), AtMost(0), "%"))
    together = chosen.reached(judged, ALL)
    for name, (rival, called) in RIVALS.items():
        asks = f"On all four sources together, is {RULE} faster than {called}?"
        stated.append(Claim(name, asks, chosen.faster(together, OURS, rival), Above(1), "×"))
    asks = f"Where no run learns, does {RULE} spend only a small share of the epochs of all runs?"
    return [*stated, Claim("nothing_spent", asks, spent_in_vain(judged).get(OURS), AtMost(0.2), "%")]
