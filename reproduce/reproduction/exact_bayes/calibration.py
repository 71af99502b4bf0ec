"""Is a forecast calibrated? The quantiles at which the future points fall, and the coverage of its intervals.

Rows: method, cutoff, kind, at, share, se. Kind "pit": share of the future points whose quantile in the forecast (its
distribution function at the point) lies in the bin that begins at `at`. Kind "band": share inside the central interval
of level `at`, its coverage. Standard errors are over curves.
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
    """`place`: quantiles (n, Q) of the future points of n curves."""
    shares = []
    bins = (place.clamp(0, 1 - 1e-7) * BINS).long()
    for k in range(BINS):
        shares.append(("pit", k / BINS, (bins == k).double().mean(1)))
    for level in LEVELS:
        shares.append(("band", level, ((place - 0.5).abs() < level / 2).double().mean(1)))
    return pd.DataFrame(
        {"method": method, "cutoff": cutoff, "kind": kind, "at": at, "share": share.mean().item(),
         "se": share.std().item() / len(share) ** 0.5 if len(share) > 1 else float("nan")}
        for kind, at, share in shares
    )  # fmt: skip


def draw(rows: pd.DataFrame, styles: dict[str, str], figure: Figure, axes: Iterable[Sequence[Axes]]) -> None:
    """Two panels for each cutoff: histogram of the quantiles, and coverage less the level of the interval."""
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
        line[0].set(xlim=(0, 1), ylim=(0, None), ylabel="density", title=f"{cutoff} epochs observed")
        line[1].set(ylabel="coverage − level,\npercentage points")
    axes[-1][0].set_xlabel("quantile of the future point in its forecast")
    axes[-1][1].set_xlabel("level of the central interval")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
