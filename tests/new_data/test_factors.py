"""Guards reproduce/new_data/_factors.py: factors of made-up scores that are known beforehand."""

import numpy as np
import pandas as pd
import pytest

from reproduce.new_data import _factors


def made_up(scores: dict[str, float], curves: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size = rng.uniform(0.01, 10, curves)  # units differ from curve to curve
    return pd.DataFrame(
        [("r", i, 10, method, f"group {i // 2}" if curves > 15 else f"{i}", size[i] * score)
         for method, score in scores.items() for i in range(curves)],
        columns=["row", "curve", "seen", "method", "group", "crps"],
    )  # fmt: skip


def test_a_factor_knows_no_unit():
    """Half the score on every curve is a factor of a half, with an interval of no width."""
    assert _factors.factor(made_up({"a": 0.5, "b": 1.0}), "a", "b") == pytest.approx(
        (0.5, 0.5, 0.5), rel=1e-3
    )


def test_only_forecasts_that_both_gave_count():
    found = made_up({"a": 0.5, "b": 1.0})
    worse = found["crps"].where((found["method"] == "b") | (found["curve"] > 2), found["crps"] * 1000)
    without = found.assign(crps=worse)[~((found["method"] == "b") & (found["curve"] <= 2))]
    assert _factors.factor(without, "a", "b").value == pytest.approx(0.5, rel=1e-3)
    assert len(_factors.pairs(without, "a", "b", "crps")) == 9


def test_what_was_not_measured_has_no_factor():
    one = made_up({"a": 0.5})
    assert _factors.factor(one, "a", "b") is None and _factors.mean(one, "b", "crps") is None
    assert (
        _factors.factor(one.iloc[:0], "a", "b") is None and _factors.mean(one.iloc[:0], "a", "crps") is None
    )


def test_a_score_of_nothing_is_no_infinite_factor():
    found = made_up({"a": 0.0, "b": 1.0})
    assert _factors.factor(found, "a", "b").value == pytest.approx(1 / _factors.FAR)
    assert _factors.factor(found, "a", "a").value == pytest.approx(1)


def test_one_group_alone_has_no_ends():
    """Its mean or median is told."""
    values = pd.Series([1.0, 2.0, 6.0])
    assert _factors.over_groups(values, pd.Series(["a"] * 3)) == pytest.approx(
        (3, np.nan, np.nan), nan_ok=True
    )
    middle = _factors.over_groups(values, pd.Series(["a"] * 3), "median")
    assert middle == pytest.approx((2, np.nan, np.nan), nan_ok=True)
    assert np.isfinite(_factors.over_groups(values, pd.Series(["a", "b", "b"]))).all()
