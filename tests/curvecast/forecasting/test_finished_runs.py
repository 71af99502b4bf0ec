"""Guards finished_runs.py and kept_promises.py, mostly by the call that users make: ended runs calibrate the bands."""

import pickle

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.forecasting import finished_runs, shipped
from curvecast.forecasting.finished_runs import Finished, FinishedRuns, given, has_come_to
from curvecast.forecasting.kept_promises import DISTANCES, LEVEL, RESTS, Fell, Sharing, levels, score
from curvecast.ground.errors import UserError
from tests.curvecast.refusals import refuses


def run(seed, length=40):
    rng, x = np.random.default_rng(seed), np.arange(1.0, length + 1)
    return np.clip(0.85 - 0.6 * x ** -rng.uniform(0.4, 1.2) + rng.normal(0, 0.01, length), 0, 1)


ENDED = [run(i) for i in range(12)]
SEEN = run(99)[:8]


def told(seen=SEEN, finished=ENDED, **how):
    return forecast(seen, finished=finished, check=False, **how)


def test_without_finished_runs_nothing_changes():
    own, none = told(horizon=40, finished=None), told(horizon=40, finished=[])
    assert own.finished == none.finished == 0
    assert np.array_equal(own.quantile(0.05), none.quantile(0.05))


def test_the_default_horizon_is_where_the_finished_ones_end_and_who_is_there_needs_no_levels():
    assert told(finished=[*ENDED, run(50, 60)]).steps[-1] == 40
    assert told(ENDED[0]).finished == 0


def test_runs_that_end_where_the_network_did_not_expect_it_move_the_forecast():
    fallen = [np.where(np.arange(40) < 8, one, 0.3 + 0.001 * i) for i, one in enumerate(ENDED)]
    own, moved = told(horizon=40, finished=None), told(finished=fallen)
    assert moved.finished == 12 and moved.median[-1] < own.median[-1] - 0.1
    assert moved.prob_beats(0.6) < own.prob_beats(0.6)


def test_quantiles_chances_samples_and_futures_tell_one_story():
    one = told()
    ends = one.sample_end(4000)
    for q in (0.1, 0.5, 0.9):
        at = one.quantile(q)[-1]
        assert one.prob_above(at)[-1] == pytest.approx(1 - q, abs=1e-3)
        assert (one.sample(4000)[:, -1] < at).mean() == pytest.approx(q, abs=0.03)
        assert (ends < at).mean() == pytest.approx(q, abs=0.03)
    assert one.mean[-1] == pytest.approx(ends.mean(), abs=0.005)
    steps, values = one.futures(200)
    assert np.median(values[:, 0]) == pytest.approx(one.median[one.steps == steps[0]][0], abs=0.01)


def test_neither_the_direction_nor_the_unit_of_the_steps_nor_company_matters():
    one = told()
    down = told(1 - SEEN, [1 - ended for ended in ENDED], metric="error")
    assert np.allclose(down.quantile(0.95), 1 - one.quantile(0.05), atol=1e-3)
    assert np.allclose(down.prob_above(0.3), 1 - one.prob_above(0.7), atol=1e-3)
    other = told(steps=500 * np.arange(1, 9), finished_steps=500 * np.arange(1, 41))
    assert np.allclose(one.median, other.median, atol=1e-6) and other.steps[-1] == 20_000
    together = told([SEEN, SEEN[:3]])
    assert np.allclose(together[0].median, one.median, atol=1e-4)
    assert np.allclose(together[1].median, told(SEEN[:3]).median, atol=1e-4)


def test_what_was_found_of_a_finished_run_is_not_computed_again(monkeypatch):
    asked, real = [], finished_runs.fell
    counted = lambda network, runs, seen: asked.append(len(runs)) or real(network, runs, seen)  # noqa: E731
    monkeypatch.setattr(finished_runs, "fell", counted)
    ended = given(ENDED, None, False)
    some = FinishedRuns(ended.runs[:10])
    first, again, grown = told(finished=some), told(run(98)[:8], some), told(finished=ended)
    assert asked == [10, 2] and [one.finished for one in (first, again, grown)] == [10, 10, 12]
    assert np.allclose(grown.median, told().median, atol=1e-5)
    told(SEEN[:4], ended)
    told(finished=ended, horizon=39)
    told(finished=ended, weights="paper-prior")
    assert asked[3:] == [12, 12, 12], "another cut, another horizon and another network are other questions"


def test_finished_runs_are_stored_without_what_was_found_of_them():
    ended = given(ENDED, None, False)
    before = len(pickle.dumps(ended))
    told(finished=ended)
    assert len(pickle.dumps(ended)) == before and len(pickle.loads(pickle.dumps(ended))) == len(ENDED)


