"""Guards curvecast/forecasting/futures.py: sampled futures are futures of the forecast."""

import numpy as np
import pytest

from curvecast import forecast
from curvecast.ground.errors import UserError


@pytest.fixture(scope="module")
def run():
    return forecast([0.31, 0.42, 0.48, 0.52, 0.55])


def test_sampled_futures_end_where_the_forecast_says(run):
    """Sixteen of the steps at most, the horizon among them; half of the ends on each side of the median, about."""
    steps, values = run.futures(200, seed=3)
    assert len(steps) <= 16 and steps[-1] == 100 and steps[0] == 6 and values.shape == (200, len(steps))
    assert 0.3 < (values[:, -1] < run.median[-1]).mean() < 0.7
    low, high = run.interval(0.9)
    assert ((values[:, -1] > low[-1]) & (values[:, -1] < high[-1])).mean() > 0.75


def test_a_future_remembers_what_it_drew(run):
    """Neighbouring steps of one future go together; those of independent samples do not."""
    steps, values = run.futures(200, seed=0)
    i, j = len(steps) - 2, len(steps) - 1
    assert np.corrcoef(values[:, i], values[:, j])[0, 1] > 0.5
    drawn = run.sample(200)
    assert abs(np.corrcoef(drawn[:, -2], drawn[:, -1])[0, 1]) < 0.3


@pytest.mark.parametrize("n", [0, -1, 1.5, "many"])
def test_so_many_futures_cannot_be_drawn(run, n):
    for draw in (run.sample, run.sample_end, run.futures):
        with pytest.raises(UserError, match="give a whole number, 1 or more"):
            draw(n)


def test_many_futures_go_through_the_network_in_portions(run, monkeypatch):
    """The same futures, whatever fits into one pass."""
    steps, whole = run.futures(7)
    monkeypatch.setattr("curvecast.forecasting.futures.AT_ONCE", 50)
    again, parts = run.futures(7)
    assert np.array_equal(steps, again) and np.allclose(whole, parts, atol=1e-5)
