"""Guards api, forecast, passes, futures, belief and doubts: what is said of a run agrees, and what is odd scores low."""

import json
import math
import warnings

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting import belief, futures, passes, shipped, torch_network
from curvecast.forecasting.api import Unlike
from curvecast.forecasting.doubts import RARE
from curvecast.forecasting.passes import Beginning
from tests.curvecast.refusals import refuses

RUN = [0.31, 0.42, 0.48, 0.52, 0.55]


@pytest.fixture(scope="module")
def run():
    return forecast(RUN)


@pytest.fixture(scope="module", params=["accuracy", "loss", "error"])
def one(request, run):
    """Of an accuracy, a loss without an upper bound in steps of its own, and an error."""
    loss = {"metric": "loss", "steps": [10, 20, 30], "horizon": 200}
    told = {"loss": ([2.3, 1.9, 1.7], loss), "error": ([1 - v for v in RUN], {"metric": "error"})}
    return run if request.param == "accuracy" else forecast(told[request.param][0], **told[request.param][1])


def test_it_is_what_the_network_says_to_epoch_100(run):
    x, later = torch.arange(1.0, 6)[None], torch.arange(6.0, 101)
    density = torch_network.load(shipped.PATH).predict(x, torch.tensor([RUN]), later[None])
    assert run.steps.tolist() == later.tolist()
    for q in (0.05, 0.5, 0.95):
        assert np.allclose(run.quantile(q), density.quantile(q)[0].clamp(0, 1), atol=2e-4)


def test_quantiles_rise_and_the_chance_to_be_above_one_is_what_is_left(one):
    table = np.stack([one.quantile(q) for q in (0.05, 0.1, 0.5, 0.9, 0.95)])
    assert (np.diff(table, axis=0) > 0).all()
    assert np.allclose(one.interval(0.9), table[[0, -1]]) and np.allclose(one.median, table[2])
    assert np.allclose(one.at_horizon(0.05, 0.5, 0.95), table[[0, 2, 4], -1])
    for q, values in zip((0.1, 0.5, 0.9), table[1:4], strict=True):
        assert one.prob_above(values[3])[3] == pytest.approx(1 - q, abs=2e-3)


def test_the_chance_to_beat_is_that_of_the_best_single_step(one):
    value, until = one.median[-1], one.steps[10]
    better = 1 - one.prob_above(value) if one.minimise else one.prob_above(value)
    assert one.prob_beats(value) == pytest.approx(better.max())
    assert one.prob_beats(value, by=until) == pytest.approx(better[:11].max())
    assert better[:11].max() < better.max()
    assert one.prob_beats(str(value), by=str(until)) == one.prob_beats(value, by=until)


def test_beyond_a_bound_the_chance_is_none_or_all():
    near = forecast([0.97, 0.99, 0.995, 0.998, 0.999], check=False)
    assert near.prob_above(1.0).max() == 0 == near.prob_beats(1.0) and near.prob_above(-0.1).min() == 1
    down = forecast([0.05, 0.03, 0.02, 0.014], metric="error", check=False)
    assert down.prob_beats(0.0) == 0 and down.prob_above(1.1).max() == 0 and down.prob_beats(1.2) == 1


def test_samples_are_spread_as_the_quantiles_say_and_have_the_mean(one):
    drawn = one.sample(2000, seed=1)
    assert drawn.shape == (2000, len(one.steps))
    assert np.allclose((drawn < one.quantile(0.25)).mean(0), 0.25, atol=0.04)
    luck = 4 * drawn.std(0).max() / math.sqrt(2000)
    assert np.allclose(one.mean, drawn.mean(0), atol=0.02 * np.ptp(one.observed) + luck)
    assert np.array_equal(drawn, one.sample(2000, seed=1)) and not np.array_equal(drawn, one.sample(2000))


@pytest.mark.parametrize("values", [[0.97, 0.99, 0.995, 0.998, 0.999], [0.3, 0.9, 0.7, 0.98, 0.9, 0.99]])
def test_near_a_bound_the_mean_is_that_of_the_values_that_can_be(values):
    near = forecast(values, check=False)
    assert np.allclose(near.mean, near.sample(20_000).mean(0), atol=4e-3)
    assert (near.mean < near.bounds[1]).all()


def test_a_future_ends_where_the_forecast_says_and_remembers_what_it_drew(run, monkeypatch):
    steps, values = run.futures(200, seed=3)
    assert len(steps) <= 16 and steps[-1] == 100 and steps[0] == 6 and values.shape == (200, len(steps))
    low, high = (side[-1] for side in run.interval(0.9))
    assert 0.3 < (values[:, -1] < run.median[-1]).mean() < 0.7
    assert ((values[:, -1] > low) & (values[:, -1] < high)).mean() > 0.75
    drawn = run.sample(200)
    assert np.corrcoef(values[:, -2], values[:, -1])[0, 1] > 0.5
    assert abs(np.corrcoef(drawn[:, -2], drawn[:, -1])[0, 1]) < 0.3
    whole = run.futures(7)[1]
    monkeypatch.setattr(futures, "AT_ONCE", 50)
    assert np.allclose(run.futures(7)[1], whole, atol=1e-5)


