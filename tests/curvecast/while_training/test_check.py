"""Guards curvecast/while_training/check.py: the paper's rule, and the sentence."""

import pytest

from curvecast.forecasting.api import forecast
from curvecast.while_training.check import Check, beats, check_run

RISING = [0.31, 0.42, 0.48, 0.52, 0.55, 0.57]
RUN = forecast(RISING, horizon=50, check=False)


@pytest.mark.parametrize("best", [0.6, 0.7, 0.8, None])
def test_hopeless_is_where_no_later_step_has_a_chance_above_delta(best):
    """The target counts the run's own values; at a delta just below the largest chance it is not hopeless."""
    target = max(best or 0, max(RISING))
    chance = max(RUN.prob_above(target))
    assert check_run(RUN, best, chance).hopeless
    assert not check_run(RUN, best, chance - 1e-6).hopeless


def test_less_is_better_turns_all_round():
    """A loss that mirrors an accuracy looks the same, with the target on the other side."""
    up = check_run(RUN, 0.7, 0.05)
    down = check_run(forecast([1 - y for y in RISING], horizon=50, metric="error", check=False), 0.3, 0.05)
    assert down.chance == pytest.approx(up.chance, abs=1e-4)
    assert down.end == pytest.approx(1 - up.end, abs=1e-4)
    assert down.half == pytest.approx(up.half, abs=1e-4)


def test_half_of_the_band_of_nine_in_ten_is_told():
    low, high = RUN.interval(0.9)
    assert check_run(RUN, None, 0.05).half == pytest.approx((high[-1] - low[-1]) / 2)


def test_the_bound_is_never_beaten():
    """Another run has the best possible value, or says so with more digits than the bound."""
    assert beats(RUN, 1.0) == beats(RUN, 1.0 + 1e-9) == 0


def test_the_line_says_end_chance_and_target():
    check = Check(6, 50, 0.712, 0.031, 0.04, 0.78, False, True, False)
    assert check.line() == "will end at 0.71 ± 0.03, 4 % to beat 0.78"
    assert check.line(horizon_told=False) == "will be at 0.71 ± 0.03 at step 50, 4 % to beat 0.78"
    assert check._replace(own=True).line().endswith("4 % to beat its own best, 0.78")
    assert check._replace(odd=True).line().endswith("unlike the curves that the model was trained on")


def test_only_a_verdict_that_stops_is_checked_for_odd_runs():
    """The check takes longer than the check."""
    zigzag = forecast([0.9, 0.1] * 6, horizon=50, check=False)
    assert check_run(zigzag, 0.99, 0.999).odd
    zigzag = forecast([0.9, 0.1] * 6, horizon=50, check=False)
    assert not check_run(zigzag, 0.5, 0.999).odd and "in_prior" not in zigzag.__dict__


def test_what_the_last_look_found_odd_is_not_asked_again():
    """Neither of a run that was odd nor of one that was not, while it stays hopeless."""
    run = forecast([0.5, 0.1] * 6, horizon=50, check=False)
    assert check_run(run, 0.99, 0.999, odd=True).odd and not check_run(run, 0.99, 0.999, odd=False).odd
    assert "in_prior" not in run.__dict__
    assert not check_run(run, 0.5, 1e-9, odd=True).odd, "what still has hope is not called odd"
