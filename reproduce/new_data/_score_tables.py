"""Tables of scores: a line for each row of a report, or for each method. `titles` are those of the rows."""

import numpy as np
import pandas as pd

from reproduce._press import style
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.new_data import _cells
from reproduce.new_data._cells import OURS, cell
from reproduce.protocols.real_curve import SHARES

Titles = dict[str, str]


def tables(rows: Rows, titles: Titles) -> Rows:
    found = _cells.each(rows)
    made = {"bands": bands, "crps": crps, "ranks": ranks, "learning": learning}
    return {name: make(found, titles) for name, make in made.items()}


def bands(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Of the network that ships, in the form in which the goal was set."""
    shown = " / ".join(map(str, SHARES))
    return pd.DataFrame([
        {"row": title, f"in the 90 % band at {shown} %": _each(found, row, "in90"),
         "± at 40 %": _half(cell(found, row, 40, "in90")), f"in the 50 % band at {shown} %": _each(found, row, "in50"),
         f"error / last value at {shown} %": _each(found, row, "ratio")}
        for row, title in titles.items()
    ])  # fmt: skip


def _each(found: pd.DataFrame, row: str, score: str) -> str:
    cells = [cell(found, row, seen, score) for seen in SHARES]
    return " / ".join(f"{told.value:.2f}" if told else "–" for told in cells)


def _half(told: Interval | None) -> str:
    """Half of the width; a dash where one group alone tells nothing of others."""
    return f"{(told.high - told.low) / 2:.2f}" if told and not np.isnan(told.low) else "–"


def crps(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Over that of the last value: below 1 is better than doing nothing."""
    return pd.DataFrame([
        {"mean CRPS over that of the last value": style.name(method)}
        | {title: number(_cells.crps_ratio(found, row, method, "last")) for row, title in titles.items()}
        for method in _cells.methods(found)
    ])  # fmt: skip


def ranks(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    ranked = {title: _cells.ranks(found, row) for row, title in titles.items()}
    return pd.DataFrame([
        {"mean rank by log-likelihood": style.name(method)}
        | {title: number(rank.get(method, np.nan), 1) for title, rank in ranked.items()}
        for method in _cells.methods(found)
    ])  # fmt: skip


def learning(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Curves that learn and those that do not, apart: most of some sources never leave chance."""
    cells = []
    for row, title in titles.items():
        for learns, name in ((True, "learning"), (False, "not learning")):
            own = found[(found["row"] == row) & (found["learns"] == learns)]
            count = own["curve"].nunique()
            if count:
                cells.append({
                    "row": title, "curves": f"{count} {name}",
                    "in the 90 % band at 10 / 20 / 40 / 70 %": _each(own, row, "in90"),
                    "error / last value at 10 / 20 / 40 / 70 %": _each(own, row, "ratio"),
                    "CRPS / last value": number(_cells.crps_ratio(own, row, OURS, "last")),
                })  # fmt: skip
    return pd.DataFrame(cells)


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"
