"""Guards the question that times programs: all are asked for what their rows say. Nothing is timed."""

import numpy as np
import pytest

from curvecast.curves import prior
from reproduce.reproduction import speed

Y = prior.test_set(3).noisy[:, :10].clamp(0, 1).double().numpy()


@pytest.mark.parametrize(
    ("turn", "check", "given"),
    [
        (lambda: speed.each_alone(Y, check=True), True, Y),
        (lambda: speed.each_alone(Y, check=False), False, Y),
        (lambda: speed.in_one_call(Y), True, [Y]),
    ],
    ids=["checked", "not checked", "at once"],
)
def test_our_turns_forecast_what_they_are_given(turn, check, given, monkeypatch):
    """One curve after another or all in one call, as far as the other program, and checked where the row says so."""
    asked, real = [], speed.forecast
    monkeypatch.setattr(speed, "forecast", lambda y, **how: asked.append((y, how)) or real(y, **how))
    assert turn() > 0
    assert np.array_equal([y for y, _ in asked], given)
    assert all(how.get("check", True) is check and how["horizon"] == 100 for _, how in asked)


def test_only_a_run_that_becomes_hopeless_is_held_against_the_prior(monkeypatch):
    """Of two kinds of run one, in a round that warms up and one that counts, with three checks each."""
    odd = []
    monkeypatch.setattr("curvecast.forecasting.forecast.belief.oddness", lambda *_: odd.append(1) or [0.0])
    rows = speed.checks(speed.Config(1, checks=3, seen=(10,)))
    assert rows["task"].tolist() == ["10 values", "10 values, hopeless"] and rows["curves"].tolist() == [3, 3]
    assert len(odd) == 2 * 3
