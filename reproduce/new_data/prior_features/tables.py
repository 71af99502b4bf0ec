"""Tables of what each variant buys and costs."""

import numpy as np
import pandas as pd

from reproduce._press.intervals import in_cell
from reproduce._press.where import Rows, where
from reproduce.new_data._chosen import titles
from reproduce.new_data._score_tables import number
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
        "read": rows["read"].drop(columns="part", errors="ignore").astype(str),
    }
    return {name: table for name, table in made.items() if len(table)}


def bought(rows: Rows, found: pd.DataFrame) -> pd.DataFrame:
    """CRPS over that of the new prior's network; last, what the variant costs on the paper's curves."""
    shown = " / ".join(map(str, SHOWN))
    return pd.DataFrame([
        {"times the CRPS of the new prior": TITLES[name]}
        | {title: _ratio(found, name, row) for row, title in titles(rows).items()}
        | {"all rows": number(np.exp(where(found, method=name).groupby("row")["log"].mean().mean())),
           f"price in nats at {shown}": " / ".join(_nats(rows, name, cutoff) for cutoff in SHOWN)}
        for name in beside.there(found)
    ])  # fmt: skip


def _ratio(found: pd.DataFrame, name: str, row: str) -> str:
    told = beside.ratio(found, name, row)
    return number(told.value) if told else "–"


def _nats(rows: Rows, name: str, cutoff: int) -> str:
    told = pictures.price(rows, name, cutoff)
    return number(told.value) if told else "–"


def held(rows: Rows, found: pd.DataFrame) -> pd.DataFrame:
    """What the 90 % bands hold, by variant: each cell is a row of the report at a share seen."""
    cells = {name: claims.held(rows, name) for name in beside.there(found)}
    return pd.DataFrame([
        {"90 % bands": TITLES[name], "on average": number(own.mean()), "in the worst cell": number(own.min()),
         "cells from .82 to .98": f"{own.between(0.82, 0.98).sum()} of {len(own)}"}
        | {title: _shares(own, row) for row, title in titles(rows).items()}
        for name, own in cells.items()
    ])  # fmt: skip


def _shares(own: pd.Series, row: str) -> str:
    return " / ".join(number(value) for value in own[row]) if row in own.index else "–"


def price(rows: Rows) -> pd.DataFrame:
    """The same as the figure, at all numbers of epochs seen, with 95 % intervals over curves."""
    names = [name for name in TITLES if len(where(rows["own"], method=name, rival="old"))]
    return pd.DataFrame([
        {"nats a point less than the paper’s prior": TITLES[name]}
        | {f"after {cutoff} epochs": in_cell(pictures.price(rows, name, cutoff), ".3f", "–") for cutoff in CUTOFFS}
        for name in names
    ])  # fmt: skip
