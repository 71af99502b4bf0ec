"""What was timed in rounds: a row for each, and in it a dot for every round."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from reproduce._press import style


class Row(NamedTuple):
    name: str
    values: Iterable[float]
    colour: str = ""  # else the colour of the released model


def every_round(rows: Sequence[Row], across: str, log: bool = False, height: float | None = None) -> Figure:
    """From top to bottom. A scale that is not logarithmic begins at 0."""
    figure, axis = plt.subplots(figsize=(7, height or 0.32 * len(rows) + 0.9))
    for place, row in enumerate(rows):
        values, colour = list(row.values), row.colour or style.colour("shipped")
        axis.plot(values, [place] * len(values), "o", color=colour, markersize=4, alpha=0.7)
    axis.set_yticks(range(len(rows)), [row.name for row in rows])
    axis.invert_yaxis()
    axis.set_xlabel(across)
    if log:
        axis.set_xscale("log")
    else:
        axis.set_xlim(0, None)
    return figure
