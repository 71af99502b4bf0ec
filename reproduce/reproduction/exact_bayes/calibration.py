"""Is a forecast honest? Where the hidden points fall in it, and how many its bands hold: rows and their picture.

Rows: method, cutoff, kind, at, share, se. Kind "pit": share of the hidden points whose place in the forecast (its
distribution function at the point) lies in the bin that begins at `at`. Kind "band": share inside the central band
that should hold the share `at`. Standard errors are over curves.
"""

from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from reproduce._press import style as looks

BINS = 20
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


def rows(method: str, cutoff: int, place: Tensor) -> pd.DataFrame:
    """Places (n, Q) of the hidden points of n curves."""
    found = []
    bins = (place.clamp(0, 1 - 1e-7) * BINS).long()
    for k in range(BINS):
        found.append(("pit", k / BINS, (bins == k).double().mean(1)))
    for level in LEVELS:
        found.append(("band", level, ((place - 0.5).abs() < level / 2).double().mean(1)))
    return pd.DataFrame(
        {"method": method, "cutoff": cutoff, "kind": kind, "at": at, "share": share.mean().item(),
         "se": share.std().item() / len(share) ** 0.5 if len(share) > 1 else float("nan")}
        for kind, at, share in found
    )  # fmt: skip


def draw(rows: pd.DataFrame, styles: dict[str, str], figure: Figure, axes: Iterable[Sequence[Axes]]) -> None:
    """A line of two panels for each cutoff: histogram of the places, and what the bands hold beyond what they promise."""
    axes = list(axes)
    for line, (cutoff, mine) in zip(axes, rows.groupby("cutoff"), strict=True):
        for number, (method, style) in enumerate(styles.items()):
            own = mine[mine["method"] == method]
            line_style = looks.line(style)
            pit, band = own[own["kind"] == "pit"], own[own["kind"] == "band"]
            if len(own):
                named = {"color": line_style["color"], "label": line_style["label"]}
                line[0].stairs(pit["share"] * BINS, [*pit["at"], 1.0], linewidth=1.6, **named)
                shift = 0.008 * (number - (len(styles) - 1) / 2)
                line[1].errorbar(band["at"] + shift, 100 * (band["share"] - band["at"]), yerr=196 * band["se"],
                                 color=line_style["color"], marker="o", markersize=3, linewidth=1.2)  # fmt: skip
        line[0].axhline(1, color=looks.ink(), linewidth=0.8, linestyle=":")
        line[1].axhline(0, color=looks.ink(), linewidth=0.8, linestyle=":")
        line[0].set(xlim=(0, 1), ylim=(0, None), ylabel="density", title=f"{cutoff} epochs seen")
        line[1].set(ylabel="points of % too many")
    axes[-1][0].set_xlabel("place of the hidden point in its forecast")
    axes[-1][1].set_xlabel("share that the band promises")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
