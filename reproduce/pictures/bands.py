"""A forecast as a picture: bands of quantiles, and a window in which a curve and its bands can be seen."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes


def bands(
    axis: Axes,
    x: pd.Series,
    rows: pd.DataFrame,
    colour: str,
    strengths: Mapping[tuple[str, str], float],
    *names: str,
) -> None:
    """The columns of each pair are the ends of a band, the widest first; its strength is 0 to 1. `names` for a legend."""
    for place, ((low, high), alpha) in enumerate(strengths.items()):
        named: dict[str, Any] = {"label": names[place]} if names else {}
        axis.fill_between(x, rows[low], rows[high], color=colour, alpha=alpha, linewidth=0, **named)


def window(axis: Axes, values: pd.Series) -> None:
    """Around the middle of all values; the farthest hundredth of them may leave the picture."""
    middle, reach = values.median(), max(0.06, 1.1 * (values - values.median()).abs().quantile(0.99))
    axis.set(xlim=(0, 100), ylim=(middle - reach, middle + reach))
