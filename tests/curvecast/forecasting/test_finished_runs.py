"""Guards curvecast/forecasting/finished_runs.py, by the call that users make: runs that have ended calibrate the bands."""

import pickle

import numpy as np
import pytest

from curvecast import forecast
from curvecast.forecasting import finished_runs, shipped
from curvecast.forecasting.finished_runs import Finished, FinishedRuns, given, has_come_to
from curvecast.ground.errors import UserError


def run(seed, length=40):
    rng, x = np.random.default_rng(seed), np.arange(1.0, length + 1)
    return np.clip(0.85 - 0.6 * x ** -rng.uniform(0.4, 1.2) + rng.normal(0, 0.01, length), 0, 1)


ENDED = [run(i) for i in range(12)]
SEEN = run(99)[:8]


def test_without_finished_runs_nothing_changes():
    own, none = forecast(SEEN, horizon=40), forecast(SEEN, horizon=40, finished=[])
    assert own.finished == none.finished == 0
    assert np.array_equal(own.quantile(0.05), none.quantile(0.05))


def test_the_default_horizon_is_where_the_finished_ones_end():
    assert forecast(SEEN, finished=[*ENDED, run(50, 60)]).steps[-1] == 40


def test_runs_that_end_where_the_network_did_not_expect_it_move_the_forecast():
    """All of them fall at once to a value far below what the network thinks."""
    fallen = [np.where(np.arange(40) < 8, one, 0.3 + 0.001 * i) for i, one in enumerate(ENDED)]
    own, told = forecast(SEEN, horizon=40, check=False), forecast(SEEN, finished=fallen, check=False)
    assert told.finished == 12 and told.median[-1] < own.median[-1] - 0.1
    assert told.prob_beats(0.6) < own.prob_beats(0.6)


def test_quantiles_chances_samples_and_futures_tell_one_story():
    told = forecast(SEEN, finished=ENDED, check=False)
    for q in (0.1, 0.5, 0.9):
        at = told.quantile(q)[-1]
        assert told.prob_above(at)[-1] == pytest.approx(1 - q, abs=1e-3)
        assert (told.sample(4000)[:, -1] < at).mean() == pytest.approx(q, abs=0.03)
        assert (told.sample_end(4000) < at).mean() == pytest.approx(q, abs=0.03)
    assert told.mean[-1] == pytest.approx(told.sample_end(4000).mean(), abs=0.005)
    steps, values = told.futures(200)
    assert np.median(values[:, 0]) == pytest.approx(told.median[told.steps == steps[0]][0], abs=0.01)


def test_less_is_better_mirrors_a_calibrated_forecast():
    up = forecast(SEEN, finished=ENDED, check=False)
    down = forecast(1 - SEEN, finished=[1 - one for one in ENDED], metric="error", check=False)
    assert np.allclose(down.quantile(0.95), 1 - up.quantile(0.05), atol=1e-3)
    assert np.allclose(down.prob_above(0.3), 1 - up.prob_above(0.7), atol=1e-3)


def test_the_unit_of_the_steps_does_not_matter():
    own = forecast(SEEN, finished=ENDED, check=False)
    other = forecast(
        SEEN, 500 * np.arange(1, 9), finished=ENDED, finished_steps=500 * np.arange(1, 41), check=False
    )
    assert np.allclose(own.median, other.median, atol=1e-6) and other.steps[-1] == 20_000


def test_a_run_that_has_ended_needs_no_levels():
    assert forecast(ENDED[0], horizon=40, finished=ENDED[1:], check=False).finished == 0


def test_runs_of_one_call_are_calibrated_each_where_it_stands():
    both = forecast([SEEN, SEEN[:3]], finished=ENDED, check=False)
    for one, alone in zip(both, (SEEN, SEEN[:3]), strict=True):
        assert np.allclose(one.median, forecast(alone, finished=ENDED, check=False).median, atol=1e-4)


def test_more_than_fifty_are_thinned_evenly():
    told = forecast(SEEN, finished=[run(i) for i in range(120)], check=False)
    assert told.finished == finished_runs.MOST


