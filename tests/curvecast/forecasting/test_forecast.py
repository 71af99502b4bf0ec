"""Guards the call and what is said of a run: all answers agree, what is odd scores low, what a user gives becomes a run."""

import copy
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting import doubts, passes, shipped, torch_network, track_record, user_input
from curvecast.forecasting import forecast as of_one_run
from curvecast.forecasting.api import Unlike
from curvecast.forecasting.doubts import RARE
from curvecast.forecasting.epochs import LENGTH, axis, default_horizon, epochs
from curvecast.forecasting.normalise import Scale, metric_of
from curvecast.forecasting.passes import Beginning
from curvecast.ground.errors import UserError
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


def test_it_is_what_the_network_says_to_epoch_100_at_the_levels_of_its_record(run):
    """The scores of its second to fifth value are asked of torch, one by one; the levels are SciPy's."""
    network, x, y = torch_network.load(shipped.PATH), torch.arange(1.0, 6)[None], torch.tensor([RUN])
    told = (network.predict(x[:, :k], y[:, :k], x[:, k : k + 1]).cdf(y[:, k : k + 1]) for k in range(1, 5))
    z = stats.norm.ppf([float(one) for one in told])
    spread = (4 * 0.49 + (z**2).sum()) / (4 + 4) / 0.42
    assert 0.6 < spread < 1
    later = torch.arange(6.0, 101)
    density = network.predict(x, y, later[None])
    assert run.steps.tolist() == later.tolist()
    for q in (0.05, 0.5, 0.95):
        level = float(stats.norm.cdf(spread * stats.norm.ppf(q)))
        assert np.allclose(run.quantile(q), density.quantile(level)[0].clamp(0, 1), atol=2e-4)


@pytest.mark.parametrize(
    "values", [[0.4], [0.3, 0.5, 0.6, 0.2, 0.65, 0.66, 0.3, 0.67]], ids=["one point", "rough"]
)
def test_what_is_not_smooth_is_forecast_as_the_network_says(values):
    rough = forecast(values, horizon=30, check=False)
    for q in (0.05, 0.5, 0.95):
        assert np.allclose(rough.quantile(q), rough.row.density.quantile(q).clip(0, 1), atol=1e-5)
    above = rough.row.density.exceeds(np.full(len(rough.steps), 0.6, np.float32))
    assert np.allclose(rough.prob_above(0.6), above, atol=1e-5)


def test_the_smoothest_run_is_narrowed_by_two_fifths():
    still = forecast([2.3] * 30, metric="loss", check=False)
    level = stats.norm.cdf(0.6 * stats.norm.ppf(0.05))  # of a loss, of which less is more to the network
    assert np.allclose(still.quantile(0.95), still._scale.back(still.row.density.quantile(level)), atol=1e-4)


def test_futures_are_narrowed_as_the_intervals_are(run):
    """Towards the median, each at the level that the network gave it."""
    bare = copy.copy(run)
    bare._levels = None
    at = np.searchsorted(run.steps, run.futures(1)[0])
    away, away_bare = (np.abs(one.futures(50)[1] - run.median[at]) for one in (run, bare))
    assert (away <= away_bare + 1e-6).all() and away.mean() < 0.95 * away_bare.mean()


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
    assert np.array_equal(one.sample(20), one.sample(20)) and not np.array_equal(one.sample(20), drawn[:20])


@pytest.mark.parametrize("values", [[0.97, 0.99, 0.995, 0.998, 0.999], [0.3, 0.9, 0.7, 0.98, 0.9, 0.99]])
def test_near_a_bound_the_mean_is_that_of_the_values_that_can_be(values):
    near = forecast(values, horizon=25, check=False)
    assert np.allclose(near.mean, near.sample(6000).mean(0), atol=6e-3)
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
    monkeypatch.setattr(of_one_run, "AT_ONCE", 50)
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
    (lambda _: forecast([0.3, 0.4, 0.5], horizon=1000).prob_beats(0.5, by=9), "the first step of the forecast is 20"),
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


