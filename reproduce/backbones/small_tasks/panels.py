"""A panel for each task: the share of right answers, a point for each seed."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import where
from reproduce.backbones.small_tasks.claims import COUNTING, TITLES
from reproduce.backbones.small_tasks.tasks import TASKS
from reproduce.pictures.panels import panels

COLOURS = {1: "small", 2: "medium", 4: "large"}  # by the length of training


def draw(rows: pd.DataFrame, backbones: tuple[str, ...]) -> Figure:
    """The share of right answers, a point for each seed."""
    names = [*backbones, COUNTING][::-1]
    figure, axes = panels(TASKS, (9.4, 1.3 + 0.27 * len(names)), sharey=True, sharex=True)
    for axis, task in zip(axes, TASKS, strict=True):
        _panel(axis, where(rows, task=task), names, task)
    axes[0].set_yticks(range(len(names)), [TITLES.get(name, name) for name in names])
    title = "length of the sequence, relative to training"
    axes[-1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, title=title, fontsize=9)
    for axis in axes:
        axis.set_xlabel("right answers, %\n(right is better)")
    return figure


def _panel(axis: Axes, rows: pd.DataFrame, names: list[str], task: str) -> None:
    """Where a task has several lengths, the longest is the lowest."""
    lengths = TASKS[task].times
    for place, times in enumerate(lengths):
        mine, below = where(rows, times=times), 0.22 * (place - (len(lengths) - 1) / 2)
        colour = style.colour(COLOURS[times] if len(lengths) > 1 else "ours")
        at = [names.index(name) - below for name in mine["backbone"]]
        axis.plot(100 * mine["right"], at, ".", markersize=7, color=colour, label=f"{times}×")
    axis.axvline(100 / TASKS[task].values, color=style.ink(), linewidth=1, linestyle=":")
    axis.set(xlim=(-3, 103))
    axis.grid(axis="y", alpha=0.3)
