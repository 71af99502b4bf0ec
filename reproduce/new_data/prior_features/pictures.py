"""A line for each variant, a panel for each benchmark, or for each number of observed epochs."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data._chosen import TITLES as BENCHMARKS
from reproduce.new_data.prior_features import beside
from reproduce.new_data.prior_features.beside import BASE
from reproduce.new_data.prior_features.variants import SEEDS, TITLES, WITHOUT
from reproduce.pictures.panels import around, panels, ticks

SHOWN = (10, 20, 40)  # epochs observed
STEPS = (1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)  # factors that an axis may name
MOST = 0.10  # nats per point: the limit that was set for the cost


def figures(rows: Rows) -> dict[str, Figure]:
    found = beside.each(rows)
    measured = [name for name in beside.there(found) if name not in (BASE, *SEEDS)]
    features = [name for name in measured if name in WITHOUT]
    others = [name for name in measured if name not in WITHOUT]
    drawn = {"features": _real(found, features, BENCHMARKS), "priors": _real(found, others, BENCHMARKS)}
    return {name: figure for name, figure in drawn.items() if figure} | _price(rows)


def _real(found: pd.DataFrame, names: list[str], rows: dict[str, str]) -> Figure | None:
    """CRPS divided by the new prior's; grey: seed-to-seed variation."""
    if not names:
        return None
    figure, axes = _panels(list(rows.values()), names)
    for ax, row in zip(axes, rows, strict=True):
        moved = beside.luck(found, row)
        if moved:
            ax.axvspan(1 / moved, moved, color=style.faint(), alpha=0.6, linewidth=0)
        ax.set_xscale("log")
        _dots(ax, names, {name: beside.ratio(found, name, row) for name in names}, 1.0)
        ticks(ax, _around_one(*ax.get_xlim()), ".3g")
    around(figure, "CRPS / that of the new prior’s network (right is worse; grey: seed-to-seed variation)")
    return figure


def _around_one(low: float, high: float) -> list[float]:
    """1 and the widest round factor that fits on either side of it."""
    reach = max(high, 1 / low)
    step = max((step for step in STEPS if step <= reach), default=STEPS[0])
    return [tick for tick in (1 / step, 1.0, step) if low <= tick <= high]


def _price(rows: Rows) -> dict[str, Figure]:
    """The cost on curves of the paper's prior: how far a variant scores below that prior's network."""
    own = where(rows["own"], rival="old") if "own" in rows else pd.DataFrame(columns=["method"])
    names = [name for name in TITLES if name != "old" and (own["method"] == name).any()]
    if not names:
        return {}
    figure, axes = _panels([f"{cutoff} epochs observed" for cutoff in SHOWN], names)
    for ax, cutoff in zip(axes, SHOWN, strict=True):
        ax.axvline(MOST, color=style.ink(), linewidth=1, linestyle=":")
        _dots(ax, names, {name: price(rows, name, cutoff) for name in names}, 0.0)
    around(figure, "nats per point below the network of the paper’s prior (left is better)")
    return {"price": figure}


def price(rows: Rows, method: str, cutoff: int, rival: str = "old") -> Interval | None:
    """How far the rival scores above, on the paper's curves; the interval is over curves, not over seeds."""
    if "own" not in rows:
        return None
    own = where(rows["own"], method=method, cutoff=cutoff, rival=rival)
    if not len(own):
        return None
    return Interval.with_error(-own["gain"].iloc[0], own["se"].iloc[0])


def _panels(titles: list[str], names: list[str]) -> tuple[Figure, list[Axes]]:
    columns = min(3, len(titles))
    lines = -(-len(titles) // columns)
    return panels(titles, (2 + 2.2 * columns, 0.6 + lines * (0.5 + 0.2 * len(names))), columns, sharey=True)


def _dots(ax: Axes, names: list[str], cells: dict[str, Interval | None], none: float) -> None:
    ax.axvline(none, color=style.ink(), linewidth=1)
    for place, name in enumerate(names):
        told = cells[name]
        if told:
            ax.plot([told.low, told.high], [place, place], color=style.colour("new"), linewidth=1.2)
            ax.plot(told.value, place, "o", color=style.colour("new"), markersize=4)
    ax.set_yticks(np.arange(len(names)), [TITLES[name] for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(labelsize=8)
