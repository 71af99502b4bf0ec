"""Names beside the right ends of lines, in place of a legend that one would have to look up."""

import numpy as np
from matplotlib.axes import Axes

from reproduce._press import style


def name_lines(axis: Axes, ends: dict[str, tuple[float, str]], room: float = 0.055) -> None:
    """{name: (height of the right end of its line, colour)}; moved no further than keeps names apart, each by `room`."""
    from scipy.optimize import isotonic_regression  # slow to import, and most jobs draw nothing

    there, back = (np.log10, lambda y: 10**y) if axis.get_yscale() == "log" else (np.asarray, np.asarray)
    low, high = there(axis.get_ylim())
    names = sorted(ends, key=lambda name: ends[name][0])
    least = (high - low) * room * np.arange(len(names))
    places = back(least + isotonic_regression(there([ends[name][0] for name in names]) - least).x)
    tick = {"arrowstyle": "-", "color": style.faint(), "shrinkA": 0, "shrinkB": 0}
    for name, place in zip(names, places, strict=True):
        end, colour = ends[name]
        axis.annotate(
            name, (1, end), (1.04, place), ("axes fraction", "data"), ("axes fraction", "data"),
            va="center", fontsize=8.5, color=colour, arrowprops=tick,
        )  # fmt: skip