def test_a_run_of_as_many_steps_as_the_horizon_says_has_finished():
    """range(40) has no step 40; a run has come to a step before which nothing more can follow."""
    for steps in (range(40), range(41), range(1, 41)):
        ended = given([run(1, len(steps))], [steps], True)
        assert told(finished=ended, steps=range(8), horizon=40).finished == 1
    (seen,) = (one.seen for one in given([[0.1, 0.2, 0.3]], [[5, 10, 15]], True).runs)
    assert [has_come_to(seen, end) for end in (15, 19, 20)] == [True, True, False]


def test_a_run_fell_where_the_network_had_its_values():
    network, first = shipped.load().network, told(horizon=40, finished=None)
    for q, z in ((0.05, -1.6449), (0.5, 0.0), (0.95, 1.6449)):
        whole = Finished(np.arange(1.0, 41), np.concatenate([SEEN, first.quantile(q)]))
        (scores,), (outline,) = finished_runs.fell(network, [whole], 0.2)
        assert np.allclose(scores, z, atol=0.02)
        assert outline[0, -1] == pytest.approx(first.median[-1], abs=1e-5)
        one_sigma = (first.quantile(0.8413)[-1] - first.quantile(0.1587)[-1]) / 2
        assert outline[1, -1] == pytest.approx(np.log(one_sigma), abs=1e-3)
    ended = finished_runs.fell(network, [Finished(np.arange(1.0, 41), run(1))], 1.0)
    assert [len(part) for part in ended] == [0, 0], "nothing came after it"


def test_the_runs_that_count_are_those_that_the_network_forecasts_alike():
    """Two kinds: slow ones end far higher than forecast, fast ones far lower. Each new run goes with its own kind."""

    def kind(start, rise, i):
        noise = np.random.default_rng(i).normal(0, 0.003, 40)
        grown = start + 0.2 * (1 - np.exp(-np.arange(40) / 8)) + rise * (np.arange(40) >= 10)
        return np.clip(grown + noise, 0, 1)

    ended = [kind(0.1, 0.3, i) for i in range(6)] + [kind(0.6, -0.3, i) for i in range(6)]
    for start, way in ((0.1, 1), (0.6, -1)):
        seen = kind(start, 0, 99)[:8]
        own, moved = told(seen, None, horizon=40), told(seen, ended)
        assert way * (moved.median[-1] - own.median[-1]) > 0.05


@pytest.mark.parametrize(("finished", "how", "words"), [
    (0.5, {}, "finished is not a list of runs: give each finished run as a list"),
    ([0.5, 0.6], {}, "finished is not a list of runs"),
    ([run(1), run(2, 20)], {"horizon": 40}, "finished run 2 ends at step 20, before the horizon 40"),
    ([[0.1, float("nan")]], {}, "finished run 1: value 2 is nan"), ([[]], {}, "finished run 1 has no value"),
    ([100 * run(1)], {}, "finished run 1: value 1 is .*outside 0 to 1: set metric to 'percent'"),
    ([run(1)], {"steps": range(1, 9)}, "the finished runs have none: give finished_steps"),
    ([run(1)], {"finished_steps": [1, 2]}, "finished run 1 has 40 values but 2 steps"),
    ([run(1, 5)], {}, "the shortest finished run ends at step 5, before the last step 8"),
])  # fmt: skip
def test_what_cannot_be_right_is_said_in_one_sentence(finished, how, words):
    refuses(words, forecast, SEEN, finished=finished, **how)


AHEAD = np.array([0.05, 0.3, 0.55, 1.0])
PROMISED = np.array([0.05, 0.25, 0.5, 0.9, 0.99])[:, None] * np.ones(len(AHEAD))


HERE = np.zeros((2, len(DISTANCES)))  # an outline


def same_everywhere(z, outlines=None):
    """Runs with scores (n,) that are the same at all distances, as those of one run nearly are; all forecast alike."""
    z = np.reshape(z, (-1, 1)) * np.ones(len(DISTANCES))
    return Fell(z, np.stack([HERE] * len(z)) if outlines is None else outlines)


def spread_out(n, mean=0.0, spread=1.0):
    return same_everywhere(mean + spread * np.random.default_rng(0).normal(size=n))


def of(finished, ahead=AHEAD, **how):
    return levels(finished, HERE, ahead, Sharing(**how))


def normal(z):
    return torch.special.ndtr(torch.tensor(z)).numpy()


