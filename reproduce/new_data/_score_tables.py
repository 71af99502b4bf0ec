"""Tables of scores: a line for each benchmark, or for each method. `titles` are those of the benchmarks."""

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
    """Of the released model, in the form in which the goal was set."""
    shown = f"{' / '.join(map(str, SHARES))} % observed"
    return pd.DataFrame([
        {"benchmark": title, f"coverage of the 90 % interval at {shown}": _each(found, row, "in90"),
         "± at 40 %": _half(cell(found, row, 40, "in90")),
         f"coverage of the 50 % interval at {shown}": _each(found, row, "in50"),
         f"error divided by last value’s at {shown}": _each(found, row, "ratio")}
        for row, title in titles.items()
    ])  # fmt: skip


def _each(found: pd.DataFrame, row: str, score: str) -> str:
    cells = [cell(found, row, seen, score) for seen in SHARES]
    return " / ".join(f"{scored.value:.2f}" if scored else "–" for scored in cells)


def _half(scored: Interval | None) -> str:
    """Half of the width; a dash for a single group, from which no interval follows."""
    return f"{(scored.high - scored.low) / 2:.2f}" if scored and not np.isnan(scored.low) else "–"


def crps(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Relative to the last value’s: below 1 is better than repeating the last value."""
    return pd.DataFrame([
        {"mean CRPS / last value’s (lower is better)": style.name(method)}
        | {title: number(_cells.crps_ratio(found, row, method, "last")) for row, title in titles.items()}
        for method in _cells.methods(found)
    ])  # fmt: skip


def ranks(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    ranked = {title: _cells.ranks(found, row) for row, title in titles.items()}
    return pd.DataFrame([
        {"mean rank by log-likelihood (1 is best)": style.name(method)}
        | {title: number(rank.get(method, np.nan), 1) for title, rank in ranked.items()}
        for method in _cells.methods(found)
    ])  # fmt: skip


def learning(found: pd.DataFrame, titles: Titles) -> pd.DataFrame:
    """Curves that learn and those that do not, separately: most curves of some sources never leave chance."""
    cells = []
    for row, title in titles.items():
        for learns, name in ((True, "learning"), (False, "not learning")):
            own = found[(found["row"] == row) & (found["learns"] == learns)]
            count = own["curve"].nunique()
            if count:
                cells.append({
                    "benchmark": title, "curves": f"{count} {name}",
                    "coverage of the 90 % interval at 10 / 20 / 40 / 70 % observed": _each(own, row, "in90"),
                    "error divided by last value’s at 10 / 20 / 40 / 70 % observed": _each(own, row, "ratio"),
                    "CRPS / last value’s": number(_cells.crps_ratio(own, row, OURS, "last")),
                })  # fmt: skip
    return pd.DataFrame(cells)


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"
