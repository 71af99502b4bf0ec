"""Questions about the shapes of positional encodings. What was not measured has no answer."""

import numpy as np
import pandas as pd

from reproduce._press.claim import Above, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.encoding.encoding_shapes.figures_and_tables import codes, cosines


def claims(rows: Rows) -> list[Claim]:
    """Only weights and one permutation are random here, so most numbers have no interval."""
    blind = seen = twins = apart = None
    if "layernorm" in rows:
        moved = rows["layernorm"].astype({"factor": float}).set_index(["norm", "encoding", "factor"])["moved"]
        blind, seen = float(moved["pre", "euclidean", 1.0]), float(moved["post", "euclidean", 1.0])
    if "sweep" in rows:
        nearest = rows["sweep"].astype({"base": float}).set_index(["base", "width"])["nearest"]
        twins, apart = float(nearest[10_000.0, 2]), float(nearest[10_000.0, 32])
    euclidean = "does adding the Euclidean encoding (the distance from the start, in all columns)"
    before = f"In a pre-norm network with random weights, {euclidean} leave hidden states as they are?"
    after = f"In a post-norm network with random weights, {euclidean} change hidden states?"
    near = "With one pair of sin–cos columns, are the two nearest of 100 epochs distinct but close together?"
    far = "With 32 sin–cos columns and base 10,000, are even the two nearest of 100 epochs well separated?"
    return [
        Claim("prenorm_is_blind", before, Interval.exactly(blind), Below(0.001)),
        Claim("postnorm_sees", after, Interval.exactly(seen), Above(0.1)),
        Claim("near_twins", near, Interval.exactly(twins), Between(0.001, 0.1)),
        Claim("rows_differ", far, Interval.exactly(apart), Above(0.1)),
        _neighbours(rows),
    ]


def _neighbours(rows: Rows) -> Claim:
    """How much more similar neighbouring rows have become, over seeds."""
    found = None
    if "learned" in rows:
        table = rows["learned"]
        grown = [
            _likeness(mine[mine["when"] == "after"]) - _likeness(mine[mine["when"] == "before"])
            for _, mine in table.groupby("seed")
        ]
        found = Interval.of_mean(pd.Series(grown))
    question = "Does training make neighbouring rows of a learned table more similar, relative to rows 50 epochs away?"
    return Claim("neighbours_grow_alike", question, found, Above(0))


def _likeness(table: pd.DataFrame) -> float:
    """Mean cosine of neighbours, above that of rows 50 epochs apart."""
    alike = cosines(codes(table))
    return float(np.diagonal(alike, 1).mean() - np.diagonal(alike, 50).mean())
