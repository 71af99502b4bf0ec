"""Names beside the right ends of lines, instead of a legend."""

import numpy as np
from matplotlib.axes import Axes

from reproduce._press import style


def name_lines(axis: Axes, ends: dict[str, tuple[float, str]], room: float = 0.055) -> None:
    """{name: (height of the right end of its line, colour)}; names move only as far as keeps them `room` apart."""
    from scipy.optimize import isotonic_regression  # slow to import, and most jobs draw nothing

    scale, back = (np.log10, lambda y: 10**y) if axis.get_yscale() == "log" else (np.asarray, np.asarray)
    low, high = scale(axis.get_ylim())
    names = sorted(ends, key=lambda name: ends[name][0])
    apart = (high - low) * room * np.arange(len(names))
    places = back(apart + isotonic_regression(scale([ends[name][0] for name in names]) - apart).x)
    tick = {"arrowstyle": "-", "color": style.faint(), "shrinkA": 1, "shrinkB": 0, "relpos": (0, 0.5)}
    for name, place in zip(names, places, strict=True):
        end, colour = ends[name]
        axis.annotate(
            name, (1, end), (1.04, place), ("axes fraction", "data"), ("axes fraction", "data"),
            va="center", fontsize=8.5, color=colour, arrowprops=tick,
        )  # fmt: skip