def test_long_runs_are_thinned_and_all_of_a_call_go_to_the_same_horizon():
    values = 0.8 - 0.5 * np.arange(1, 501) ** -0.5
    run = forecast(values)
    assert run.thinned and run.steps[-1] == 1000 and abs(run.median[0] - values[-1]) < 0.03
    assert {run.steps[-1] for run in forecast([RUN, list(np.linspace(0.1, 0.5, 80))])} == {160.0}


def test_steps_that_a_complaint_compares_have_all_their_digits():
    at = [1_000_000, 1_234_568]
    refuses("the horizon 1234567 is before the last step 1234568", forecast, [0.1, 0.2], at, 1_234_567)
    refuses(
        "by is 1234567, but the run has reached 1234568", forecast([0.1, 0.2], at).prob_beats, 0.5, 1_234_567
    )
    refuses("step 1234567 comes after 1234568", forecast, [0.1, 0.2, 0.3], [*at, 1_234_567])


def test_a_warning_says_that_a_run_is_odd_and_can_be_switched_off():
    odd = [0.5, 0.55, 0.6, 0.1, 0.61, 0.1, 0.62, 0.1, 0.63]
    with pytest.warns(Unlike, match="do not trust the intervals"):
        assert forecast(odd).in_prior < RARE
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forecast(odd, check=False)


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
    (odd,) = doubts.oddness(track_record.scores(told.network, [(X[: len(y)], y)]))
    return doubts.in_prior(told.table, len(y), float(odd))


def test_normal_scores_that_are_normal_are_not_odd():
    chances = doubts.chance(np.random.default_rng(0).normal(size=(2000, 20)))
    assert 0.005 < (chances < 0.05).mean() < 0.06
    assert doubts.chance(np.zeros((1, 1))) == 1.0 and 0 < doubts.chance(np.array([[9.0]])) < 1e-10


@pytest.mark.parametrize("z", [
    np.linspace(-3, 3, 30) * 2,  # too far out
    np.full(30, 0.9),  # all to one side
    np.sort([1.0, 1.0, 1.0, -1.0, -1.0, -1.0] * 8),  # one like the one before
    np.array([0.1, -0.2, 7.0, 0.3, -0.1]),  # one out of line
])  # fmt: skip
def test_each_of_the_four_ways_to_be_odd_is_seen(z):
    assert doubts.chance(z[None]) < 0.01


def test_a_run_that_breaks_down_is_odd():
    x = X[:30]
    curve = 0.2 + 0.6 * (1 - np.exp(-x / 8)) + 0.01 * np.sin(17 * x)
    assert share(curve) > 0.05 and share(np.where(x > 25, 0.1, curve)) < RARE
    assert share(np.where(x == 15, 0.1, curve), "paper-prior") < 0.01


def test_the_share_rises_with_the_score_and_stays_between_its_ends():
    """Between two levels by a line in the logarithm of the score, between two rows in that of the length."""
    table = doubts.Table([2, 10], [0.01, 0.1, 1.0], [[1e-6, 1e-3, 1.0], [1e-9, 1e-4, 1.0]])
    found = [doubts.in_prior(table, 2, score) for score in (0.0, 1e-9, 1e-6, 1e-4, 1e-3, 0.1, 1.0)]
    assert found == sorted(found) and found[0] == 0.01 and found[-1] == 1.0
    assert doubts.in_prior(table, 2, 1e-3) == doubts.in_prior(table, 10, 1e-4) == pytest.approx(0.1)
    assert doubts.in_prior(table, 2, math.sqrt(1e-9)) == pytest.approx(0.055)
    two, four, ten = (doubts.in_prior(table, seen, 1e-4) for seen in (2, 4, 10))
    assert (four - ten) / (two - ten) == pytest.approx(1 - math.log(2) / math.log(5))


