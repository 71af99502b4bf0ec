"""Guards ideas of the chapter Scaling: what is asked of Fracast-0."""

import numpy as np

from reproduce.rival import time_series
from reproduce.scaling._rules import fracast


def test_fracast_is_asked_for_values_by_their_number(monkeypatch):
    """Not for logarithms; its median is kept above zero, and where it refuses there is none."""
    told = np.linspace(-0.1, 0.7, 9)[:, None].repeat(2, 1)
    monkeypatch.setattr(time_series, "quantiles", lambda y, n: told[:, :n] if y[0] > 0.5 else None)
    x = np.log([1.0, 10.0, 100.0])
    assert fracast(x, np.log([0.9, 0.8, 0.7]), x[:2], x[:2]).median.tolist() == told[4].tolist()
    assert np.isnan(fracast(x, np.log([0.4, 0.3, 0.2]), x[:2], x[:2]).median).all()
