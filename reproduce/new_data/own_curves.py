"""What do real learning curves look like? About a thousand that anyone can train."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

from presswork import Above, Claim, Estimates, Interval, Rows, style, there
from reproduce.new_data import _run_plan as plan
from reproduce.new_data import _run_tasks as tasks
from reproduce.new_data import _run_training as factory
from reproduce.new_data._our_runs import KINDS, Pair, ends_lower, kind, overfits, pairs
from reproduce.new_data._run_plan import Run
from reproduce.new_data._run_tasks import Measured
from reproduce.pictures.panels import panels, ticks
from reproduce.protocols.own_runs import OwnRun, own_runs

SHOWN = 6  # runs in a panel
HAVE_LEARNT = ("rises", "overfits")
LEARNERS = {
    "networks": "networks, PyTorch", "mlp": "networks, scikit-learn", "sgd": "linear model, SGD",
    "boosting": "gradient boosting", "histogram": "gradient boosting, histograms", "ada": "AdaBoost",
    "forest": "random forest", "sizes": "several, by training rows",
}  # fmt: skip


@dataclass(frozen=True)
class Config:
    """How much of the plan is trained. What is trained at one scale is trained at the larger ones, too."""

    tasks: tuple[str, ...] = tuple(tasks.TASKS)  # on which networks are trained in banks
    banks: int = 4  # of each task
    abreast: int = 20  # networks of a bank
    sgd: int = 50
    mlp: int = 20
    histogram: int = 30
    boosting: int = 40
    ada: int = 30
    forest: int = 50
    sizes: int = 80
    steps: int = 100  # epochs or trees
    seed: int = 0


SCALES = {
    "smoke": Config(banks=1, abreast=2, sgd=3, mlp=1, histogram=1, boosting=1, ada=1, forest=3, sizes=3, steps=20),
    "laptop": Config(banks=1, abreast=15, sgd=15, mlp=5, histogram=10, boosting=15, ada=10, forest=15, sizes=30),
    "paper": Config(),
}  # fmt: skip

DIVERGES = "networks at rates of 8 and above diverge, and no two kinds of chip agree on how"
LABEL_FREE = {"ends_lower": "a share of all runs, of which each group is one vote, whatever it trained"}
TOLERANCES = {"rows.loss": (0.05, DIVERGES), "rows.accuracy": (0.02, DIVERGES)}

TABLES = {
    "runs": ("run", "learner", "task", "group", "seed", "x", "classes", "guess", "broke", "settings"),
    "rows": ("run", "step", "accuracy", "loss"),  # step 0: the untrained network
}

PARTS = ("networks-{task}", *plan.SETTINGS, "sizes")


def measure(config: Config, part: str, task: str | None) -> Rows:
    with factory.one_thread():
        runs = list(_trained(config, part, task))
    return {
        "runs": pd.DataFrame([_settings(run, curves) for run, curves in runs]),
        "rows": pd.concat([_points(run, curves) for run, curves in runs], ignore_index=True),
    }


def banks(config: Config, part: str, task: str | None) -> list[list[Run]]:
    """The runs of a part; those of one bank are trained side by side."""
    if task:
        return plan.networks(task, config.banks, config.abreast, config.seed, config.steps)
    if part == "sizes":
        return [[run] for run in plan.sizes(config.sizes, config.seed)]
    return [[run] for run in plan.single_runs(part, getattr(config, part), config.seed, config.steps)]


def _trained(config: Config, part: str, task: str | None) -> Iterator[tuple[Run, Measured]]:
    shown = tqdm(banks(config, part, task), desc=part, disable=not sys.stderr.isatty(), dynamic_ncols=True)
    for bank in shown:
        yield from zip(bank, factory.train_bank(bank) if task else [factory.train(bank[0])], strict=True)


def _settings(run: Run, curves: Measured) -> dict[str, object]:
    split = tasks.split(run.task, run.seed)
    return {
        "run": run.name, "learner": run.learner, "task": run.task, "group": run.group, "seed": run.seed, "x": run.x,
        "classes": split.classes, "guess": round(split.guess(), 4), "broke": curves.broke,
        "settings": json.dumps(run.settings, separators=(",", ":")),
    }  # fmt: skip


def _points(run: Run, curves: Measured) -> pd.DataFrame:
    """Rounded to less than a held-out row, and to four digits of the loss."""
    points = pd.DataFrame({"step": curves.steps, "accuracy": curves.accuracy, "loss": curves.loss})
    points.insert(0, "run", run.name)
    if curves.untrained is not None:
        first = pd.DataFrame([{"run": run.name, "step": 0, **curves.untrained._asdict()}])
        points = pd.concat([first, points], ignore_index=True)
    points["loss"] = [float(f"{loss:.4g}") for loss in points["loss"]]
    return points.round({"accuracy": 4})


def estimates(rows: Rows) -> Estimates:
    """Shares of runs, from one value for each group, so that near copies count once; ("learners", "runs"): all there are."""
    every = pairs(own_runs(rows, least=20))
    epochs = [pair for pair in every if pair.accuracy.x == "epoch"]
    found = {}
    for name, some, holds in (("ends lower", every, ends_lower), ("overfits", epochs, overfits)):
        flags = pd.DataFrame({"group": p.accuracy.group, "holds": float(holds(p))} for p in some)
        if len(flags) and (share := Interval.of_mean(flags.groupby("group")["holds"].mean())):
            found[name] = share.of_share()
    return found | there({("learners", "runs"): Interval.exactly(len(rows["runs"]))})


# ---------------------------------------------------------------------------------------------------- shown


def drops(pair: Pair) -> bool:
    """The learning rate drops at an epoch, and the run has learnt."""
    shape = pair.accuracy.settings.get("schedule", {}).get("shape")
    return shape == "drops" and kind(pair) in HAVE_LEARNT


def over(x: str, *kinds: str) -> Callable[[Pair], bool]:
    return lambda pair: pair.accuracy.x == x and kind(pair) in (kinds or HAVE_LEARNT)


PANELS: list[tuple[str, Callable[[Pair], bool], str]] = [
    ("rising: accuracy", over("epoch", "rises"), "accuracy"),
    ("late start: accuracy", over("epoch", "late"), "accuracy"),
    ("learning-rate drop: accuracy", drops, "accuracy"),
    ("collapse or divergence", over("epoch", "collapses", "diverges"), "accuracy"),
    ("overfitting: log-loss", over("epoch", "overfits"), "loss"),
    ("trees: log-loss", over("tree"), "loss"),
    ("training rows: accuracy", over("rows"), "accuracy"),
    ("training rows: log-loss", over("rows"), "loss"),
]


def draw(rows: Rows) -> dict[str, Figure]:
    """Runs by kind; a panel stays empty where there is no such run."""
    every = pairs(own_runs(rows, least=20))
    figure, axes = panels([title for title, *_ in PANELS], (10, 4.6), 4)
    for ax, (_, fits, metric) in zip(axes, PANELS, strict=True):
        chosen = spread([getattr(pair, metric) for pair in every if fits(pair)])
        for run in chosen:
            ax.plot(run.steps, run.values, color=style.colour("ours"), linewidth=0.9, alpha=0.75)
        ax.set_xlabel({"tree": "trees", "rows": "training rows"}.get(chosen[0].x if chosen else "", "epoch"))
        if chosen and chosen[0].x == "rows":
            ax.set_xscale("log", base=2)
            ticks(ax, (16, 64, 256, 1024))
        if metric == "loss":
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter("")
    return {"gallery": figure}


def spread(runs: list[OwnRun]) -> list[OwnRun]:
    """Runs at equal distances in the order of the plan, not selected by hand."""
    places = np.linspace(0, len(runs) - 1, min(SHOWN, len(runs))).round().astype(int)
    return [runs[place] for place in places]


def tabulate(rows: Rows) -> Rows:
    """Of each learner the runs, the different settings, and how many runs are of each kind."""
    runs = pd.DataFrame(
        [(pair.accuracy.learner, pair.accuracy.group, kind(pair)) for pair in pairs(own_runs(rows, least=1))],
        columns=["learner", "group", "kind"],
    )  # fmt: skip
    each = [(LEARNERS[name], own) for name, own in runs.groupby("learner", sort=False)]
    return {"learners": pd.DataFrame([
        {"model": title, "runs": f"{len(own):,}", "settings": f"{own['group'].nunique()}"}
        | {words: f"{(own['kind'] == name).sum():,}" for name, words in KINDS.items()}
        for title, own in [*each, ("all", runs)]
    ])}  # fmt: skip


def claims() -> list[Claim]:
    return [
        Claim("ends_lower", "Do more than a few of our runs end below their first accuracy, which no curve of the "
              "paper’s prior does before noise is added?", "ends lower", Above(0.05), "%"),
        Claim("overfits", "Do many of our runs over epochs end with a log-loss more than a tenth above their best?",
              "overfits", Above(0.25), "%"),
    ]  # fmt: skip
