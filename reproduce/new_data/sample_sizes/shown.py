"""Scores -> a figure and a table for each metric: each method divided by the last value, by share observed and input."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import where
from reproduce.new_data import _factors
from reproduce.new_data.sample_sizes.ways import WAYS
from reproduce.pictures.panels import around, legend, panels, ticks
from reproduce.protocols.real_curve import SHARES


def _title(method: str) -> str:
    name, _, way = method.partition(", ")
    return f"{style.name(name)}, {WAYS[way]}" if way else style.name(name)


def figure(found: pd.DataFrame) -> Figure:
    """CRPS divided by the last value's; dashes and dots are the other two inputs."""
    metrics, dashes = list(found["row"].unique()), dict(zip(WAYS, ("-", "--", ":"), strict=True))
    drawn, axes = panels([metric.replace("loss", "log-loss") for metric in metrics], (8, 3.8), sharey=True)
    for ax, metric in zip(axes, metrics, strict=True):
        ax.axhline(1, color=style.ink(), linewidth=1, linestyle=":")
        for method in (name for name in found["method"].unique() if name != "last"):
            name, _, way = method.partition(", ")
            ratios = [_factors.factor(where(found, row=metric, seen=seen), method, "last") for seen in SHARES]
            line_style = style.line(name, label=_title(method)) | ({"linestyle": dashes[way]} if way else {})
            values = [one.value if one else np.nan for one in ratios]
            ax.plot(SHARES, values, marker="o", markersize=3, **line_style)
        ax.set_xticks(SHARES)
    axes[0].set(yscale="log", ylabel="CRPS / last value’s (lower is better)")
    ticks(axes[0], (0.5, 1, 2, 5, 10, 20), side="y")
    around(drawn, "share of the sizes observed, %")
    legend(drawn, axes, 2, fontsize=8)
    return drawn


def table(own: pd.DataFrame) -> pd.DataFrame:
    """A line for each method, with 10 / 20 / 40 / 70 % of the sizes observed."""
    at = f"at {' / '.join(map(str, SHARES))} % observed"
    return pd.DataFrame([
        {"method": _title(method), f"CRPS / last value’s {at}": _factors.by_share(own, method, "crps", SHARES),
         f"error / last value’s {at}": _factors.by_share(own, method, "error", SHARES),
         f"coverage of the 90 % interval {at}": _factors.by_share(own, method, "in90", SHARES)}
        for method in own["method"].unique()
    ])  # fmt: skip