@pytest.mark.parametrize(("values", "how", "words"), [
    ([0.69, 0.6, 0.55], {}, "if lower is better, set minimise=True (--minimise on"),
    ([0.5, 0.6, 0.7], {"metric": "error"}, "if higher is better, set minimise=False (--no-minimise on"),
    ([0.5 + 0.001 * i for i in range(50)], {"steps": [100_000 + 10 * i for i in range(50)]}, "subtract the start"),
    ([0.5 + 0.001 * i for i in range(50)], {"steps": range(10, 510, 10), "horizon": 100_000}, "give a nearer one"),
    ([0.5 + 0.05 * i for i in range(7)], {"steps": [10**i for i in range(7)]}, "scale='log' (--log-steps on the"),
    ([0.5 + 0.05 * i for i in range(7)], {"metric": "percent"}, "if these are fractions, set the metric to accuracy"),
    ([0.4] * 12, {}, "has hardly moved yet"), ([0.4] * 12, {"metric": "loss"}, "has hardly moved yet"),
])  # fmt: skip
def test_what_speaks_against_a_forecast_is_told(values, how, words):
    assert any(words in text for text in forecast(values, check=False, **how).warnings)


def test_nothing_speaks_against_a_run_that_moves():
    t, noise = np.arange(1, 21), 0.02 * np.random.default_rng(1).normal(size=20)
    for run in (0.6 - 0.3 / t[:5], 0.3 + 0.004 * t, 0.8 - 0.5 * np.exp(-t), 0.6 - 0.4 / t + noise):
        assert not forecast(run.tolist(), check=False).warnings


def test_many_runs_give_what_each_gives_alone():
    runs = [RUN, RUN[:2], [0.3, None, 0.5, None, 0.6], [0.2], [0.7 - 0.5 / (1 + i) for i in range(50)]]
    together = forecast(runs, horizon=60)
    for run, found in zip(runs, together, strict=True):
        alone = forecast(run, horizon=60, check=False)
        assert found.steps.tolist() == alone.steps.tolist()
        assert np.allclose(found.quantile(0.95), alone.quantile(0.95), atol=1e-4)
        assert found.in_prior == (alone.in_prior and pytest.approx(alone.in_prior, rel=0.05))
    assert [run.name for run in together] == [f"run {i}" for i in (1, 2, 3, 4, 5)]


def test_a_hole_is_no_value_and_no_end_and_shared_steps_may_go_on():
    assert forecast([0.3, None, 0.5, None], horizon=10).steps.tolist() == [4, 5, 6, 7, 8, 9, 10]
    short, _ = forecast([[0.3], [0.3, 0.4]], steps=[1, 2], horizon=5, check=False)
    assert short.observed_steps.tolist() == [1]


def test_arrays_tensors_and_masked_arrays_are_taken():
    a = np.array([RUN, RUN])
    masked = np.ma.masked_array(a, mask=[[False] * 5, [False, True, False, False, False]])
    for values in (a, a.astype(np.float32), torch.tensor(a), list(a), masked):
        assert len(forecast(values)) == 2
    assert len(forecast(masked)[1].observed) == 4


def test_a_column_of_a_table_is_a_run():
    frame = pd.DataFrame({"step": [10, 20, 30], "accuracy": [0.3, 0.4, 0.5], "b": [None, 0.2, None]})
    assert forecast(frame["accuracy"], steps=frame["step"]).steps[0] == 40
    refuses(r"column 'step' holds steps: .*set_index\('step'\)", forecast, frame)
    refuses("the table has no columns", forecast, pd.DataFrame())
    a, b = forecast(frame.set_index("step"))
    assert (a.name, a.steps[0], *b.observed_steps, *b.observed) == ("accuracy", 40, 20, 0.2)
    assert forecast(frame["accuracy"]).observed_steps.tolist() == [1, 2, 3]


def test_one_long_run_is_one_run():
    column = pd.Series(np.zeros(60_000), index=range(7, 60_007))
    assert not user_input.runs_of(np.zeros(1_000_000))[1] and not user_input.runs_of(column)[1]


def test_names_in_complaints_cannot_move_the_cursor():
    for what, values in (("outside", [0.3, 5.0]), ("give a number", [0.3, "x"])):
        with pytest.raises(UserError, match=what) as error:
            forecast([values, RUN], names=["\x1b[31mred\nx" + "y" * 500, "b"])
        assert str(error.value).isprintable() and len(str(error.value)) < 400


