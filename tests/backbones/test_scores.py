"""Guards reproduce/backbones/_scores.py: equal time, and forecasts in closed form."""

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.scores import baselines
from reproduce.backbones import _scores
from reproduce.backbones._trainings import CUTOFFS


def test_equal_time_means_fewer_curves_where_a_step_takes_longer():
    speeds = pd.DataFrame({"backbone": ["LSTM"] * 3 + ["GRU"], "step": [0.4, 0.5, 9.0, 0.25]})
    assert _scores.affordable(240, speeds, "LSTM") == 64 * 480
    assert _scores.affordable(240, speeds, "GRU") == 64 * 960


def test_a_closed_form_is_scored_after_each_cutoff_on_all_later_points():
    y = prior.test_set(3).noisy
    found = _scores.closed_form("last value")(y)
    x = torch.arange(1.0, 101)
    wanted = (
        baselines.forecast("last value", x[:10], y[:, :10], x[10:]).log_density(y[:, 10:].double()).mean(1)
    )
    assert set(found) == set(CUTOFFS) and torch.equal(found[10], wanted)


def test_below_exact_is_counted_on_the_curves_that_were_judged():
    """Curve by curve: two of four judged curves, whose exact scores are a nat above."""
    y = prior.test_set(4).noisy
    last = _scores.closed_form("last value")
    judged = pd.DataFrame([
        {"curve": curve, "cutoff": c, "ll": float(ll[curve]) + 1} for c, ll in last(y).items() for curve in (1, 3)
    ])  # fmt: skip
    assert (_scores.scores(last, judged, 4)["lost"] == 1).all()
