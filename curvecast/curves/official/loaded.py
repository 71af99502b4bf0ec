"""Curves of an official file as the rows of the uniform table. Each that is left out is counted by reason."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from curvecast.curves.sources import uniform_table
from curvecast.curves.sources.uniform_table import Curve
from curvecast.curves.terms import Terms
from curvecast.ground.errors import UserError

LEAST = 2  # points


@dataclass(frozen=True)
class Loaded:
    points: pd.DataFrame  # a row an observation
    about: pd.DataFrame  # a row a curve
    left_out: Counter[str]


def loaded(terms: Terms, curves: Iterable[Curve]) -> Loaded:
    left_out: Counter[str] = Counter()
    names: set[str] = set()
    about, steps, values = [], [], []
    for curve in curves:
        points = curve.points()
        if reason := _unfit([value for _, value in points]):
            left_out[reason] += 1
            continue
        _check(terms, curve, points, names)
        about.append(uniform_table.about(terms, curve))
        steps.append(np.array([step for step, _ in points]))
        values.append(np.array([value for _, value in points]))
    rows = pd.DataFrame(about, columns=list(uniform_table.ABOUT))
    return Loaded(_points(rows, steps, values), rows, left_out)


def _unfit(values: list[float]) -> str:
    if not all(map(math.isfinite, values)):
        return "with a value that is not finite"
    return f"with fewer than {LEAST} points" if len(values) < LEAST else ""


def _check(terms: Terms, curve: Curve, points: list[tuple[int, float]], names: set[str]) -> None:
    if curve.curve_id in names:
        raise UserError(f"{terms.source} has the curve {curve.curve_id!r} twice: load each file once")
    names.add(curve.curve_id)
    low, high = curve.measure.low, curve.measure.high
    for step, value in points:
        if (low is not None and value < low) or (high is not None and value > high):
            raise UserError(
                f"{terms.source}, curve {curve.curve_id!r}, step {step}: {curve.measure.metric} is {value:g}, "
                f"outside {'-inf' if low is None else low} to {'inf' if high is None else high}"
            )


def _points(about: pd.DataFrame, steps: list[np.ndarray], values: list[np.ndarray]) -> pd.DataFrame:
    """Text that repeats is kept once: a benchmark may have 28 million rows."""
    places = np.repeat(np.arange(len(about)), [len(one) for one in steps])
    same = {
        name: about[name].astype("category").take(places).array
        for name in uniform_table.POINTS
        if name in about
    }
    numbers = {
        "step": np.concatenate(steps) if steps else np.zeros(0, int),
        "value": np.concatenate(values) if values else np.zeros(0),
    }
    return pd.DataFrame({name: (same | numbers)[name] for name in uniform_table.POINTS})
