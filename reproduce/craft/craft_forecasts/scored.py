"""Forecasts of runs after a share of their epochs, held against what came."""

import warnings
from collections.abc import Iterator

import numpy as np

from curvecast import forecast
from reproduce.craft._logged import Run

KINDS = {"test_accuracy": "accuracy", "test_cost": "loss"}  # of curves

Scored = Iterator[tuple[Run, dict[str, float]]]


def by_model(tested: list[Run], share: float, model: str) -> Scored:
    for run in tested:
        seen = observed(run, share)
        with warnings.catch_warnings(action="ignore"):  # they are counted
            found = forecast(seen, horizon=len(run.values), metric=KINDS[run.metric], weights=model)
        ahead = run.values[np.round(found.steps).astype(int) - 1]
        low, high = found.interval(0.9)
        warned = {"warned": float(bool(found.warnings))}
        yield run, against(ahead, seen[-1], np.stack([low, found.median, high])) | warned


def observed(run: Run, share: float) -> np.ndarray:
    return run.values[: max(2, round(share * len(run.values)))]


def against(ahead: np.ndarray, last: float, forecasts: np.ndarray) -> dict[str, float]:
    """Coverage of the later points; in the last epoch, the error of the median and of the last observed value."""
    low, median, high = forecasts  # (3, epochs)
    return {
        "inside": float(((ahead >= low) & (ahead <= high)).mean()),
        "error": float(abs(median[-1] - ahead[-1])),
        "last": float(abs(last - ahead[-1])),
    }