def test_runs_are_taken_by_place_by_name_and_as_a_part():
    runs = forecast([RUN, RUN[:3], RUN[:2]], names=["a", "<b>", "b"], check=False)
    assert runs["b"] is runs[2] and isinstance(runs[:2], type(runs))
    with pytest.raises(UserError, match="0 runs are called 'c'"):
        runs["c"]
    shown = runs[:2].to_frame().set_index(["run", "step"])
    assert shown.loc[("a", 100), "median"] == runs[0].median[-1] and len(shown) == 95 + 97
    assert "&lt;b&gt;" in runs._repr_html_() and "<b>" not in runs[1]._repr_html_()


@pytest.mark.parametrize(
    "finished", [None, [[0.3 + 0.3 * (1 - 0.95**i) + k / 99 for i in range(100)] for k in range(12)]]
)
def test_a_pickle_is_small_and_answers_as_before(finished):
    """Without the weights and the runs beside it; the levels of a calibrated one alone took 96 kB."""
    run = forecast([RUN] * 50, finished=finished, check=False)[7]
    before = [run.quantile(0.05), run.median, run.mean, run.prob_above(0.6), run.futures(3)[1]]
    data = pickle.dumps(run)
    again = pickle.loads(data)
    after = [again.quantile(0.05), again.median, again.mean, again.prob_above(0.6), again.futures(3)[1]]
    assert len(data) < 50_000 and len(run.steps) == 95 and again.in_prior == run.in_prior
    assert run.finished == again.finished == len(finished or ())
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


def test_the_run_with_the_best_future_wins_most_often():
    runs = forecast([[0.3, 0.5, 0.6, 0.66, 0.7], [0.1, 0.15, 0.18, 0.2, 0.21]], check=False)
    assert runs.wins().sum() == pytest.approx(1) and runs.wins()[0] > 0.8 and runs.best == 0.7
    assert forecast([RUN, RUN], check=False, horizon=5).wins().tolist() == [0.5, 0.5]
    good = [97, 99, 99.5, 99.6, 99.8, 99.9, 99.9, 99.9, 100, 99.9]
    assert abs(forecast([good, good], metric="percent", check=False).wins()[0] - 0.5) < 0.05
    losses = forecast([[0.3, 0.2, 0.15], [0.9, 0.85, 0.82]], metric="error", check=False)
    assert losses.wins()[0] > 0.8 and losses.best == 0.15


@pytest.mark.parametrize("metric", ["accuracy", "error"])
def test_who_has_ended_on_the_bound_cannot_be_beaten(metric):
    ended, going = [0.9, 0.95, 0.99, 1.0, 1.0, 1.0], [0.97, 0.99, 0.999, 1.0]
    given = [[1 - v if metric == "error" else v for v in run] for run in (ended, going)]
    runs = forecast(given, steps=[[1, 2, 3, 4, 5, 6], [1, 2, 3, 4]], horizon=6, metric=metric, check=False)
    bound = 0.0 if metric == "error" else 1.0
    ends = runs[1].sample_end(4000, 1, clip=False)
    level = (ends <= 0 if metric == "error" else ends >= 1).mean()
    assert len(runs[0].steps) == 0 and runs[1].prob_beats(bound) == 0
    assert level > 0.1 and runs.wins().tolist() == pytest.approx([1 - level / 2, level / 2])


def test_of_two_near_the_bound_the_better_one_still_wins():
    runs = forecast([[0.9, 0.97, 0.99, 0.995, 0.998], [0.5, 0.8, 0.95, 0.9, 0.97]], check=False)
    one, other = (run.sample_end(4000, i, clip=False) for i, run in enumerate(runs))
    assert ((one > 1) & (other > 1)).mean() > 0.05
    assert runs.wins().tolist() == pytest.approx([(one > other).mean(), (other > one).mean()])


def made(steps, horizon=None):
    steps = np.array(steps, dtype=float)
    own = axis(steps)
    return epochs(steps, own, default_horizon(steps, own) if horizon is None else horizon, "run")


