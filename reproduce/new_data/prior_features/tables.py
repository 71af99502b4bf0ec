"""Tables of what each variant improves and costs."""

import numpy as np
import pandas as pd

from curvecast.curves.tuning_and_test import TEST, TUNING
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.new_data._chosen import TITLES as BENCHMARKS
from reproduce.new_data._scores_by_benchmark import number
from reproduce.new_data.prior_features import beside, claims, pictures
from reproduce.new_data.prior_features.pictures import SHOWN
from reproduce.new_data.prior_features.scored import CUTOFFS
from reproduce.new_data.prior_features.variants import TITLES


def tables(rows: Rows) -> Rows:
    if not {"rows", "curves", "own"} <= set(rows):
        return {}
    found = beside.each(rows)
    made = {
        "bought": bought(rows, found),
        "held": held(rows, found),
        "price": price(rows),
        "read": read(rows),
    }
    return {name: table for name, table in made.items() if len(table)}


def bought(rows: Rows, found: pd.DataFrame) -> pd.DataFrame:
    """CRPS divided by the new prior's; last, the cost of the variant on the paper's curves."""
    shown = " / ".join(map(str, SHOWN))
    return pd.DataFrame([
        {"CRPS / the new prior’s": TITLES[name]}
        | {title: _value(beside.ratio(found, name, row)) for row, title in BENCHMARKS.items()}
        | {"all benchmarks": number(np.exp(where(found, method=name).groupby("row")["log"].mean().mean())),
           f"cost in nats per point at {shown} epochs":
           " / ".join(_value(pictures.price(rows, name, cutoff)) for cutoff in SHOWN)}
        for name in beside.there(found)
    ])  # fmt: skip


def _value(found: Interval | None) -> str:
    return number(found.value) if found else "–"


def held(rows: Rows, found: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the 90 % interval by variant, in per cent: a cell is a benchmark at 10, 20 or 40 % observed."""
    cells = {name: claims.held(rows, name) for name in beside.there(found)}
    return pd.DataFrame([
        {"coverage, %": TITLES[name], "on average": _percent(own.mean()), "in the worst cell": _percent(own.min()),
         "cells from 82 to 98 %": f"{own.between(0.82, 0.98).sum()} of {len(own)}"}
        | {title: _shares(own, row) for row, title in BENCHMARKS.items()}
        for name, own in cells.items()
    ])  # fmt: skip


def _shares(own: pd.Series, row: str) -> str:
    return " / ".join(_percent(value) for value in own[row]) if row in own.index else "–"


def _percent(share: float) -> str:
    return number(100 * share, 0)


def price(rows: Rows) -> pd.DataFrame:
    """The figure in numbers, at all numbers of observed epochs, with 95 % intervals over curves."""
    names = [name for name in TITLES if len(where(rows["own"], method=name, rival="old"))]
    return pd.DataFrame([
        {"nats per point below the paper’s prior": TITLES[name]}
        | {f"after {cutoff} epochs": in_cell(pictures.price(rows, name, cutoff), ".3f", "–") for cutoff in CUTOFFS}
        for name in names
    ])  # fmt: skip


def read(rows: Rows) -> pd.DataFrame:
    """Which tables of real curves were read, in the words of the page."""
    own = rows["read"].drop(columns="part", errors="ignore").astype(str)
    own["row"], own["side"] = (
        own["row"].replace(BENCHMARKS),
        own["side"].replace({TUNING: "tuning set", TEST: "test set"}),
    )
    return own.rename(columns={"row": "benchmark", "side": "set"})
