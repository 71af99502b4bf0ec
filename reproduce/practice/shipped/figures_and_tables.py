"""The released model: figures and tables."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.forecasting.doubts import RARE
from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import ticks
from reproduce.practice.shipped.cases import HOLES, SEEN
from reproduce.practice.shipped.claims import gap

TITLES = {"shipped": "released model", "whole": "network of whole runs"}


def figures(rows: Rows) -> dict[str, Figure]:
    made = {}
    if "rows" in rows and not _case_gains(rows["rows"]).empty:
        made["holes"] = _draw_holes(_case_gains(rows["rows"]))
    if "odd" in rows:
        made["odd"] = _draw_odd(_flagged(rows["odd"]))
    return made


def _draw_holes(gains: pd.DataFrame) -> Figure:
    figure, ax = plt.subplots(figsize=(7, 0.42 * len(gains) + 0.9), layout="constrained")
    for place, row in enumerate(gains.itertuples()):
        ax.plot([row.low, row.high], [place, place], color=style.colour("ours"), linewidth=2)
        ax.plot(row.value, place, "o", color=style.colour("ours"))
    ax.axvline(0, color=style.faint(), linestyle=":")
    ax.set_yticks(range(len(gains)), gains["case"])
    ax.invert_yaxis()
    ax.set_xscale("symlog", linthresh=0.1)  # a hundredth of a nat and eight
    ticks(ax, (-0.1, -0.05, 0, 0.05, 0.1, 1, 10), "g")
    ax.set_xlabel("lead over the network of whole runs, nats per point (higher is better)")
    return figure


def _draw_odd(shares: pd.DataFrame) -> Figure:
    kinds = list(dict.fromkeys(shares["kind"]))
    cutoffs = sorted(shares["cutoff"].unique())
    figure, ax = plt.subplots(figsize=(7, 0.34 * len(kinds) + 1.1), layout="constrained")
    for i, cutoff in enumerate(cutoffs):
        some = shares[shares["cutoff"] == cutoff].set_index("kind").loc[kinds]
        places = np.arange(len(kinds)) + 0.18 * (i - (len(cutoffs) - 1) / 2)
        strength = 0.35 + 0.65 * (i + 1) / len(cutoffs)
        line_style: dict[str, Any] = {"color": style.colour("ours"), "alpha": strength}
        ax.hlines(places, 0, some["value"], linewidth=2.5, **line_style)
        ax.plot(some["value"], places, "o", markersize=3.5, label=f"{cutoff} epochs observed", **line_style)
    ax.axvline(RARE, color=style.faint(), linestyle=":")
    ax.set_yticks(range(len(kinds)), kinds)
    ax.invert_yaxis()
    ax.set_xlim(-0.01, 1.02)
    ax.set_xlabel("share of curves with a warning")
    ax.legend(frameon=False, loc="lower right")
    return figure


def tables(rows: Rows) -> Rows:
    made = {}
    if "rows" in rows:
        made["likelihood"] = _likelihood(rows["rows"])
        made["holes"] = _hole_table(rows["rows"])
    if "odd" in rows:
        shares = _flagged(rows["odd"])
        shares["share"] = [f"{100 * value:.1f} %" for value in shares["value"]]
        wide = shares.pivot(index="kind", columns="cutoff", values="share").loc[
            list(dict.fromkeys(shares["kind"]))
        ]
        made["odd"] = (
            wide.rename(columns=lambda c: f"{c} observed").reset_index().rename(columns={"kind": "curves"})
        )
    return made


def _likelihood(rows: pd.DataFrame) -> pd.DataFrame:
    """By the number of observed epochs; and the gap to the exact posterior where it was computed."""
    whole, cells = rows[rows["case"] == "whole"], []
    for cutoff in sorted(whole["cutoff"].unique()):
        row = {"epochs observed": f"{cutoff}"}
        for method in ("shipped", "whole"):
            row[TITLES[method]] = _shown(
                Interval.of_mean(where(whole, method=method, cutoff=cutoff)["ll"]), 3
            )
        row["below the exact posterior"] = _shown(gap(whole, "judge", "shipped", cutoff), 3)
        ours = where(whole, method="shipped", cutoff=cutoff)
        held = ours["cover90"].dropna() if "cover90" in ours else pd.Series(dtype=float)
        row["coverage, 90 % interval"] = _shown(Interval.of_mean(100 * held), 1, " %")
        cells.append(row)
    return pd.DataFrame(cells)


def _hole_table(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for case in [f"all {SEEN}", *HOLES]:
        seen = rows[rows["case"] == case]
        row = {"epochs observed": f"{case} of {SEEN}" if case in HOLES else case}
        for method in ("shipped", "whole"):
            mine = where(seen, method=method, cutoff=SEEN)
            row[TITLES[method]] = _shown(Interval.of_mean(mine["ll"]), 3)
            held = 100 * mine["cover90"] if len(mine) else mine["ll"]
            row[f"in 90 %, {method}"] = _shown(Interval.of_mean(held), 1, " %")
        cells.append(row)
    return pd.DataFrame(cells).rename(
        columns={"in 90 %, shipped": "its coverage", "in 90 %, whole": "coverage, network of whole runs"}
    )


def _shown(found: Interval | None, digits: int, unit: str = "") -> str:
    return "–" if found is None else found.plus_minus(f".{digits}f") + unit


def _case_gains(rows: pd.DataFrame) -> pd.DataFrame:
    found = []
    for case in [f"all {SEEN}", *HOLES]:
        lead = gap(rows[rows["case"] == case], "shipped", "whole", SEEN)
        if lead is not None:
            found.append({"case": case} | lead._asdict())
    return pd.DataFrame(found)


def _flagged(odd: pd.DataFrame) -> pd.DataFrame:
    """The share of the curves of a kind that get a warning."""
    kinds = odd["kind"].replace(
        {"loss, not turned": "loss given as a score", "between 1 and 2": "values between 1 and 2"}
    )
    flags = odd.assign(kind=kinds, flag=(odd["in_prior"] < RARE).astype(float))
    return flags.groupby(["kind", "cutoff"], sort=False)["flag"].agg(value="mean", n="size").reset_index()
