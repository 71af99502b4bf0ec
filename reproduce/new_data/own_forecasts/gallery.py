"""Pictures of forecasts of our own runs, at equal distances from the best to the worst, both included."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.scores.quantile_scores import LEVELS
from reproduce._press import style
from reproduce._press.where import where
from reproduce.new_data._chosen_runs import TITLES, ChosenRun
from reproduce.pictures.bands import bands
from reproduce.protocols.forecasters import Ask

AT = 20  # per cent observed
BANDS = {"q05": 0.05, "q25": 0.25, "q50": 0.5, "q75": 0.75, "q95": 0.95}


def chosen(scored: pd.DataFrame, method: str, most: int) -> list[int]:
    """Numbers of curves from the best to the worst, by their CRPS divided by the last value's."""
    wide = where(scored, seen=AT).pivot_table(index="curve", columns="method", values="crps")
    order = (wide[method] / (wide["last"] + 1e-6)).sort_values().index
    return [int(i) for i in order[np.unique(np.linspace(0, len(order) - 1, most).round().astype(int))]]


def pictures(found: list[ChosenRun], numbers: list[int], ask: Ask) -> pd.DataFrame:
    """Of each curve its values, and the intervals of its future points."""
    frames = []
    for place, number in enumerate(numbers):
        one, cutoff = found[number].trial, found[number].trial.cutoff(AT)
        seen = torch.from_numpy(one.seen)[None]
        density = ask(seen[:, :cutoff], len(one.values) - cutoff)
        own = one.scale.back(torch.cat([density.quantile(float(level)) for level in LEVELS]).double().numpy())
        own = own[::-1] if one.scale.metric.minimise else own
        frame = pd.DataFrame(
            {"place": place, "curve": number, "point": range(1, len(one.values) + 1), "value": one.values}
        )
        for name, level in BANDS.items():
            frame[name] = np.r_[np.full(cutoff, np.nan), own[round(level * 20) - 1]]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def draw(shown: pd.DataFrame, curves: pd.DataFrame) -> Figure:
    rows = [row for row in TITLES if row in set(shown["row"])]
    columns = shown["place"].max() + 1
    figure, axes = plt.subplots(
        len(rows), columns, figsize=(2.1 * columns, 1.75 * len(rows)), squeeze=False, layout="constrained"
    )
    for line, row in zip(axes, rows, strict=True):
        for ax, (_, own) in zip(line, where(shown, row=row).groupby("place"), strict=False):
            _one(ax, own)
            (about,) = where(curves, row=row, curve=own["curve"].iloc[0]).itertuples()
            ax.set_title(f"{about.learner}, {about.task}", fontsize=8)
        line[0].set_ylabel(TITLES[row], fontsize=8)
    return figure


def _one(ax: Axes, own: pd.DataFrame) -> None:
    ours = style.colour("shipped")
    later = own.dropna(subset=["q50"])
    bands(ax, later["point"], later, ours, {("q05", "q95"): 0.18, ("q25", "q75"): 0.35})
    ax.plot(later["point"], later["q50"], color=ours, linewidth=1.2)
    ax.plot(own["point"], own["value"], ".", color=style.ink(), markersize=2)
    values = pd.concat([own["value"], later["q50"]])
    room = 0.3 * float(values.max() - values.min()) + 0.01
    ax.set_ylim(values.min() - room, values.max() + room)  # a much wider interval leaves the picture
    ax.tick_params(labelsize=7)
