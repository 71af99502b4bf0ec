"""Fracast-0, a forecaster of any time series, as it is (PyPI: fracast 0.1.0, Apache-2.0; 85,001 parameters, in its wheel).

It takes the latest values as an even series, without steps, bounds or direction, and returns nine quantiles of the next 48.
Further ones follow medians that are taken for values, so that their intervals hardly widen. Below eight values it refuses.
"""

import functools
import importlib.util
from typing import Any

import numpy as np

LEVELS = np.arange(1, 10) / 10
LEAST = 8  # values, which it demands


def installed() -> bool:
    """If it is not, a sentence says what to do."""
    there = importlib.util.find_spec("fracast") is not None
    if not there:
        print("Fracast-0 is not installed and is left out: pip install fracast==0.1.0, then ask again.")
    return there


@functools.cache
def _model() -> Any:
    return importlib.import_module("fracast").FracastModel.from_pretrained()


def quantiles(values: np.ndarray, ahead: int) -> np.ndarray | None:
    """Of the next values, sorted since some of its own cross; None where it refuses.  (T,) -> (9, ahead)"""
    if len(values) < LEAST:
        return None
    return np.sort(_model().forecast(values, horizon=ahead), 1).T.astype(float)
