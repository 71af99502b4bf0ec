"""Tables of forecasts of real curves."""

from pathlib import Path

import pandas as pd

from reproduce._press.where import Rows, where
from reproduce.new_data import _score_tables, _warned
from reproduce.new_data._chosen import titles
from reproduce.new_data.real_curves import effort, means

READINGS = Path(__file__).parents[1] / "readings.csv"


def tables(rows: Rows, learning: float) -> Rows:
    readings = pd.read_csv(READINGS, dtype=str)
    if not (named := titles(rows)):
        return {"readings": readings}
    tables = _score_tables.tables(rows, named) | {"curves": _curves(rows), "readings": readings}
    if "effort" in rows:
        tables["effort"] = effort.table(rows["effort"])
    return tables | _warned.tables(rows, named) | means.tables(rows, learning)


def _curves(rows: Rows) -> pd.DataFrame:
    """What was forecast, and how many forecasts were refused."""
    return pd.DataFrame([
        {"benchmark": title, "curves": f"{len(own)}", "groups": f"{own['group'].nunique()}",
         "tasks": f"{own['task'].nunique()}", "points (median)": f"{own['points'].median():.0f}",
         "that learn": f"{100 * own['learns'].mean():.0f} %", "points clipped": f"{100 * own['clipped'].mean():.2f} %",
         "refused by the exact posterior": _refused(rows, row, "exact"), "by MCMC": _refused(rows, row, "vector"),
         "licence": own["licence"].iloc[0]}
        for row, title in titles(rows).items()
        for own in [where(rows["curves"], row=row)]
    ])  # fmt: skip


def _refused(rows: Rows, row: str, method: str) -> str:
    own = where(rows["rows"], row=row, method=method)["crps"]
    return f"{own.isna().sum()} of {len(own)}" if len(own) else "–"
