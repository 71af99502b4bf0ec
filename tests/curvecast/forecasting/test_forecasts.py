"""Guards curvecast/forecasting/forecasts.py: runs are judged together as alone, and each has its fair chance to win."""

import pickle

import numpy as np
import pytest

from curvecast import forecast
from curvecast.ground.errors import UserError

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


def test_checked_together_runs_score_what_they_score_alone():
    runs = [RUN, [0.3, 0.35, 0.33, 0.4], [0.5, 0.52], [0.7 - 0.5 / (1 + i) for i in range(90)]]
    together = forecast(runs, horizon=100)
    for values, found in zip(runs, together, strict=True):
        assert found.in_prior == pytest.approx(forecast(values, horizon=100, check=False).in_prior, rel=0.05)


def test_runs_are_taken_by_place_by_name_and_as_a_part():
    runs = forecast([RUN, RUN[:3], RUN[:2]], names=["a", "<b>", "b"], check=False)
    assert runs["b"] is runs[2] and isinstance(runs[:2], type(runs))
    with pytest.raises(UserError, match="0 runs are called 'c'"):
        runs["c"]
    shown = runs[:2].to_frame().set_index(["run", "step"])
    assert shown.loc[("a", 100), "median"] == runs[0].median[-1] and len(shown) == 95 + 97
    assert "&lt;b&gt;" in runs._repr_html_() and "<b>" not in runs[1]._repr_html_()


def test_a_pickle_is_small_and_answers_as_before():
    """Without the weights and the runs beside it; it was 1.8 MB."""
    run = forecast([RUN] * 50, check=False)[7]
    data = pickle.dumps(run)
    again = pickle.loads(data)
    assert len(data) < 50_000 and np.array_equal(again.median, run.median) and again.in_prior == run.in_prior


def test_the_run_with_the_best_future_wins_most_often():
    runs = forecast([[0.3, 0.5, 0.6, 0.66, 0.7], [0.1, 0.15, 0.18, 0.2, 0.21]], check=False)
    wins = runs.wins()
    assert wins.sum() == pytest.approx(1) and wins[0] > 0.8 and runs.best == 0.7
    assert forecast([RUN, RUN], check=False, horizon=5).wins().tolist() == [0.5, 0.5]
    good = [97, 99, 99.5, 99.6, 99.8, 99.9, 99.9, 99.9, 100, 99.9]
    assert abs(forecast([good, good], metric="percent", check=False).wins()[0] - 0.5) < 0.05
    losses = forecast([[0.3, 0.2, 0.15], [0.9, 0.85, 0.82]], metric="error", check=False)
    assert losses.wins()[0] > 0.8 and losses.best == 0.15


def test_who_has_ended_on_the_bound_cannot_be_beaten():
    """Who is still under way may only draw level."""
    ended, going = [0.9, 0.95, 0.99, 1.0, 1.0, 1.0], [0.97, 0.99, 0.999, 1.0]
    runs = forecast([ended, going], steps=[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4]], horizon=6, check=False)
    wins = runs.wins()
    assert len(runs[0].steps) == 0 and runs[1].prob_beats(1.0) == 0
    level = (runs[1].sample_end(4000, 1, clip=False) >= 1).mean()
    assert level > 0.1 and wins.tolist() == pytest.approx([1 - level / 2, level / 2])
    errors = forecast([[1 - v for v in ended], [1 - v for v in going]], steps=[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4]], horizon=6,
                      metric="error", check=False)  # fmt: skip
    assert errors.wins().tolist() == pytest.approx(wins.tolist(), abs=0.02)


def test_of_two_near_the_bound_the_better_one_still_wins():
    """Both go on, and much of their densities lies beyond what can be."""
    runs = forecast([[0.9, 0.97, 0.99, 0.995, 0.998], [0.5, 0.8, 0.95, 0.9, 0.97]], check=False)
    one, other = (run.sample_end(4000, i, clip=False) for i, run in enumerate(runs))
    assert ((one > 1) & (other > 1)).mean() > 0.05
    assert runs.wins().tolist() == pytest.approx([(one > other).mean(), (other > one).mean()])
