"""Which backbone can recall, copy and induce?

Backbones with as many parameters learn three tasks of tokens, each of which needs another kind of memory. All train on the
same sequences, fresh in every step. For each backbone and task the better of two rates is chosen, in half as many steps, with
a seed that is used for nothing else. Backbones that recall few values train again, with four times the steps, and some
learn to copy from much further away.
"""

from dataclasses import dataclass, replace

import pandas as pd
from matplotlib.figure import Figure

from curvecast.ground.config import later
from reproduce._press.claim import Claim
from reproduce._press.where import where
from reproduce.backbones import _rows
from reproduce.backbones.small_tasks import claims as stated
from reproduce.backbones.small_tasks import panels
from reproduce.backbones.small_tasks.answerer import ROWS, parameters, width_of
from reproduce.backbones.small_tasks.claims import COUNTING, LONGER, TITLES
from reproduce.backbones.small_tasks.tasks import ALL_TASKS, FAR, TASKS, commonest, drawn
from reproduce.backbones.small_tasks.trained import SCORED, Training, answerer, right, train

LONGER_TIMES = 4
SEED = 100  # of the trainings that choose a rate
PART = COUNTING.replace(" ", "_")
STOPWATCHES = ("rows.seconds", "longer.seconds")
TABLES = {
    "rows": ("backbone", "task", "seed", "times", "width", "parameters", "rate", "seconds", "right"),
    "rates": ("backbone", "task", "rate", "right"),
    "longer": ("backbone", "task", "seed", "times", "width", "parameters", "rate", "seconds", "right"),
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = ROWS
    seeds: int = 3
    rates: tuple[float, ...] = (3e-3, 1e-2)
    training: Training = Training()
    longer: tuple[tuple[str, str], ...] = later(LONGER)  # where there is more than one rate to choose from


SCALES = {
    "smoke": Config(seeds=2, training=Training(2_000, 4, 4, scored=10), longer=()),
    "laptop": Config(("transformer, decoder", "S4, HiPPO"), 1, (1e-2,), Training(steps=200)),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = dict.fromkeys(
    ("longer", "parts"), "the same trainings with more steps; a test measures one"
)


def parts(config: Config) -> list[str]:
    longer = config.longer if len(config.rates) > 1 else ()
    shorter = [f"{task}-{_rows.part(name)}" for task in TASKS for name in config.rows]
    return [PART, *shorter, *(_longer(task, name) for task, name in longer)]


def _longer(task: str, name: str) -> str:
    return f"longer-{_rows.part(task)}-{_rows.part(name)}"


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    if part == PART:
        return {
            "rows": pd.DataFrame([line for seed in range(config.seeds) for line in _counted(config, seed)])
        }
    longer = {_longer(*one): one for one in config.longer}
    task, name = longer.get(part) or (part.partition("-")[0], _rows.named(part.partition("-")[2]))
    training = replace(config.training, steps=config.training.steps * (LONGER_TIMES if part in longer else 1))
    near = "copying" if task == FAR else task
    tried = [(rate, _tried(config, training, name, near, rate)) for rate in config.rates]
    rates = pd.DataFrame(tried, columns=["rate", "right"]).assign(backbone=name, task=near)
    rate = float(rates.loc[rates["right"].fillna(0).idxmax(), "rate"])
    lines = [line for seed in range(config.seeds) for line in _trained(training, name, task, rate, seed)]
    return (
        {"longer": pd.DataFrame(lines)} if part in longer else {"rows": pd.DataFrame(lines), "rates": rates}
    )


def _tried(config: Config, training: Training, name: str, task: str, rate: float) -> float:
    """The share of right answers with this rate, in half of the steps; NaN where there is only one rate to choose from."""
    if len(config.rates) == 1:
        return float("nan")
    half = replace(training, steps=training.steps // 2)
    net = answerer(name, TASKS[task], half, SEED)
    train(net, TASKS[task], half, rate, SEED)
    return right(net, TASKS[task], SEED, half.scored)


def _trained(training: Training, name: str, task: str, rate: float, seed: int) -> list[dict[str, object]]:
    """A line for each length."""
    what = ALL_TASKS[task]
    net = answerer(name, what, training, seed)
    seconds = round(train(net, what, training, rate, seed), 1)
    width = width_of(name, training.parameters)
    about = {"backbone": name, "task": task, "seed": seed, "width": width, "parameters": parameters(name, width),
             "rate": rate, "seconds": seconds}  # fmt: skip
    return [
        about | {"times": times, "right": right(net.eval(), what, seed, training.scored, times)}
        for times in what.times
    ]


def _counted(config: Config, seed: int) -> list[dict[str, object]]:
    """The baseline that answers the most frequent value, without reading the order of a sequence."""
    found = []
    for name, task in TASKS.items():
        for times in task.times:
            tokens, answers = drawn(task, seed, SCORED, config.training.scored, times)
            score = round(float((commonest(tokens, task.values) == answers).float().mean()), 4)
            found.append({"backbone": COUNTING, "task": name, "seed": seed, "times": times, "width": 0, "parameters": 0,
                          "rate": 0.0, "seconds": 0.0, "right": score})  # fmt: skip
    return found


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    return {"right": panels.draw(rows["rows"], config.rows)}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    asked = [(task, times) for task in TASKS for times in TASKS[task].times]
    lines, rates = [], []
    for name in (*config.rows, COUNTING):
        if (mine := where(rows["rows"], backbone=name)).empty:
            continue
        trained = name != COUNTING
        size = {"width": f"{mine['width'].iloc[0]}" if trained else "",
                "parameters": f"{mine['parameters'].iloc[0]:,}" if trained else ""}  # fmt: skip
        cells = {
            _head(task, times): _cell(where(mine, task=task, times=times)["right"]) for task, times in asked
        }
        more = {
            f"{task}, 4× the steps": _cell(where(rows["longer"], backbone=name, task=task, times=1)["right"])
            for task in ("recall", "induction", FAR)
        }
        lines.append({"backbone": TITLES.get(name, name)} | size | cells | more)
        if trained:
            rates.append({"backbone": name} | {task: _rate(where(mine, task=task)["rate"]) for task in TASKS})
    return {"right": pd.DataFrame(lines), "rates": pd.DataFrame(rates)}


def _head(task: str, times: int) -> str:
    return f"{task}, %" if times == 1 else f"{task}, {times}× length"


def _cell(right: pd.Series) -> str:
    """The mean, and the lowest seed."""
    return f"{100 * right.mean():.1f} ({100 * right.min():.1f})" if len(right) else ""


def _rate(rates: pd.Series) -> str:
    return f"{rates.iloc[0]:g}" if len(rates) else ""


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    return stated.claims(rows["rows"], rows["longer"])
