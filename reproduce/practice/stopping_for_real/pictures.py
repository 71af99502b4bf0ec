"""Pictures: how much sooner by rule and source, regret by what is spent, other settings, and where nothing learns."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.scores.regret import NONE, regrets, sooner
from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice._chosen import CHOSEN, OURS, SOURCES, judged, of_source, reached

NAMES = {  # of rules, and their styles, from top to bottom
    OURS: ("LC-PFN that ships", "shipped"),
    f"{OURS}, four looks": ("LC-PFN that ships, four looks", "coarse"),
    "old": ("LC-PFN of the paper’s prior", "old"),
    "last value": ("last value", "last"),
    "DeepHyper’s rule": ("DeepHyper’s rule", "mmf4"),
    CHOSEN: ("patience, chosen elsewhere", "patience"),
    "one epoch": ("one epoch", "one epoch"),
    "halving": ("successive halving", "rungs"),
    "ASHA": ("ASHA", "rungs"),
    "Hyperband": ("Hyperband", "rungs"),
    "oracle": ("oracle", "oracle"),
}
DRAWN = (NONE, OURS, "old", CHOSEN, "one epoch", "Hyperband", "oracle")  # as lines of regret
LOWEST = 1e-3  # of an axis of regret, on which nothing lies lower
EDGE = 0.3  # of the axis of times sooner: never lies there


def figures(rows: Rows, resamples: int) -> dict[str, Figure]:
    found = judged(rows["rows"])
    sources = [source for source in SOURCES if len(of_source(found, source))]
    if not sources:
        return {}
    made = {"speed": _speed(found, sources, resamples), "regret": _regret(found, sources)}
    return made | {"settings": _settings(where(rows["rows"], side="look"), sources, resamples)}


def _speed(found: pd.DataFrame, sources: list[str], resamples: int) -> Figure:
    figure, axes = _panels(sources, (8.6, 6.4), sharey=True)
    methods = list(NAMES)[::-1]
    for axis, source in zip(axes, sources, strict=True):
        when = reached(found, source, resamples)
        for place, method in enumerate(methods):
            if method in when:
                _dot(axis, place, Interval.of_resamples(sooner(when, method)), NAMES[method][1])
        _times_sooner(axis, SOURCES[source])
    axes[0].set_yticks(range(len(methods)), [NAMES[method][0] for method in methods])
    return figure


def _dot(axis: Axes, place: float, told: Interval, styled: str) -> None:
    colour = style.colour(styled)
    axis.plot([max(told.low, EDGE), max(told.high, EDGE)], [place, place], color=colour)
    if told.value > EDGE:
        axis.plot(told.value, place, "o", color=colour, markersize=5)
    else:
        axis.text(EDGE * 1.05, place + 0.2, "never" if not told.value else "below", color=colour, fontsize=8)


def _times_sooner(axis: Axes, title: str) -> None:
    axis.axvline(1, color=style.ink(), linewidth=1)
    axis.set(xscale="log", xlim=(EDGE, 30), xlabel="times sooner", title=title)
    axis.set_xticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axis.minorticks_off()


def _regret(found: pd.DataFrame, sources: list[str]) -> Figure:
    figure, axes = _panels(sources, (8.6, 6.4))
    for axis, source in zip(axes, sources, strict=True):
        told = regrets(of_source(found, source))
        for method in (one for one in DRAWN if one in told):
            mean = told[method].mean()
            name, styled = NAMES.get(method, ("no stopping", "none"))
            height = mean.clip(lower=LOWEST)
            axis.plot([int(spent) / 10 for spent in mean.index], height, **style.line(styled, label=name))
        axis.set(xscale="log", yscale="log", xlim=(1, 100), title=SOURCES[source], ylabel="regret")
        axis.set_xlabel("per cent of the budget spent")
        axis.set_xticks([1, 10, 100], ["1", "10", "100"])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _settings(look: pd.DataFrame, sources: list[str], resamples: int) -> Figure:
    """On the tasks of *look*: other chances, other numbers of epochs that every run gets."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.2), sharey=True)
    for source in sources:
        when = reached(look, source, resamples)
        for axis, (word, own) in zip(axes, (("chance", "0.05"), ("least", "2")), strict=True):
            told = {float(m.split()[1]): sooner(when, m)[0] for m in when if m.startswith(f"{word} ")}
            told |= {float(own): sooner(when, OURS)[0]} if OURS in when else {}
            places = sorted(told)
            axis.plot(
                places,
                [told[one] for one in places],
                marker="o",
                markersize=4,
                **style.line(LINES[source], label=SOURCES[source]),
            )
    axes[0].set(xscale="log", xlabel="chance δ", ylabel="times sooner", ylim=(0, None))
    axes[1].set(xlabel="epochs that every run gets")
    axes[1].legend()
    return figure


LINES = {"taskset": "shipped", "own": "ours", "algoperf": "laws", "deepobs": "new"}


def _panels(sources: list[str], size: tuple[float, float], sharey: bool = False) -> tuple[Figure, list[Axes]]:
    columns = 2 if len(sources) > 1 else 1
    lines = max(1, -(-len(sources) // columns))
    figure, axes = plt.subplots(lines, columns, figsize=size, sharey=sharey, squeeze=False)
    for axis in axes.flat[len(sources) :]:
        axis.set_visible(False)
    return figure, list(axes.flat[: len(sources)])
