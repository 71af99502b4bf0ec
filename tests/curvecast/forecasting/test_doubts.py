"""Guards curvecast/forecasting/doubts.py: what speaks against a forecast is said."""

from curvecast import forecast


def test_a_run_that_goes_the_other_way_is_told():
    assert any(
        "if lower is better, set" in text for text in forecast([0.69, 0.6, 0.55], check=False).warnings
    )
    assert any(
        "if higher is better, set" in text
        for text in forecast([0.5, 0.6, 0.7], metric="error", check=False).warnings
    )
    assert forecast([0.31, 0.42, 0.48, 0.52, 0.55], check=False).warnings == []


def test_a_run_whose_steps_begin_far_away_is_told():
    far = forecast(
        [0.5 + 0.001 * i for i in range(50)], steps=[100_000 + 10 * i for i in range(50)], check=False
    )
    assert any("subtract the start" in text for text in far.warnings)
