"""Pictures of real runs by kind, and how many there are of each kind."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.factory.tasks import TASKS
from reproduce._press import style
from reproduce.new_data._kinds import KINDS, Pair, kind
from reproduce.protocols.own_runs import OwnRun

SHOWN = 6  # runs in a panel
HEADS = {"learner": "model", "task": "data set"}
LEARNERS = {
    "networks": "networks, PyTorch", "mlp": "networks, scikit-learn", "sgd": "linear model, SGD",
    "boosting": "gradient boosting", "histogram": "gradient boosting, histograms", "ada": "AdaBoost",
    "forest": "random forest", "sizes": "several, by training rows",
}  # fmt: skip


def drops(pair: Pair) -> bool:
    """The learning rate drops at an epoch, and the run has learnt."""
    shape = pair.accuracy.settings.get("schedule", {}).get("shape")
    return shape == "drops" and kind(pair) in ("rises", "overfits")


def over(x: str) -> Callable[[Pair], bool]:
    return lambda pair: pair.accuracy.x == x and kind(pair) in ("rises", "overfits")


def of_kind(*names: str) -> Callable[[Pair], bool]:
    return lambda pair: pair.accuracy.x == "epoch" and kind(pair) in names


PANELS: list[tuple[str, Callable[[Pair], bool], str]] = [
    ("rising: accuracy", of_kind("rises"), "accuracy"),
    ("late start: accuracy", of_kind("late"), "accuracy"),
    ("learning-rate drop: accuracy", drops, "accuracy"),
    ("collapse or divergence", of_kind("collapses", "diverges"), "accuracy"),
    ("overfitting: log-loss", of_kind("overfits"), "loss"),
    ("trees: log-loss", over("tree"), "loss"),
    ("training rows: accuracy", over("rows"), "accuracy"),
    ("training rows: log-loss", over("rows"), "loss"),
]


def gallery(pairs: list[Pair]) -> Figure:
    figure, axes = plt.subplots(2, 4, figsize=(10, 4.6), layout="constrained")
    for ax, (title, fits, metric) in zip(axes.flat, PANELS, strict=True):
        chosen = spread([getattr(pair, metric) for pair in pairs if fits(pair)])
        for run in chosen:
            ax.plot(run.steps, run.values, color=style.colour("ours"), linewidth=0.9, alpha=0.75)
        ax.set_title(title)
        ax.set_xlabel({"tree": "trees", "rows": "training rows"}.get(chosen[0].x if chosen else "", "epoch"))
        if chosen and chosen[0].x == "rows":
            ax.set_xscale("log", base=2)
            ax.set_xticks([16, 64, 256, 1024], labels=["16", "64", "256", "1024"])
        if metric == "loss":
            ax.set_yscale("log")
            ax.yaxis.set_major_formatter("{x:g}")
            ax.yaxis.set_minor_formatter("")
    return figure


def spread(runs: list[OwnRun]) -> list[OwnRun]:
    """Runs at equal distances in the order of the plan, not selected by hand."""
    places = np.linspace(0, len(runs) - 1, min(SHOWN, len(runs))).round().astype(int)
    return [runs[place] for place in places]


def kinds_by(pairs: list[Pair], what: str) -> pd.DataFrame:
    """Of each learner or task the runs, the different settings, and how many runs are of each kind."""
    frame = pd.DataFrame(
        {"named": getattr(pair.accuracy, what), "group": pair.accuracy.group, "kind": kind(pair)} for pair in pairs
    )  # fmt: skip
    said = LEARNERS if what == "learner" else {name: task.title for name, task in TASKS.items()}
    cells = [_line(said[name], own) for name, own in frame.groupby("named", sort=False)]
    return pd.DataFrame([*cells, _line("all", frame)]).rename(columns={"named": HEADS[what]})


def _line(name: str, own: pd.DataFrame) -> dict[str, str]:
    counts = own["kind"].value_counts()
    kinds = {words: f"{counts.get(key, 0):,}" for key, words in KINDS.items()}
    return {"named": name, "runs": f"{len(own):,}", "settings": f"{own['group'].nunique()}"} | kinds
