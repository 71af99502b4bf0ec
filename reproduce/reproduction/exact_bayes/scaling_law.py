"""What training longer buys: nats below the exact posterior against weights × curves, and the power law through them."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.intervals import Interval, means_again
from reproduce._press.where import Rows, where
from reproduce.reproduction._slope import slope
from reproduce.reproduction.exact_bayes.paired_methods import below_exact

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)  # nats


class PowerLaw(NamedTuple):
    """lost = scale (effort / first)^-power between the two ends of `reach`."""

    scale: float
    power: Interval
    reach: tuple[float, float]


def effort(training: pd.DataFrame) -> dict[str, float]:
    """Weights times curves. Operations would be a multiple of it, another one for each recipe."""
    return dict(zip(training["method"], 1.0 * training["parameters"] * training["curves"], strict=True))


def power_law(rows: Rows, ladder: list[str], cutoff: int) -> PowerLaw | None:
    """A straight line through the logarithms, for one size trained for ever longer, one training each."""
    table = where(rows["rows"], cutoff=cutoff).pivot(index="curve", columns="method", values="ll")
    cost = effort(rows["training"])
    names = sorted((n for n in ladder if n in cost and n in table), key=cost.__getitem__)
    if len(names) < 4 or "exact" not in table:
        return None
    both = table[["exact", *names]].dropna()
    lost = both[["exact"]].to_numpy() - both[names].to_numpy()  # (curves, trainings)
    x = np.log([cost[n] / cost[names[0]] for n in names])
    means = means_again(lost, 400)
    if (means <= 0).any():
        return None  # no logarithm: the longest training reaches the posterior within its error
    starts = np.polyfit(x, np.log(means.T), 1)[1]
    reach = (cost[names[0]], cost[names[-1]])
    return PowerLaw(float(np.exp(starts[0])), slope(x, np.log(means)).negated(), reach)


def draw(
    rows: Rows, ladder: list[str], cutoffs: list[int], styles: dict[str, str], shown: dict[str, str]
) -> Figure:
    """One shade for each cutoff, a point for each training, and the line where the ladder has four rungs."""
    figure, axis = plt.subplots(figsize=(7, 3.8))
    cost = effort(rows["training"])
    lost = below_exact(rows["rows"])
    for cutoff, shade in zip(cutoffs, (1.0, 0.65, 0.4), strict=False):
        for name, spent in cost.items():
            if estimate := lost.get((name, cutoff)):
                kind = styles.get(name, "large")
                axis.errorbar(spent, estimate.value, yerr=estimate.half, color=style.colour(kind), alpha=shade,
                              marker="D" if kind == "paper" else "o", markersize=5)  # fmt: skip
                if cutoff == cutoffs[0] and name in styles and name not in ladder:
                    shift = (-9, 4) if name in shown else (-7, -12)
                    axis.annotate(shown.get(name, style.name(kind)), (spent, estimate.value), xytext=shift, ha="right",
                                  textcoords="offset points", color=style.colour(kind), fontsize=9)  # fmt: skip
        if fit := power_law(rows, ladder, cutoff):
            x = np.geomspace(*fit.reach, 50)
            y = fit.scale * (x / fit.reach[0]) ** -fit.power.value
            axis.plot(x, y, color=style.colour("large"), alpha=shade)
            axis.annotate(f"{cutoff} epochs", (x[-1], y[-1]), xytext=(8, -3), textcoords="offset points",
                          color=style.colour("large"), fontsize=9)  # fmt: skip
    axis.set(xscale="log", yscale="log", xlabel="weights × training curves",
             ylabel="nats per point below the exact\nposterior (lower is better)")  # fmt: skip
    axis.margins(x=0.12)
    low, high = axis.get_ylim()
    axis.set_yticks([tick for tick in TICKS if low <= tick <= high])
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_formatter("")
    return figure
