"""Many comparisons at once: which are still clear after Holm's correction."""

import math
from collections.abc import Mapping

import pandas as pd
import scipy.stats

from presswork.intervals import Key, holm


def p_value(apart: pd.DataFrame) -> float:
    """Two-sided, of a mean of zero, where seeds (lines) and curves (columns) both vary: Welch's degrees of freedom."""
    means = apart.mean(axis=1), apart.mean(axis=0)
    squares, freedoms = [float(one.sem()) ** 2 for one in means], [one.count() - 1 for one in means]
    total = sum(squares)
    spread = sum(square**2 / freedom for square, freedom in zip(squares, freedoms, strict=True) if freedom)
    freedom = total**2 / spread if spread > 0 else math.inf
    return float(2 * scipy.stats.t.sf(abs(means[0].mean()) / math.sqrt(total), freedom)) if total > 0 else 1.0


def clearly_above(found: Mapping[Key, pd.DataFrame]) -> dict[Key, bool]:
    """Which differences are above zero at 5 %, corrected for all of them."""
    adjusted = holm({key: p_value(apart) for key, apart in found.items()})
    return {key: p < 0.05 and float(found[key].to_numpy().mean()) > 0 for key, p in adjusted.items()}
