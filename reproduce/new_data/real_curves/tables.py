"""Tables of forecasts of real curves."""

from pathlib import Path

import numpy as np
import pandas as pd

from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.new_data.real_curves import summary
from reproduce.new_data.real_curves.summary import EARLY, OURS, cell

Rows = dict[str, pd.DataFrame]

READINGS = Path(__file__).parents[1] / "readings.csv"


def tables(rows: Rows) -> Rows:
    readings = pd.read_csv(READINGS, dtype=str)
    found = summary.each(rows)
    if found.empty:
        return {"readings": readings}
    return {
        "bands": _bands(found), "crps": _crps(found), "ranks": _ranks(found), "learning": _learning(found),
        "curves": _curves(rows), "readings": readings,
    }  # fmt: skip


def _bands(found: pd.DataFrame) -> pd.DataFrame:
    """Of the network that ships, in the form in which the goal was set."""
    shown = " / ".join(map(str, EARLY))
    return pd.DataFrame([
        {"row": title, f"in the 90 % band at {shown} %": _three(found, row, "in90"),
         "± at 40 %": _half(cell(found, row, 40, "in90")), f"in the 50 % band at {shown} %": _three(found, row, "in50"),
         f"error / last value at {shown} %": _three(found, row, "ratio")}
        for row, title in summary.titles(found).items()
    ])  # fmt: skip


def _three(found: pd.DataFrame, row: str, score: str) -> str:
    cells = [cell(found, row, seen, score) for seen in EARLY]
    return " / ".join(f"{told.value:.2f}" if told else "–" for told in cells)


def _half(told: Interval | None) -> str:
    """Half of the width; a dash where one group alone tells nothing of others."""
    return f"{(told.high - told.low) / 2:.2f}" if told and not np.isnan(told.low) else "–"


def _crps(found: pd.DataFrame) -> pd.DataFrame:
    """Over that of the last value: below 1 is better than doing nothing."""
    return pd.DataFrame([
        {"mean CRPS over that of the last value": style.name(method)}
        | {title: _number(summary.crps_ratio(found, row, method, "last")) for row, title in summary.titles(found).items()}
        for method in summary.methods(found)
    ])  # fmt: skip


def _ranks(found: pd.DataFrame) -> pd.DataFrame:
    ranked = {title: summary.ranks(found, row) for row, title in summary.titles(found).items()}
    return pd.DataFrame([
        {"mean rank by log-likelihood": style.name(method)}
        | {title: _number(rank.get(method, np.nan), 1) for title, rank in ranked.items()}
        for method in summary.methods(found)
    ])  # fmt: skip


def _learning(found: pd.DataFrame) -> pd.DataFrame:
    """Curves that learn and those that do not, apart: most of some sources never leave chance."""
    cells = []
    for row, title in summary.titles(found).items():
        for learns, name in ((True, "learning"), (False, "not learning")):
            own = found[(found["row"] == row) & (found["learns"] == learns)]
            count = own["curve"].nunique()
            if count:
                cells.append({
                    "row": title, "curves": f"{count} {name}", "in the 90 % band at 10 / 20 / 40 %": _three(own, row, "in90"),
                    "error / last value at 10 / 20 / 40 %": _three(own, row, "ratio"),
                    "CRPS / last value": _number(summary.crps_ratio(own, row, OURS, "last")),
                })  # fmt: skip
    return pd.DataFrame(cells)


def _curves(rows: Rows) -> pd.DataFrame:
    """What was forecast, and how many forecasts were refused."""
    return pd.DataFrame([
        {"row": title, "curves": f"{len(own)}", "groups": f"{own['group'].nunique()}", "tasks": f"{own['task'].nunique()}",
         "points (median)": f"{own['points'].median():.0f}", "that learn": f"{own['learns'].mean():.0%}",
         "values clipped": f"{own['clipped'].mean():.2%}", "refused by exact Bayes": _refused(rows, row, "exact"),
         "by chains": _refused(rows, row, "vector"), "licence": own["licence"].iloc[0]}
        for row, title in summary.titles(rows["curves"]).items()
        for own in [where(rows["curves"], row=row)]
    ])  # fmt: skip


def _refused(rows: Rows, row: str, method: str) -> str:
    own = where(rows["rows"], row=row, method=method)["crps"]
    return f"{own.isna().sum()} of {len(own)}" if len(own) else "–"


def _number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"