def test_finished_runs_that_go_the_other_way_or_are_the_run_itself_are_told():
    rising = [np.linspace(0.2, 0.8 + 0.01 * i, 20) for i in range(4)]
    run = rising[2][:6]
    with pytest.warns(UserWarning, match="finished run 3 begins with the values of this run"):
        assert forecast(run, horizon=20, finished=rising).warnings
    falling = [values[::-1] for values in rising]
    with pytest.warns(UserWarning, match="most of its finished runs fall, but higher is taken to be better"):
        forecast(run + 0.001, horizon=20, finished=[*falling, rising[0]])
    assert not forecast(run + 0.001, horizon=20, finished=[falling[0], *rising]).warnings
    others = {"steps": [2, 4, 6, 8, 10, 12], "finished_steps": range(1, 21), "finished": rising}
    assert not forecast(run, horizon=20, **others).warnings  # the same values, at other steps
    many = [values + 0.002 * i for i in range(15) for values in rising]
    kept = pickle.loads(pickle.dumps(given(many, None, False)))
    with pytest.warns(UserWarning, match="finished run 60 begins"):  # of sixty, of which fifty are kept
        forecast(many[-1][:6], horizon=20, finished=kept)
    with pytest.raises(UserError, match="finished run 60 ends at step 10"):
        forecast(many[0][:6], horizon=20, finished=[*many[:-1], many[-1][:10]])


def test_levels_are_those_of_a_gaussian_process_that_leaves_each_run_out():
    """As written down: for each size of the rest every run from the others, and the new one from all."""
    rng, sharing = np.random.default_rng(3), Sharing()
    outlines, z = rng.normal(0, 0.2, (7, 2, len(DISTANCES))), rng.normal(0.5, 1, (6, len(DISTANCES)))
    places = outlines / np.array([[sharing.medians], [sharing.spreads]])
    apart = np.array([[((one - other) ** 2).mean(1).sum() for other in places] for one in places])
    shared = sharing.by_all + sharing.by_alike * np.exp(-apart / 2)

    def smooth(row):
        return np.convolve(np.pad(row, 1, "edge"), np.ones(3) / 3, "valid")

    def given_others(i, others, rest):
        between = shared[np.ix_(others, others)] + rest**2 * np.eye(len(others))
        weights = np.linalg.solve(between, shared[others, i])
        return weights @ z[others], rest**2 + shared[i, i] - weights @ shared[others, i]

    logs, means, variances = [], [], []
    for rest in RESTS:
        each = [(z[i], *given_others(i, [j for j in range(6) if j != i], rest)) for i in range(6)]
        fit = sum(-(np.log(v) + (value - mean) ** 2 / v) / 2 for value, mean, v in each)
        logs.append(smooth(fit) - np.log(rest / sharing.rest) ** 2 / sharing.rest_factor**2 / 2)
        mean, variance = given_others(6, list(range(6)), rest)
        means.append(smooth(mean))
        variances.append(variance)
    weight = np.exp(logs - np.max(logs, 0)) / np.exp(logs - np.max(logs, 0)).sum(0)
    mean = (weight * means).sum(0)
    spread = np.sqrt((weight * (np.array(variances)[:, None] + (np.array(means) - mean) ** 2)).sum(0))
    found = levels(Fell(z, outlines[:6]), outlines[6], DISTANCES)
    assert np.allclose(found.mean, mean) and np.allclose(found.spread, spread)


def test_a_step_between_two_distances_has_what_lies_between_theirs():
    """Runs that fell as promised up to 0.7 and by 1 too far from 0.8 on; each distance is taken with its neighbours."""
    late = np.where(DISTANCES > 0.75, 1.0, 0.0) + 0.5 * np.resize([-1, 1], (400, 1))
    found = levels(Fell(late, np.stack([HERE] * 400)), HERE, np.array([0.5, 0.65, 0.7, 0.9]))
    assert found.mean == pytest.approx([0.0, 1 / 6, 1 / 3, 1.0], abs=0.05)


@pytest.mark.parametrize("n", [1, 4, 9, 50])
def test_levels_rise_and_chances_are_read_the_other_way(n):
    own = of(spread_out(n, -1.0, 2.0))
    asked = own.asked(PROMISED)
    assert np.allclose(1 - own.above(asked, 1 - asked), PROMISED, atol=1e-6)
    promised = np.linspace(LEVEL, 1 - LEVEL, 999)[:, None] * np.ones(len(AHEAD))
    assert (np.diff(own.asked(promised), axis=0) >= 0).all()


def test_a_score_keeps_its_digits_on_both_sides_and_a_run_that_broke_counts_no_more_than_six():
    z = np.array([-5.5, -1.0, 0.0, 1.0, 5.5])
    assert np.allclose(score(normal(z).astype(np.float32), normal(-z).astype(np.float32)), z, atol=1e-4)
    assert score(np.array([0.0, 1.0]), np.array([1.0, 0.0])).tolist() == [-6.0, 6.0]
