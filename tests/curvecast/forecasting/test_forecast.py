"""Guards curvecast/forecasting/forecast.py: quantiles, chances and samples of a run agree with one another."""

import json
import math

import numpy as np
import pytest

from curvecast import forecast
from curvecast.ground.errors import UserError

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


@pytest.fixture(scope="module")
def run():
    return forecast(RUN)


@pytest.fixture(scope="module")
def loss():
    return forecast([2.3, 1.9, 1.7], metric="loss", steps=[10, 20, 30], horizon=200)


def test_quantiles_rise_and_an_interval_is_two_of_them(run, loss):
    for one in (run, loss):
        table = np.stack([one.quantile(q) for q in (0.05, 0.25, 0.5, 0.75, 0.95)])
        assert (np.diff(table, axis=0) > 0).all()
        low, high = one.interval(0.9)
        assert np.allclose(low, table[0]) and np.allclose(high, table[-1])
        assert np.allclose(one.median, table[2])


def test_the_chance_to_be_above_a_quantile_is_what_is_left(run, loss):
    for one in (run, loss):
        for q in (0.1, 0.5, 0.9):
            value = one.quantile(q)[3]
            assert one.prob_above(value)[3] == pytest.approx(1 - q, abs=2e-3)


def test_the_chance_to_beat_is_that_of_the_best_single_step(run, loss):
    """More is better in one, less in the other; `by` leaves out later steps."""
    assert run.prob_beats(0.6) == pytest.approx(run.prob_above(0.6).max())
    assert run.prob_beats(0.6, by=20) == pytest.approx(run.prob_above(0.6)[run.steps <= 20].max())
    assert loss.prob_beats(1.5) == pytest.approx((1 - loss.prob_above(1.5)).max())
    assert run.prob_beats(0.6, by=20) <= run.prob_beats(0.6)


def test_beyond_a_bound_the_chance_is_none_or_all():
    """As for the quantiles, which are kept within it."""
    near = forecast([0.97, 0.99, 0.995, 0.998, 0.999], check=False)
    assert near.prob_above(1.0).max() == 0 == near.prob_beats(1.0) and near.prob_above(-0.1).min() == 1
    down = forecast([0.05, 0.03, 0.02, 0.014], metric="error", check=False)
    assert down.prob_beats(0.0) == 0 and down.prob_above(1.1).max() == 0 and down.prob_beats(1.2) == 1


def test_samples_are_spread_as_the_quantiles_say(run, loss):
    for one in (run, loss):
        drawn = one.sample(2000, seed=1)
        assert drawn.shape == (2000, len(one.steps))
        assert np.allclose((drawn < one.quantile(0.25)).mean(0), 0.25, atol=0.04)
        assert np.array_equal(drawn, one.sample(2000, seed=1)) and not np.array_equal(drawn, one.sample(2000))


def test_the_mean_is_that_of_many_samples(run, loss):
    for one in (run, loss):
        drawn = one.sample(4000)
        luck = 4 * drawn.std(0).max() / math.sqrt(4000)
        assert np.allclose(one.mean, drawn.mean(0), atol=0.02 * np.ptp(one.observed) + luck)


def test_a_run_that_has_ended_has_nothing_ahead():
    ended = forecast(RUN, horizon=5)
    assert len(ended.median) == len(ended.mean) == len(ended.prob_above(0.5)) == 0
    assert (
        ended.prob_beats(0.1) == 0 and ended.sample(3).shape == (3, 0) and ended.futures(3)[1].shape == (3, 0)
    )
    assert ended.sample_end(3).tolist() == [0.55] * 3 and "has ended" in repr(ended)


def test_in_prior_is_a_share_and_missing_for_a_single_point(run):
    assert 0 < run.in_prior <= 1 and run.warnings == []
    assert forecast([0.3]).in_prior is None


def test_the_dictionary_is_json_with_all_fields(run):
    told = json.loads(json.dumps(run.to_dict(), allow_nan=False))
    fields = "name observed steps median q05 q25 q75 q95 finished_runs in_prior warnings"
    assert set(told) == set(fields.split())
    assert told["observed"] == 5 and len(told["q05"]) == len(told["steps"]) == 95


def test_the_repr_says_where_it_goes(run):
    assert "5 points up to step 5" in repr(run) and "at step 100 median" in repr(run)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda run: run.quantile(0), "between 0 and 1"),
        (lambda run: run.quantile(95), "between 0 and 1"),
        (lambda run: run.interval(1), "between 0 and 1"),
        (lambda run: run.prob_above(float("nan")), "give a number"),
        (lambda run: run.prob_beats(float("inf")), "give a number"),
        (lambda run: run.prob_beats(0.5, by=3), "give a later step"),
        (lambda run: run.prob_beats(None), "give a number"),
        (lambda run: run.prob_beats(0.5, by="x"), "give a number"),
        (lambda run: run.quantile([0.1, 0.9]), "give a number"),
    ],
)
def test_questions_without_an_answer_are_complaints(run, ask, words):
    with pytest.raises(UserError, match=words):
        ask(run)


@pytest.mark.parametrize("values", [[0.97, 0.99, 0.995, 0.998, 0.999], [0.3, 0.9, 0.7, 0.98, 0.9, 0.99]])
def test_near_a_bound_the_mean_is_that_of_the_values_that_can_be(values):
    """No value lies beyond the bound, and so the mean lies further from it."""
    near = forecast(values, check=False)
    drawn = near.sample(20_000).mean(0)
    assert np.allclose(near.mean, drawn, atol=4e-3)
    assert (near.mean < near.bounds[1]).all()


def test_numbers_may_come_as_text(run):
    assert np.array_equal(run.quantile("0.9"), run.quantile(0.9))
    assert np.array_equal(run.interval("0.5"), run.interval(0.5))
    assert run.prob_beats(0.6, by="20") == run.prob_beats(0.6, by=20)