def test_a_run_that_has_ended_has_nothing_ahead():
    ended = forecast(RUN, horizon=5)
    assert len(ended.median) == len(ended.mean) == len(ended.prob_above(0.5)) == 0 == ended.prob_beats(0.1)
    assert ended.sample(3).shape == ended.futures(3)[1].shape == (3, 0)
    assert ended.sample_end(3).tolist() == [0.55] * 3 and "has ended" in repr(ended)


def test_what_is_told_of_a_run_is_json_a_sentence_and_html(run):
    told = json.loads(json.dumps(run.to_dict(), allow_nan=False))
    fields = "name observed steps median q05 q25 q75 q95 finished_runs in_prior warnings"
    assert set(told) == set(fields.split())
    assert told["observed"] == 5 and len(told["q05"]) == len(told["steps"]) == 95
    assert "5 points up to step 5" in repr(run) and "at step 100 median" in repr(run)
    assert 0 < run.in_prior <= 1 and run.warnings == [] and forecast([0.3]).in_prior is None


@pytest.mark.parametrize(("ask", "words"), [
    (lambda run: run.quantile(0), "between 0 and 1"), (lambda run: run.quantile(95), "between 0 and 1"),
    (lambda run: run.quantile([0.1, 0.9]), "give a number"), (lambda run: run.interval(1), "between 0 and 1"),
    (lambda run: run.prob_above(float("nan")), "give a number"),
    (lambda run: run.prob_beats(float("inf")), "give a number"), (lambda run: run.prob_beats(None), "give a number"),
    (lambda run: run.prob_beats(0.5, by="x"), "give a number"),
    (lambda run: run.prob_beats(0.5, by=3), "give a later step"),
    *((lambda run, n=n: run.sample(n), "give a whole number, 1 or more") for n in (0, 1.5, "many")),
    (lambda run: run.sample_end(-1), "give a whole number, 1 or more"),
    (lambda run: run.futures(0), "give a whole number, 1 or more"),
])  # fmt: skip
def test_questions_without_an_answer_are_complaints(run, ask, words):
    refuses(words, ask, run)


def test_percent_and_bounds_are_the_same_in_another_unit(run):
    percent = forecast([100 * v for v in RUN], metric="percent")
    assert np.allclose(percent.median, 100 * run.median, atol=1e-3)
    for how in ({"bounds": (-1, 4)}, {"metric": (-1, 4)}):
        assert np.allclose(forecast([5 * v - 1 for v in RUN], **how).median, 5 * run.median - 1, atol=1e-3)


def test_a_loss_stays_above_its_bound_and_falls():
    run = forecast([2.3, 1.9, 1.7, 1.55, 1.45], metric="loss")
    low, high = run.interval(0.98)
    assert (low >= 0).all() and np.isfinite(high).all() and run.median[-1] < 1.45
    assert np.isfinite(forecast([1.0, 1.2, 0.9], metric="loss").quantile(0.999)).all()


def test_long_runs_are_thinned_and_all_of_a_call_go_to_the_same_horizon():
    values = 0.8 - 0.5 * np.arange(1, 501) ** -0.5
    run = forecast(values)
    assert run.thinned and run.steps[-1] == 1000 and abs(run.median[0] - values[-1]) < 0.03
    assert {run.steps[-1] for run in forecast([RUN, list(np.linspace(0.1, 0.5, 80))])} == {160.0}


def test_a_warning_says_that_a_run_is_odd_and_can_be_switched_off():
    odd = [0.5, 0.55, 0.6, 0.1, 0.61, 0.1, 0.62, 0.1, 0.63]
    with pytest.warns(Unlike, match="do not trust the intervals"):
        assert forecast(odd).in_prior < RARE
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forecast(odd, check=False)


def test_the_plot_shows_points_median_and_two_bands(run):
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = run.plot()
    assert len(ax.lines) == 2 and len(ax.collections) == 2
    _, other = plt.subplots()
    assert run.plot(other) is other


