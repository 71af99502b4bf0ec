"""Guards `when` and `improved_since`: what is reached stays reached, and curves of the prior keep what is told of them."""

import itertools

import numpy as np
import pytest

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting.first_passage import When, improved, whole_futures
from tests.curvecast.refusals import refuses

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


@pytest.fixture(scope="module")
def run():
    return forecast(RUN, steps=[10, 20, 30, 40, 50], horizon=1000)


def test_a_target_that_was_reached_names_its_first_step(run):
    when = run.when(0.48)
    assert (when.reached, when.chance, when.by(0.9)) == (30, 1, 30) and "was reached at step 30" in repr(when)
    error = forecast([1 - value for value in RUN], metric="error")
    assert error.when(0.53).reached == 3 and error.when(0.4).reached is None


def test_a_harder_target_is_less_likely_and_later(run):
    whens = [run.when(target) for target in (0.57, 0.6, 0.7, 0.9)]
    assert (np.diff([when.chance for when in whens]) < 0).all()
    for early, late in itertools.pairwise(whens):
        assert (early.steps <= late.steps).all()
    assert whens[0].by(0.1) <= whens[0].by(0.5) < 1000 and whens[-1].by(0.9) is None
    assert {*run.when(0.6).steps} <= {*run.steps, np.inf}


def test_it_is_at_least_as_likely_as_at_the_best_single_step(run):
    """And far less likely than if each step were drawn apart."""
    chance, values = run.when(0.8, n=4000).chance, run.sample(4000)
    assert run.prob_beats(0.8) - 0.03 < chance < (values >= 0.8).any(1).mean() - 0.1


def test_futures_that_keep_their_place_have_the_forecast_at_each_step(run):
    values = whole_futures(run, 4000, 0)  # (n, Q)
    for q in (0.1, 0.5, 0.9):
        assert np.allclose(np.quantile(values, q, axis=0), run.quantile(q), atol=0.02)
    ranks = values.argsort(0).argsort(0)
    assert np.corrcoef(ranks[:, 40], ranks[:, -1])[0, 1] > 0.9


def test_calibration_on_finished_runs_moves_the_answer():
    """The same beginning, beside finished runs that all end low."""
    low = [[0.3, 0.42, 0.48, 0.52, 0.55, *[0.56 + 0.001 * i for i in range(15)]] for _ in range(6)]
    assert forecast(RUN, finished=low).when(0.7).chance < forecast(RUN, horizon=20).when(0.7).chance - 0.1


@pytest.mark.parametrize(
    "more", [{"schedule": [(1, 0.1), (81, 0.01)]}, {"metric": "loss", "scale": "log", "horizon": 9}]
)
def test_plans_and_scaling_curves_have_an_answer_too(more):
    values = [3.0, 2.5, 2.2] if "metric" in more else RUN
    assert 0 < forecast(values, **more).when(2.0 if "metric" in more else 0.6).chance <= 1


def test_a_run_that_has_ended_reaches_nothing_more():
    when = forecast(RUN, horizon=5).when(0.6)
    assert (when.chance, when.by(0.1), when.to_dict()["by"]) == (
        0,
        None,
        {"10": None, "50": None, "90": None},
    )


@pytest.mark.parametrize("seen", [5, 40])
def test_curves_of_the_prior_reach_a_target_as_often_as_told(seen):
    noisy = prior.second_test_set(250).noisy.numpy()
    noisy = noisy[(noisy.min(1) >= 0) & (noisy.max(1) <= 1)]
    told, reached = [], []
    for number, values in enumerate(noisy):
        run, share = forecast(values[:seen], horizon=100, check=False), (number % 7 + 1) / 7
        target = min(run.best + share * max(run.quantile(0.95)[-1] - run.best, 0.02), 1.0)
        told.append(run.when(target, n=100).chance)
        reached.append((values[seen:] >= target).any())
    assert np.mean(told) == pytest.approx(np.mean(reached), abs=0.035)


def test_what_cannot_be_a_target_is_one_sentence(run):
    assert isinstance(run.when(1), When)
    for target in (1.2, -0.1, float("nan"), "much"):
        refuses("the target", run.when, target)
    refuses("chance is 1", run.when(0.9).by, 1)
    for target in (0.9, 0.3):  # which was reached
        refuses("n is 0", run.when, target, n=0)
    refuses("needs two", forecast([0.3], check=False).improved_since, 1)


def test_an_improvement_is_told_from_noise():
    """The chance falls with the noise, and rises where the run does; nobody knows of a run that has not moved."""
    rising = forecast([0.3, 0.4, 0.47, 0.52, 0.56, 0.59])
    noisy = forecast([0.5, 0.56, 0.49, 0.55, 0.5, 0.561, 0.49, 0.562], check=False)
    assert rising.improved_since(5) > 0.95 > 0.8 > noisy.improved_since(6)
    loss = forecast([1.0, 1.1, 1.2, 1.3, 1.4], metric="loss", check=False)
    assert loss.improved_since(1) < 0.1
    for value in (0.1, 0.5, 0.7):  # whose mean may be another number
        assert forecast([value] * 6, check=False).improved_since(2) == 0
    for step in (0.5, 8, "late"):
        refuses("the step", noisy.improved_since, step)


def test_curves_of_the_prior_have_improved_as_often_as_told():
    curves, told, better = prior.second_test_set(300), [], []
    for number, (noisy, clean) in enumerate(zip(curves.noisy.numpy(), curves.clean.numpy(), strict=True)):
        seen = (10, 20, 40)[number % 3]
        before = seen - number % 5 - 1
        told.append(improved(np.arange(1.0, seen + 1), noisy[:seen].astype(float), before, 100, 0))
        better.append(clean[seen - 1] > clean[:before].max())
    told, better = np.array(told), np.array(better)
    assert told.mean() == pytest.approx(better.mean(), abs=0.06)
    assert better[told > 0.8].mean() > 0.85 and better[told < 0.2].mean() < 0.35


def test_of_many_points_every_few_count():
    steps = np.arange(1.0, 1001)
    assert improved(steps, 1 - 1 / steps, 500, 100, 0) > 0.9