@pytest.mark.parametrize(("steps", "horizon", "x", "ahead"), [
    ([0, 10, 20], None, [1, 2, 3], range(30, 991, 10)),  # counted from 0: moved by one epoch
    (range(1, 6), 8.5, [1, 2, 3, 4, 5], [6, 7, 8, 8.5]),  # a horizon between two epochs is asked for too
    (range(1, 301), 1000, range(1, 31), range(310, 1001, 10)),  # shrunk to a hundred epochs
    ([1], None, [1], range(2, 101)), ([1000], None, [1], range(2000, 100_001, 1000)), ([0], None, [1], range(1, 100)),
])  # fmt: skip
def test_steps_become_epochs_and_epochs_steps(steps, horizon, x, ahead):
    found = made(steps, horizon)
    assert found.x.tolist() == list(x) and found.ahead.tolist() == list(ahead)
    # of the points that fall on one epoch the last one stays
    assert found.kept.tolist() == list(range(9, 300, 10) if found.thinned else range(len(found.x)))


@pytest.mark.parametrize(
    ("steps", "unit"),
    [([1, 2, 4], 1), ([1, 3, 4, 5, 9], 1), ([0.1, 0.2, 0.3, 0.5], 0.1), ([10, 30, 50, 60], 20), ([1, 2.1, 3.05], 0.95)],
)  # fmt: skip
def test_the_usual_gap_is_the_most_frequent_one(steps, unit):
    assert axis(np.array(steps)).unit == pytest.approx(unit)
    found = epochs(np.array([2.0, 4, 6]), axis(np.arange(1, 8.0)), 10, "run")  # holes make no epoch longer
    assert found.x.tolist() == [2, 4, 6] and found.ahead.tolist() == [7, 8, 9, 10]


@given(
    st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=60, unique=True).map(sorted),
    st.floats(1.0, 1e7),
)
def test_the_network_gets_rising_epochs_from_1_to_100(steps, further):
    assume(len(steps) == 1 or min(np.diff(steps)) >= 1e-3)
    assume((steps[-1] + further) / axis(np.array(steps)).unit <= 1e8)
    found = made(steps, horizon=steps[-1] + further)
    both = np.concatenate([found.x, found.x_ahead])
    assert (np.diff(both) > 0).all() and both[0] >= 1 and both[-1] <= LENGTH + 1e-6
    assert len(found.ahead) == len(found.x_ahead) <= LENGTH
    assert not len(found.ahead) or found.ahead[-1] == steps[-1] + further
    assert (found.ahead > steps[-1] - 1e-6 * max(1, steps[-1])).all()


def scale(name="accuracy", values=(0.5,), bounds=None, minimise=None):
    return Scale.of(metric_of(name, bounds, minimise), np.array(values, dtype=float), "run")


@pytest.mark.parametrize(("name", "first", "values", "seen"), [
    ("accuracy", 0.5, [0.0, 0.3, 1.0], [0, 0.3, 1]), ("error", 0.5, [0.0, 0.25], [1, 0.75]),
    ("percent", 0.5, [50.0], [0.5]),
    ("loss", math.log(10), [0.0, math.log(10), 1e9], [1, 0.368, 0]),  # of ten classes, as the paper has it
])  # fmt: skip
def test_values_are_seen_as_the_paper_has_it(name, first, values, seen):
    assert scale(name, [first]).to(np.array(values)) == pytest.approx(seen, abs=1e-3)


@given(st.floats(0.01, 50), st.lists(st.floats(0.0, 60), min_size=1, max_size=20))
def test_back_undoes_to(first, values):
    """For values no larger than some times the first: beyond, the logistic curve is flat in floating point."""
    values = np.array([first, *(v for v in values if v < 8 * first)])
    for name, own in (("loss", values), ("accuracy", values / (values.max() + 1))):
        found = scale(name, own)
        assert np.allclose(found.back(found.to(own)), own, rtol=1e-5, atol=1e-6 * first)


