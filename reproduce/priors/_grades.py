"""How good a density is at the values that came, and the mean of that over seeds and curves."""

from typing import Any

import pandas as pd
from torch import Tensor

from presswork.intervals import Interval


def grades(density: Any, y: Tensor) -> tuple[Tensor, Tensor]:
    """Of each value (B, Q): nats, and 1 in the 90 % interval."""
    return density.log_density(y), ((density.cdf(y) - 0.5).abs() <= 0.45).float()


def over_seeds_and(units: pd.DataFrame) -> Interval | None:
    """The mean of a line a seed, a column a curve or source, where both vary; of one seed, its columns alone."""
    return Interval.of_seeds_and_curves(units) or Interval.of_mean(units.mean(axis=0))