@pytest.mark.parametrize("fits", [150, 60])
def test_a_pass_holds_as_many_tokens_as_fit(monkeypatch, fits):
    monkeypatch.setattr(passes, "AT_ONCE", fits)
    x, y = np.arange(1.0, 101), prior.test_set(12).noisy.numpy()
    beginnings = [Beginning(x[:n], row[:n], x[n : n + 5]) for n, row in zip([3, 20, 7] * 4, y, strict=True)]
    sizes, asked = [], []
    for some, told in passes.passes(shipped.load().network, beginnings):
        asked += some
        sizes.append(len(some) * (max(len(beginnings[i].x) for i in some) + 5))
        assert told.means.shape[:2] == (len(some), 5)
    assert sorted(asked) == list(range(12))
    assert len(sizes) > 1 and fits / 2 < max(sizes) <= fits


X = np.arange(1.0, 101)


def share(y, network=None):
    told = shipped.load(network)
    (odd,) = belief.oddness(told.network, [(X[: len(y)], y)])
    return belief.in_prior(told.table, len(y), float(odd))


def test_normal_scores_that_are_normal_are_not_odd():
    chances = belief.chance(np.random.default_rng(0).normal(size=(2000, 20)))
    assert 0.005 < (chances < 0.05).mean() < 0.06
    assert belief.chance(np.zeros((1, 1))) == 1.0 and 0 < belief.chance(np.array([[9.0]])) < 1e-10


@pytest.mark.parametrize("z", [
    np.linspace(-3, 3, 30) * 2,  # too far out
    np.full(30, 0.9),  # all to one side
    np.sort([1.0, 1.0, 1.0, -1.0, -1.0, -1.0] * 8),  # one like the one before
    np.array([0.1, -0.2, 7.0, 0.3, -0.1]),  # one out of line
])  # fmt: skip
def test_each_of_the_four_ways_to_be_odd_is_seen(z):
    assert belief.chance(z[None]) < 0.01


def test_curves_of_the_prior_are_rarely_called_odd():
    found = np.array([share(row) for row in prior.test_set(100).noisy[:, :20].numpy()])
    assert (found < 0.01).sum() <= 6 and 0.3 < (found < 0.5).mean() < 0.7


def test_a_run_that_breaks_down_is_odd():
    x = X[:30]
    curve = 0.2 + 0.6 * (1 - np.exp(-x / 8)) + 0.01 * np.sin(17 * x)
    assert share(curve) > 0.05 and share(np.where(x > 25, 0.1, curve)) < RARE
    assert share(np.where(x == 15, 0.1, curve), "paper-prior") < 0.01


def test_the_share_rises_with_the_score_and_stays_between_its_ends():
    """Between two levels by a line in the logarithm of the score, between two rows in that of the length."""
    table = belief.Table([2, 10], [0.01, 0.1, 1.0], [[1e-6, 1e-3, 1.0], [1e-9, 1e-4, 1.0]])
    found = [belief.in_prior(table, 2, score) for score in (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 0.1, 1.0)]
    assert found == sorted(found) and found[0] == 0.01 and found[-1] == 1.0
    assert belief.in_prior(table, 2, 1e-3) == belief.in_prior(table, 10, 1e-4) == pytest.approx(0.1)
    assert belief.in_prior(table, 2, math.sqrt(1e-9)) == pytest.approx(0.055)
    two, four, ten = (belief.in_prior(table, seen, 1e-4) for seen in (2, 4, 10))
    assert (four - ten) / (two - ten) == pytest.approx(1 - math.log(2) / math.log(5))


@pytest.mark.parametrize(("values", "how", "words"), [
    ([0.69, 0.6, 0.55], {}, "if lower is better, set"),
    ([0.5, 0.6, 0.7], {"metric": "error"}, "if higher is better, set"),
    ([0.5 + 0.001 * i for i in range(50)], {"steps": [100_000 + 10 * i for i in range(50)]}, "subtract the start"),
    ([0.4] * 12, {}, "has hardly moved yet"), ([0.4] * 12, {"metric": "loss"}, "has hardly moved yet"),
])  # fmt: skip
def test_what_speaks_against_a_forecast_is_told(values, how, words):
    assert any(words in text for text in forecast(values, check=False, **how).warnings)


@pytest.mark.parametrize("metric", ["accuracy", "loss"])
@pytest.mark.parametrize("noise", [0.003, 0.03])
def test_noise_around_a_constant_is_told_and_forecast(metric, noise):
    runs = 0.4 + noise * np.random.default_rng(0).normal(size=(40, 12))
    found = forecast(runs.tolist(), metric=metric, check=False)
    assert all(np.isfinite(run.median).all() for run in found)
    assert sum(bool(run.warnings) for run in found) >= 32


def test_nothing_speaks_against_a_run_that_moves():
    t, noise = np.arange(1, 21), 0.02 * np.random.default_rng(1).normal(size=20)
    for run in (0.6 - 0.3 / t[:5], 0.3 + 0.004 * t, 0.8 - 0.5 * np.exp(-t), 0.6 - 0.4 / t + noise):
        assert not forecast(run.tolist(), check=False).warnings
