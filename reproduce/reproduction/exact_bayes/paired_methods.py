"""Differences of two methods on the same curves."""

import pandas as pd
import torch

from curvecast.scores import metrics


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    mine = rows[rows["cutoff"] == cutoff].pivot(index="curve", columns="method", values="ll")
    return (mine[ours] - mine[theirs]).dropna() if {ours, theirs} <= set(mine) else pd.Series(dtype=float)


def lead(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> metrics.Estimate | None:
    """Their mean, paired by curve, or None."""
    found = gaps(rows, ours, theirs, cutoff)
    return metrics.estimate(torch.tensor(found.to_numpy())) if len(found) else None
