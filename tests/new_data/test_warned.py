"""Guards reproduce/new_data/_warned.py: who was warned, and of what."""

import numpy as np
import pandas as pd
import pytest

from curvecast.forecasting.doubts import RARE
from reproduce.new_data import _warned
from reproduce.protocols.real_curve import trial


def rows(held, chances):
    """MADE UP: forecasts of one row, each of a group of its own, of which the band held so much."""
    n = len(held)
    scores = [
        ("a", i, 10, method, 1.0, 0.1, 0.1, 0.5, held[i]) for method in ("shipped", "last") for i in range(n)
    ]
    columns = ["row", "curve", "seen", "method", "ll", "crps", "error", "in50", "in90"]
    curves = pd.DataFrame(
        {"row": "a", "curve": range(n), "group": [f"g{i}" for i in range(n)], "task": "t", "learns": True}
    )
    warned = pd.DataFrame({"row": "a", "curve": range(n), "seen": 10, "chance": chances})
    return {"rows": pd.DataFrame(scores, columns=columns), "curves": curves, "warned": warned}


def test_shares_are_of_those_that_failed_and_of_the_others():
    """Twenty forecasts fail, of which five were warned of; of twenty that hold, one was."""
    held = [0.2] * 20 + [0.9] * 20
    odd, fine = RARE / 2, 0.5
    told = {
        one.name: one for one in _warned.claims(rows(held, [odd] * 5 + [fine] * 15 + [odd] + [fine] * 19))
    }
    assert told["warns_of_failures"].value == pytest.approx(0.25)
    assert told["false_alarms"].value == pytest.approx(0.05)


def test_a_band_that_holds_half_has_not_failed_badly():
    """The threshold itself is no failure."""
    assert not _warned.judged(rows([0.5, 0.9], [1.0, 1.0]))["failed"].any()


def test_a_rising_curve_is_less_odd_than_a_loss_handed_over_as_a_score():
    """The chance is that of forecast(), at each share seen of two points or more."""
    x = np.arange(1.0, 41)
    rising, falling = (trial(y, 0, 1, minimise=False) for y in (0.9 - 0.6 / x, 0.02 + 0.9 / x))
    told = _warned.chances([rising, falling], "a").set_index(["curve", "seen"])["chance"]
    assert len(told) == 8 and told.between(0, 1).all()
    assert told[0].min() > told[1].min()
