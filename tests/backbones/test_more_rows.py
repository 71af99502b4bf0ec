"""Guards reproduce/backbones/more_rows.py: costs relative to attention, round by round."""

import pandas as pd

from reproduce.backbones import more_rows


def times(**steps: list[float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"name": name.replace("_", " "), "round": i, "step": one, "forecast": one / 100}
        for name, found in steps.items() for i, one in enumerate(found, 1)
    ])  # fmt: skip


def test_a_scan_that_takes_half_the_time_is_quicker():
    claims = more_rows.claims({"times": times(minGRU=[1.0, 10, 1, 1, 1, 1], GRU=[2.0, 20, 2, 2, 2, 2])})
    assert claims[0].value == 0.5 and claims[0].holds()


def test_a_forecast_without_training_has_no_step():
    found = more_rows._times(more_rows.SCALES["smoke"])
    closed = found[found["name"] == "Gaussian process"]
    assert closed["step"].isna().all() and (closed["forecast"] > 0).all()
    assert found[found["name"] == "minGRU"]["step"].notna().all()
