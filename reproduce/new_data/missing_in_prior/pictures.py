"""Features by benchmark: a panel for each, and tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reproduce._press import style
from reproduce._press.where import Rows, where
from reproduce.new_data.missing_in_prior import beside
from reproduce.new_data.missing_in_prior.beside import REFERENCES, TITLES
from reproduce.new_data.missing_in_prior.features import FEATURES

QUANTILES = (0.1, 0.5, 0.9)
WIDE = ("jump",)  # features of which some are a hundred times others
OF_POINTS = ("repeated", "bound")
SHORT = {
    "size": "size of residuals", "memory": "autocorrelation", "waves": "slow waves", "settles": "size, last / first third",
    "tails": "heavy tails", "jump": "largest jump", "rise": "rise at the end", "repeated": "repeated values",
    "bound": "at a bound", "falls": "fall from the best",
}  # fmt: skip


def panels(found: pd.DataFrame) -> Figure:
    """Of curves that learn: the median and the central 80 %."""
    own = beside.real(found)
    figure, axes = plt.subplots(2, 5, figsize=(11, 5.6), sharey=True, layout="constrained")
    for ax, feature in zip(axes.flat, FEATURES, strict=True):
        for place, frame in enumerate(own.values()):
            _line(ax, -place, found, frame, feature)
        ax.set_title(SHORT[feature])
        ax.set_xlabel(FEATURES[feature], fontsize=8)
        if feature in WIDE:
            ax.set_xscale("log")
            ax.minorticks_off()
        if feature in OF_POINTS:
            ax.set_xlim(-0.02, 1.02)
    axes[0, 0].set_yticks([-i for i in range(len(own))], [TITLES[row] for row in own])
    figure.legend(handles=_legend(), loc="outside upper center", ncols=3)
    return figure


def _line(ax: Axes, place: int, found: pd.DataFrame, own: pd.DataFrame, feature: str) -> None:
    for up, (kind, colour) in enumerate((("paper", style.ink()), ("laws", style.colour("laws")))):
        low, middle, high = beside.reference(found, kind, own)[feature].quantile(QUANTILES)
        edge = place - 0.4 + 0.4 * up
        ax.fill_between([low, high], edge, edge + 0.4, color=colour, alpha=0.25, linewidth=0)
        ax.plot([middle, middle], [edge, edge + 0.4], color=colour, linewidth=1, alpha=0.7)
    low, middle, high = own[feature].quantile(QUANTILES)
    ax.plot([low, high], [place, place], color=style.colour("ours"), linewidth=1.5)
    ax.plot([middle], [place], color=style.colour("ours"), marker="o", markersize=4)


def _legend() -> list[Line2D | Patch]:
    return [
        Line2D([], [], color=style.colour("ours"), marker="o", markersize=4, label="real curves"),
        Patch(color=style.ink(), alpha=0.25, label=f"curves of {REFERENCES['paper']}, about as long"),
        Patch(color=style.colour("laws"), alpha=0.25, label=f"curves of {REFERENCES['laws']}, about as long"),
    ]


def tables(found: pd.DataFrame) -> Rows:
    return {"learning": _medians(found), "distance": _distances(found)}


def _medians(found: pd.DataFrame) -> pd.DataFrame:
    """Medians and central 80 % of curves that learn, by benchmark; below them the references, by length."""
    own = beside.real(found)
    cells = [
        _cells(TITLES[row], frame, f"{len(where(found, row=row))}, {frame['group'].nunique()} groups")
        for row, frame in own.items()
    ]
    for kind, name in REFERENCES.items():
        for length, frame in where(found, row=kind, learns=True).groupby("points"):
            cells.append(
                _cells(f"{name}, {length} points", frame, f"{len(where(found, row=kind, points=length))}")
            )
    return pd.DataFrame(cells)


def _cells(title: str, own: pd.DataFrame, of: str) -> dict[str, str]:
    head = {"benchmark": title, "curves": f"{len(own)} of {of}", "points": f"{own['points'].median():.0f}"}
    return head | {SHORT[name]: _three(own[name]) for name in FEATURES}


def _three(values: pd.Series) -> str:
    low, middle, high = values.quantile(QUANTILES)
    digits = 1 if np.nanmax(np.abs([low, middle, high])) >= 10 else 2
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})" if values.notna().any() else "–"


def _distances(found: pd.DataFrame) -> pd.DataFrame:
    """To the paper's prior, and to our run simulator."""
    cells = []
    for row, own in beside.real(found).items():
        each = {
            SHORT[name]: [beside.distance(found, own, kind, name) for kind in REFERENCES] for name in FEATURES
        }
        cells.append(
            {"benchmark": TITLES[row]}
            | {name: "{:.2f} → {:.2f}".format(*both) for name, both in each.items()}
        )
    return pd.DataFrame(cells)