def test_what_was_found_of_a_finished_run_is_not_computed_again(monkeypatch):
    """Handed in as they are, runs remember each cut; a set that has grown asks for the new one alone."""
    asked = []
    real = finished_runs.scores
    monkeypatch.setattr(
        finished_runs,
        "scores",
        lambda network, runs, seen: asked.append(len(runs)) or real(network, runs, seen),
    )
    ended = given(ENDED, None, False)
    some = FinishedRuns(ended.runs[:10])
    first = forecast(SEEN, finished=some, check=False)
    again = forecast(run(98)[:8], finished=some, check=False)
    grown = forecast(SEEN, finished=ended, check=False)
    assert asked == [10, 2] and [one.finished for one in (first, again, grown)] == [10, 10, 12]
    assert np.allclose(grown.median, forecast(SEEN, finished=ENDED, check=False).median, atol=1e-5)
    assert again._levels is first._levels is not grown._levels
    forecast(SEEN[:4], finished=ended, check=False)
    forecast(SEEN, finished=ended, horizon=39, check=False)
    forecast(SEEN, finished=ended, weights="paper-prior", check=False)
    assert asked[3:] == [12, 12, 12], "another cut, another horizon and another network are other questions"


def test_a_finished_run_is_stored_without_what_was_found_of_it():
    ended = given(ENDED, None, False)
    before = len(pickle.dumps(ended))
    forecast(SEEN, finished=ended, check=False)
    assert len(pickle.dumps(ended)) == before
    assert len(pickle.loads(pickle.dumps(ended))) == len(ENDED)


def test_a_run_has_come_to_a_step_before_which_nothing_more_can_follow():
    (seen,) = (one.seen for one in given([[0.1, 0.2, 0.3]], [[5, 10, 15]], True).runs)
    assert [has_come_to(seen, end) for end in (15, 19, 20)] == [True, True, False]


@pytest.mark.parametrize("steps", [range(40), range(41), range(1, 41)])
def test_a_run_of_as_many_steps_as_the_horizon_says_has_finished(steps):
    """range(40) has no step 40."""
    ended = given([run(1, len(steps))], [steps], True)
    assert forecast(SEEN, range(8), 40, finished=ended, check=False).finished == 1


def test_scores_are_where_the_network_had_the_values():
    """A value that the network had at its 95 % quantile has the score of that level."""
    network = shipped.load().network
    first = forecast(SEEN, horizon=40, check=False)
    for q, z in ((0.05, -1.6449), (0.5, 0.0), (0.95, 1.6449)):
        whole = Finished(np.arange(1.0, 41), np.concatenate([SEEN, first.quantile(q)]))
        assert np.allclose(finished_runs.scores(network, [whole], 0.2), z, atol=0.02)


def test_a_run_without_later_points_tells_nothing():
    short = Finished(np.arange(1.0, 41), run(1))
    assert finished_runs.scores(shipped.load().network, [short], 1.0).shape == (0, 10)


@pytest.mark.parametrize(
    ("finished", "how", "words"),
    [
        (0.5, {}, "finished is not a list of runs: give each finished run as a list"),
        ([0.5, 0.6], {}, "finished is not a list of runs"),
        ([run(1), run(2, 20)], {"horizon": 40}, "finished run 2 ends at step 20, before the horizon 40"),
        ([[0.1, float("nan")]], {}, "finished run 1: value 2 is nan"),
        ([[]], {}, "finished run 1 has no value"),
        ([100 * run(1)], {}, "finished run 1: value 1 is .*outside 0 to 1: set metric to 'percent'"),
        ([run(1)], {"steps": range(1, 9)}, "the finished runs have none: give finished_steps"),
        ([run(1)], {"finished_steps": [1, 2]}, "finished run 1 has 40 values but 2 steps"),
        ([run(1, 5)], {}, "the horizon 5 is before the last step 8"),
    ],
)  # fmt: skip
def test_what_cannot_be_right_is_said_in_one_sentence(finished, how, words):
    with pytest.raises(UserError, match=words):
        forecast(SEEN, finished=finished, **how)