@pytest.mark.parametrize("bounds", [(0, math.inf), (-math.inf, 10), (0, 10)])
@pytest.mark.parametrize("minimise", [False, True])
def test_better_values_are_higher_for_the_network(bounds, minimise):
    found = scale(values=[4], bounds=bounds, minimise=minimise)
    seen = found.to(np.array([1.0, 2.0, 4.0, 8.0]))
    assert (np.diff(seen) < 0).all() if minimise else (np.diff(seen) > 0).all()
    assert ((seen >= 0) & (seen <= 1)).all()
    assert np.isfinite(found.back(np.array([-0.3, 0.0, 1.0, 1.3]))).all()
    assert metric_of("loss", None, False).minimise is False  # a direction may be turned


def test_what_lies_beyond_a_bound_is_the_bound():
    assert scale().back(np.array([-0.2, 1.3])).tolist() == [0, 1]
    assert scale("error").back(np.array([-0.2, 1.3])).tolist() == [1, 0]
    assert str(scale("loss", [2.0]).back(np.array([1.2]))[0]) == "0.0"


@pytest.mark.parametrize(("values", "how", "words"), [
    ([], {}, "has no value"), ([[0.1], []], {}, "run 2 has no value"), ([0.1, float("nan")], {}, "value 2 is nan"),
    ([0.1, float("inf")], {}, "value 2 is inf"), (["a"], {}, "value 1 is 'a': give a number"),
    (None, {}, "give a list of numbers"), ([0.1, 0.2], {"steps": [2, 1]}, "step 1 comes after 2: steps must rise"),
    ([0.1, 0.2], {"steps": [-1, 1]}, "a step is negative"), ([0.1, 0.2], {"steps": [1, None]}, "step 2 is missing"),
    ([0.1, 0.2], {"steps": 5}, "steps are 5"), ([0.1, 0.2], {"steps": [1, 2, 3]}, "2 values but 3 steps"),
    ([[0.1], [0.2]], {"steps": [[1]]}, "there are 2 runs but steps for 1"),
    ([[0.1], [0.2]], {"names": ["a"]}, "there are 2 runs but 1 names"), ([[0.1], [0.2]], {"names": 5}, "names are 5"),
    ([0.1, 0.2], {"horizon": float("nan")}, "the horizon is nan"),
    ([0.1, 0.2], {"horizon": "far"}, "the horizon is 'far'"),
    ([0.1, 0.2], {"steps": [0.001, 0.002], "horizon": 1e9}, "is it in the unit of the steps"),
    ([0.1, 0.2], {"metric": (0, 500), "bounds": (0, 1)}, "give only one of them"),
    # near the end of what numbers there are
    ([1.0, 10**400], {"metric": "loss"}, "value 2 is inf"), ([1.0, 1e308], {"metric": "loss"}, "beyond"),
    ([0.5, -1e308], {"metric": (-float("inf"), 1)}, "beyond"),
    ([0.3, 0.4], {"bounds": (0, 10**400)}, "not two numbers"), (RUN, {"horizon": 10**400}, "the horizon is inf"),
    (np.zeros((1_000_000, 2)), {}, r"1,000,000 runs: at most 50,000 in one call"),
    ([0.4, 93.1], {}, "value 2 is 93.1, outside 0 to 1: set the metric to percent if"), ([0.4, -2], {}, "outside 0 to 1"),
    ([0.4, 250], {}, "set the metric to loss if lower"), ([-0.1], {"metric": "loss"}, "outside 0 to inf: set bounds, the"),
    ([0.0, 1.0], {"metric": "loss"}, "the first value equals the bound 0"),
    (RUN, {"metric": "f1"}, "use one of accuracy, percent, error, loss"),
    (RUN, {"bounds": (1, 0)}, "the first must be below the second"), (RUN, {"bounds": (0,)}, "not two numbers"),
    (RUN, {"bounds": (0, math.nan)}, "the first must be below the second"),
    (RUN, {"bounds": (-math.inf, math.inf)}, "without any bound"), (RUN, {"bounds": ("a", "b")}, "not two numbers"),
    (RUN, {"bounds": (0, 1e308)}, r"bounds 0 to 1e\+308: one is beyond 1e\+150"),
])  # fmt: skip
def test_what_cannot_be_forecast_is_said_in_one_sentence(values, how, words):
    refuses(words, forecast, values, **how)
