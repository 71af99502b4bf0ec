"""Figures: speed-up by rule and source, regret by the share of the budget spent, and other settings of the rule."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TUNING
from curvecast.scores.regret import NONE, regrets
from reproduce._press import style
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import legend, panels
from reproduce.pictures.speed_ups import speed_ups
from reproduce.practice._chosen import CHOSEN, OURS, SOURCES, faster, judged, of_source, reached

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
DRAWN = (NONE, OURS, "old", CHOSEN, "one epoch", "Hyperband", "oracle")  # as lines of regret
LOWEST = 1e-3  # smaller regrets are drawn here
EDGE = 0.1  # left end of the axis of speed-ups


def figures(rows: Rows) -> dict[str, Figure]:
    found = judged(rows["rows"])
    sources = [source for source in SOURCES if len(of_source(found, source))]
    if not sources:
        return {}
    made = {"speed": _speed(found, sources), "regret": _regret(found, sources)}
    return made | {"settings": _settings(where(rows["rows"], side=TUNING), sources)}


def _speed(found: pd.DataFrame, sources: list[str]) -> Figure:
    figure, axes = panels([SOURCES[source] for source in sources], (8.6, 6.4), 2, sharey=True)
    methods = list(NAMES)[::-1]
    for axis, source in zip(axes, sources, strict=True):
        when = reached(found, source)
        speed_ups(axis, [(faster(when, method), NAMES[method][1]) for method in methods], EDGE, 30)
    axes[0].set_yticks(range(len(methods)), [NAMES[method][0] for method in methods])
    return figure


def _regret(found: pd.DataFrame, sources: list[str]) -> Figure:
    figure, axes = panels([SOURCES[source] for source in sources], (8.6, 6.4), 2)
    for axis, source in zip(axes, sources, strict=True):
        told = regrets(of_source(found, source))
        for method in (one for one in DRAWN if one in told):
            mean = told[method].mean()
            name, styled = NAMES.get(method, ("never stopping", "none"))
            height = mean.clip(lower=LOWEST)
            axis.plot([int(spent) / 10 for spent in mean.index], height, **style.line(styled, label=name))
        axis.set(
            xscale="log",
            yscale="log",
            xlim=(1, 100),
            xlabel="budget spent, %",
            ylabel="regret (lower is better)",
        )
        axis.set_xticks([1, 10, 100], ["1", "10", "100"])
    legend(figure, axes, 4)
    return figure


def _settings(rows: pd.DataFrame, sources: list[str]) -> Figure:
    """On the tuning set: other thresholds of the chance, other numbers of epochs before the first check."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.2), sharey=True)
    for source in sources:
        when = reached(rows, source)
        for axis, (word, own) in zip(axes, (("chance", "0.05"), ("least", "2")), strict=True):
            tried = {float(m.split()[1]): faster(when, m) for m in when if m.startswith(f"{word} ")}
            every = sorted((tried | {float(own): faster(when, OURS)}).items())
            told = [(place, one.value) for place, one in every if one]
            shape = style.line(LINES[source], label=SOURCES[source])
            axis.plot(*zip(*told, strict=True), marker="o", markersize=4, **shape)
    axes[0].set(
        xscale="log",
        xlabel="threshold δ of the chance",
        ylabel="speed-up, × (higher is better)",
        ylim=(0, None),
    )
    axes[1].set(xlabel="epochs before the first check")
    if axes[1].lines:
        axes[1].legend()
    return figure


LINES = {"taskset": "shipped", "own": "ours", "algoperf": "laws", "deepobs": "new"}
