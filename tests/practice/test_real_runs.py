"""Guards reproduce/practice/real_runs.py: which runs are shown, no future is seen, and claims follow their rows."""

import json

import pandas as pd
import pytest

from reproduce.practice import real_runs


@pytest.fixture(scope="module")
def rows(smoke_rows):
    return smoke_rows("real_runs")


def runs(shapes: list[str]) -> pd.DataFrame:
    """Invented settings: two seeds of each, on tasks a and b."""
    rows = [
        {"run": f"{i}{seed}", "learner": "networks", "group": str(i), "task": "ab"[i % 2],
         "settings": json.dumps({"schedule": {"shape": shape}})}
        for i, shape in enumerate(shapes) for seed in "xy"
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_first_of_each_schedule_and_task_are_shown_and_no_setting_twice():
    found = real_runs._chosen(runs(["drops", "drops", "drops", "cosine"]), of_a_schedule=2)
    assert found["run"].tolist() == ["0x", "1x", "3x"]


def test_forecasts_see_no_future(rows):
    """After the shown epochs the last value is that of the last shown one."""
    config = real_runs.SCALES["smoke"]
    whole = {name: own["value"] for name, own in rows["rows"].groupby("run")}
    for name, own in rows["ahead"].groupby("run"):
        assert own["last"].iloc[0] == pytest.approx(whole[name].iloc[config.seen - 1], abs=1e-4)
        assert own["epoch"].tolist() == list(range(config.seen + 1, config.epochs + 1))


def invented(held: bool, nearer: bool, stray: float = 0.7) -> dict[str, pd.DataFrame]:
    """Of ten later epochs the first is `stray`, which lies outside of an interval that ends at 0.6."""
    ahead = [
        {"run": f"r{i}", "metric": metric, "epoch": e, "value": stray if e == 16 else 0.5,
         "median": 0.5 if nearer else 0.9, "low": 0.4, "high": 0.6 if held else 0.45, "last": 0.6 + 0.01 * i, "in_prior": 0.5}
        for i in range(6) for metric in ("accuracy", "loss") for e in range(16, 26)
    ]  # fmt: skip
    return {"ahead": pd.DataFrame(ahead)}


def test_claims_hold_and_fail_with_the_rows():
    assert all(claim.holds() for claim in real_runs.claims(invented(True, True)))
    assert not any(claim.holds() for claim in real_runs.claims(invented(False, False)))
    too_wide = {claim.name: claim.holds() for claim in real_runs.claims(invented(True, True, stray=0.5))}
    assert too_wide.pop("band_holds") is False and all(
        too_wide.values()
    )  # a 90 % interval that covers everything
    assert real_runs.tabulate(invented(True, True))["runs"]["runs"].tolist() == ["6", "6"]
