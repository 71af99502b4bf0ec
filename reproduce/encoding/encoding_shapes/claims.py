"""The shapes of positional encodings, as sentences that can fail. What was not measured has no verdict."""

import numpy as np
import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.encoding.encoding_shapes.figures_and_tables import codes, cosines


def claims(rows: Rows) -> list[Claim]:
    """Nothing here is drawn by chance but weights and one deal, so a number is its own interval."""
    blind = seen = twins = apart = None
    if "layernorm" in rows:
        moved = rows["layernorm"].astype({"factor": float}).set_index(["norm", "encoding", "factor"])["moved"]
        blind, seen = float(moved["pre", "euclidean", 1.0]), float(moved["post", "euclidean", 1.0])
    if "sweep" in rows:
        nearest = rows["sweep"].astype({"base": float}).set_index(["base", "width"])["nearest"]
        twins, apart = float(nearest[10_000.0, 2]), float(nearest[10_000.0, 32])
    before = (
        "With the norm before its layers, no network sees the Euclidean encoding: what it finds moves by less "
        "than {most}: {value}."
    )
    after = "With the norm after, it can: what it finds moves by more than {least}: {value:.1f}."
    near = (
        "With one pair of columns, no two of 100 epochs have the same code, but two are only {least} to {most} "
        "apart: {value:.3f}."
    )
    far = "With 32 columns and base 10,000 the two nearest are more than {least} apart: {value:.2f}."
    return [
        claim("prenorm_is_blind", before, Interval.exactly(blind), "< 0.001"),
        claim("postnorm_sees", after, Interval.exactly(seen), "> 0.1"),
        claim("near_twins", near, Interval.exactly(twins), "between 0.001 and 0.1"),
        claim("rows_differ", far, Interval.exactly(apart), "> 0.1"),
        _neighbours(rows),
    ]


def _neighbours(rows: Rows) -> Claim:
    """What training changes, seed by seed."""
    found = None
    if "learned" in rows:
        table = rows["learned"]
        grown = [
            _likeness(mine[mine["when"] == "after"]) - _likeness(mine[mine["when"] == "before"])
            for _, mine in table.groupby("seed")
        ]
        found = Interval.of_mean(pd.Series(grown))
    sentence = (
        "Training makes neighbouring rows more alike, beside rows 50 epochs apart, by {value:.2f} in cosine."
    )
    return claim("neighbours_grow_alike", sentence, found, "> 0")


def _likeness(table: pd.DataFrame) -> float:
    """Mean cosine of neighbours, above that of rows 50 epochs apart."""
    alike = cosines(codes(table))
    return float(np.diagonal(alike, 1).mean() - np.diagonal(alike, 50).mean())
