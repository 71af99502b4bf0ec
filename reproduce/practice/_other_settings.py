"""The stopping rule of the released model with other settings, on the tuning set: "chance 0.01", "least 5"."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.estimates import Estimates, those_of
from reproduce.practice._chosen import OURS, SOURCES

LINES = {"taskset": "shipped", "own": "ours", "algoperf": "laws", "deepobs": "new"}
WORDS = {"chance": "δ = {}", "least": "first check after {} epochs"}


def draw(speed: Estimates, sources: list[str]) -> Figure:
    """On the tuning set: other thresholds of the chance, other numbers of epochs before the first check."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.2), sharey=True)
    for source in sources:
        mine = those_of(speed, source)
        for axis, word, own in zip(axes, ("chance", "least"), (0.05, 2.0), strict=True):
            tried = {float(rule.split()[1]): rule for rule in mine if rule.startswith(f"{word} ")}
            every = sorted((tried | {own: OURS}).items())
            told = [(place, mine[rule].value) for place, rule in every if rule in mine]
            shape = style.line(LINES[source], label=SOURCES[source])
            axis.plot(*zip(*told, strict=True), marker="o", markersize=4, **shape)
    axes[0].set(xscale="log", xlabel="threshold δ of the chance")
    axes[0].set(ylabel="speed-up, × (higher is better)", ylim=(0, None))
    axes[1].set(xlabel="epochs before the first check")
    if axes[1].lines:
        axes[1].legend()
    return figure


def lines(rows: pd.DataFrame) -> dict[str, str]:
    """Of a table: the paper's settings, and others."""
    split = {rule: rule.split() for rule in rows["method"].unique()}
    tried = {rule: WORDS[word].format(*value) for rule, (word, *value) in split.items() if word in WORDS}
    return {OURS: "δ = 0.05, first check after 2 epochs"} | tried
