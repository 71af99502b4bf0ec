"""Guards finished_runs and schedule: ended runs calibrate the bands, and a plan gives the rates it says."""

import math
import pickle

import numpy as np
import pytest
import torch
from scipy import special

from curvecast import forecast
from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import finished_runs, network, shipped
from curvecast.forecasting.epochs import Axis
from curvecast.forecasting.finished_runs import DISTANCES, Fell, Finished, FinishedRuns, levels
from curvecast.forecasting.forecast import grown
from curvecast.forecasting.passes import Beginning, ask
from curvecast.forecasting.schedule import schedule_of
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import ModelConfig
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


def test_quantiles_chances_samples_and_futures_tell_one_story():
    one = told()
    ends, drawn = one.sample_end(4000), one.sample(4000)[:, -1]
    for q in (0.1, 0.5, 0.9):
        at = one.quantile(q)[-1]
        assert one.prob_above(at)[-1] == pytest.approx(1 - q, abs=1e-3)
        assert (drawn < at).mean() == pytest.approx(q, abs=0.03)
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
    ended = finished_runs.given(ENDED, None, False)
    some = FinishedRuns(ended.runs[:10])
    stored = len(pickle.dumps(some))
    first, again, grown = told(finished=some), told(run(98)[:8], some), told(finished=ended)
    assert len(pickle.dumps(some)) == stored and len(pickle.loads(pickle.dumps(some))) == 10
    assert asked == [10, 2] and [one.finished for one in (first, again, grown)] == [10, 10, 12]
    assert np.allclose(grown.median, told().median, atol=1e-5)
    told(SEEN[:4], ended)
    told(finished=ended, horizon=39)
    told(finished=ended, weights="paper-prior")
    assert asked[3:] == [12, 12, 12], "another cut, another horizon and another network are other questions"


def test_a_run_of_as_many_steps_as_the_horizon_says_has_finished():
    """range(40) has no step 40; a run has come to a step before which nothing more can follow."""
    for steps in (range(40), range(41), range(1, 41)):
        ended = finished_runs.given([run(1, len(steps))], [steps], True)
        assert told(finished=ended, steps=range(8), horizon=40).finished == 1
    (seen,) = (one.seen for one in finished_runs.given([[0.1, 0.2, 0.3]], [[5, 10, 15]], True).runs)
    assert [finished_runs.has_come_to(seen, end) for end in (15, 19, 20)] == [True, True, False]


def test_a_run_fell_where_the_network_had_its_values():
    network, density = shipped.load().network, told(horizon=40, finished=None).row.density
    for q, z in ((0.05, -1.6449), (0.5, 0.0), (0.95, 1.6449)):
        whole = Finished(np.arange(1.0, 41), np.concatenate([SEEN, density.quantile(q)]))
        (scores,), (outline,) = finished_runs.fell(network, [whole], 0.2)
        assert np.allclose(scores, z, atol=0.02)
        assert outline[0, -1] == pytest.approx(density.quantile(0.5)[-1], abs=1e-5)
        one_sigma = (density.quantile(0.8413)[-1] - density.quantile(0.1587)[-1]) / 2
        assert outline[1, -1] == pytest.approx(np.log(one_sigma), abs=1e-3)
    ended = finished_runs.fell(network, [Finished(np.arange(1.0, 41), run(1))], 1.0)
    assert [len(part) for part in ended] == [0, 0], "nothing came after it"


AHEAD = np.array([0.05, 0.3, 0.55, 1.0])
PROMISED = np.array([0.05, 0.25, 0.5, 0.9, 0.99])[:, None] * np.ones(len(AHEAD))


HERE = np.zeros((2, len(DISTANCES)))  # an outline


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
    kept = pickle.loads(pickle.dumps(finished_runs.given(many, None, False)))
    with pytest.warns(UserWarning, match="finished run 60 begins"):  # of sixty, of which fifty are kept
        forecast(many[-1][:6], horizon=20, finished=kept)
    with pytest.raises(UserError, match="finished run 60 ends at step 10"):
        forecast(many[0][:6], horizon=20, finished=[*many[:-1], many[-1][:10]])


def test_levels_are_those_of_a_gaussian_process_that_leaves_each_run_out():
    """As written down: for each size of the rest every run from the others, and the new one from all."""
    rng, sharing = np.random.default_rng(3), finished_runs.Sharing()
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
    for rest in finished_runs.RESTS:
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
    """Of runs that are forecast alike, each with one score at all distances."""
    z = (2 * np.random.default_rng(0).normal(size=(n, 1)) - 1) * np.ones(len(DISTANCES))
    own = levels(Fell(z, np.stack([HERE] * n)), HERE, AHEAD)
    asked = own.asked(PROMISED)
    assert np.allclose(1 - own.above(asked, 1 - asked), PROMISED, atol=1e-6)
    promised = np.linspace(finished_runs.LEVEL, 1 - finished_runs.LEVEL, 999)[:, None] * np.ones(len(AHEAD))
    assert (np.diff(own.asked(promised), axis=0) >= 0).all()


def test_a_score_keeps_its_digits_on_both_sides_and_a_run_that_broke_counts_no_more_than_six():
    z = np.array([-5.5, -1.0, 0.0, 1.0, 5.5])
    assert np.allclose(
        finished_runs.score(*(special.ndtr(one).astype(np.float32) for one in (z, -z))), z, atol=1e-4
    )
    assert finished_runs.score(np.array([0.0, 1.0]), np.array([1.0, 0.0])).tolist() == [-6.0, 6.0]


EPOCHS = Axis(1.0, 0.0)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """A small network that reads plans, whose weights were moved from their first values; in numpy and in torch."""
    torch.manual_seed(0)
    borders = make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())
    net = ModelConfig(16, 2, 2, components=4, features="planned", hedge=0.01).network(borders).eval()
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, parameter.mean().item(), 0.2)
    state = {key: value.double().numpy() for key, value in net.state_dict().items()}
    config = {"heads": 2, "layers": 2, "features": "planned", "hedge": 0.01}
    return network.Network(config, state), TorchNetwork(net.double())


def of(given, seen=(1, 2, 3), ahead=(4, 100), axis=EPOCHS):
    return schedule_of(given).shares(np.array(seen, float), np.array(ahead, float), axis, "the run")


def test_numpy_reads_plans_as_torch_does(planned):
    ours, theirs = planned
    rng = np.random.default_rng(0)
    x, later = np.tile(np.arange(1.0, 11), (6, 1)), np.tile([11.0, 50, 100], (6, 1))
    rates, rates_later = rng.uniform(0, 1, (6, 10)), rng.uniform(0, 1, (6, 3))
    rates[0], rates_later[0] = 0, 0
    rates[1, -2:] = 0  # that of the newest point is not told, so none counts
    given = np.stack([x, rates], -1), rng.random((6, 10)), np.stack([later, rates_later], -1)
    mask = rng.random((6, 10)) < 0.7
    mask[:, -2] = True
    for more in ((), (mask,)):
        found = ours.density(*given, *more)
        expected = theirs.model.density(*map(torch.from_numpy, (*given, *more)))
        assert np.allclose(np.exp(found.log_w), expected.log_w.exp(), atol=1e-9)
        for part in ("means", "scales"):
            assert np.allclose(getattr(found, part), getattr(expected, part), atol=1e-9)


def test_runs_with_and_without_plans_go_through_the_network_together(planned):
    ours, _ = planned
    x, y, ahead = np.arange(1.0, 6), np.linspace(0.2, 0.5, 5), np.array([6.0, 7, 9])
    plan = np.ones(5), np.array([1.0, 0.1, 0.1])
    told, untold = Beginning(x, y, ahead, plan), Beginning(x, y, ahead)
    longer = Beginning(np.arange(1.0, 8), np.linspace(0.1, 0.2, 7), np.array([8.0]))
    together = [row.quantile(0.5) for row in ask(ours, [told, untold, longer])]
    alone = [ask(ours, [one])[0].quantile(0.5) for one in (told, untold, longer)]
    assert all(np.allclose(a, b, atol=1e-7) for a, b in zip(together, alone, strict=True))
    assert not np.allclose(together[0][1:], together[1][1:], atol=1e-3)


def test_futures_read_the_plan_of_each_value(planned):
    ours, _ = planned
    told = np.ones(5), np.array([1.0, 0.1, 0.1])
    seen = Beginning(np.arange(1.0, 6), np.full(5, 0.4), np.array([6.0, 7, 9]), told)
    levels = np.full((1, 2), 0.5)
    drawn = grown(ours, seen, np.array([7.0, 9]), levels)
    assert drawn[0, 0] == pytest.approx(ask(ours, [seen])[0].quantile(0.5)[1], abs=1e-6)


@pytest.mark.parametrize("given", [
    [(1, 0.1), (4, 0.01)], {1: 0.1, 4: 0.01}, "1:0.1,4:0.01", [0.1] * 3 + [0.01] * 97,
    lambda step: ([0.1] * 4 + [0.01] * 97)[step], np.array([0.1] * 3 + [0.01] * 97),
], ids=["pairs", "dict", "text", "each", "function of whole steps", "array"])  # fmt: skip
def test_every_form_tells_the_same_plan(given):
    seen, ahead = of(given)
    assert np.allclose(seen, 1) and np.allclose(ahead, 0.1)


def test_named_plans_begin_at_their_height_and_go_to_zero_at_the_horizon():
    """Never before the run: where the first step is smaller than the usual gap, its rate is the highest one."""
    for name, half in (("constant", 1.0), ("linear", 0.5), ("cosine", 0.5)):
        seen, ahead = of(name, (1, 51), (52, 101), Axis(1.0, 0.0))
        assert seen[0] == 1 and seen[1] == pytest.approx(half, abs=0.01)
        assert ahead[-1] == pytest.approx(1.0 if name == "constant" else 0.0, abs=0.02)
        seen, ahead = of(name, (1, 501, 1001), (2000,), Axis(500.0, 0.0))
        assert seen[0] == 1 and (name == "constant" or seen[0] >= seen[1] > seen[2] > ahead[0])


def test_a_rate_of_nothing_is_a_low_rate_and_not_one_that_nobody_told():
    for given in (lambda step: 1 - step / 100, [1 - e / 100 for e in range(1, 101)], {1: 1.0, 50: 0.0}):
        assert of(given)[1][-1] == pytest.approx(1e-3)
    assert of(lambda step: (step - 1) / 100)[0][0] == pytest.approx(1e-3)


def test_the_highest_rate_is_that_of_the_plan_and_not_of_what_was_logged():
    for given in ([(1, 1.0), (40, 0.1)], [1.0] * 39 + [0.1] * 61, lambda step: 1.0 if step < 40 else 0.1):
        seen, ahead = of(given, (50, 51), (100,))
        assert np.allclose([*seen, *ahead], 0.1)
    assert np.allclose(of([(1, 0.1), (200, 1.0)])[0], 1)  # what comes after the horizon is no part of it


def test_rates_epoch_by_epoch_follow_the_steps_of_the_run():
    rates = [4, 3, 2, 1]
    for first in (0, 500):
        axis = Axis(500.0, 500.0 if first == 0 else 0.0)
        seen, ahead = of(rates, (first, first + 500), (first + 1000, first + 1500), axis)
        assert np.allclose([*seen, *ahead], [1, 0.75, 0.5, 0.25])


@pytest.mark.parametrize(("given", "words"), [
    ("linaer", "give one of constant, linear, cosine, or steps and rates"), ("1:0.1,x:0.2", "steps and rates such as"),
    ("81:0.1,1:0.2", "must rise"), ("1:-0.1", "a learning rate is not negative"), ("1:nan", "give a number"),
    ([0.1] * 50, "the schedule has 50 rates, and the horizon 100 is epoch 100"),
    ([0.1] * 120, "give one for each epoch up to the horizon"), ([0.1, None, 0.2], "rate 2 is None: give a number"),
    ([0.0] * 100, "the schedule is zero at all steps"), ([(3, 0.1)], "the schedule begins at step 3, after step 1"),
    (7, "schedule is 7: give one of constant"), ([], "give one of constant"),
    (lambda step: 1 / 0, r"a function of yours, failed at step 1 \(ZeroDivisionError"),
    (lambda step: math.nan, "the schedule at step 1 is nan: give a number"),
])  # fmt: skip
def test_a_plan_that_cannot_be_right_gets_one_sentence(given, words):
    refuses(words, of, given)


def test_a_leap_is_less_odd_where_its_drop_was_planned():
    epochs, noise = np.arange(1, 61), np.random.default_rng(0).normal(size=60)
    y = 0.85 - 0.4 / epochs + 0.004 * noise + 0.05 * (epochs > 40)
    plans = [(1, 0.1), (41, 0.01)], "constant"
    dropped, constant = (forecast(y, horizon=100, schedule=plan, check=False).in_prior for plan in plans)
    assert dropped > 2 * constant


def test_weights_without_plans_say_so_and_scaling_curves_too():
    for more in ({"weights": "released"}, {"weights": "paper-prior"}, {"scale": "log", "metric": "loss"}):
        refuses("know no schedule", forecast, [0.5, 0.4, 0.3], schedule="cosine", **more)


@pytest.fixture
def finished(planned, monkeypatch):
    """Five runs; all forecasts are made by the network that reads plans."""
    known = shipped.Shipped(planned[0], shipped.load(None).table)
    monkeypatch.setattr(shipped, "load", lambda path=None: known)
    rng = np.random.default_rng(0)
    return [np.linspace(0.2, 0.8, 20) + 0.01 * rng.normal(size=20) for _ in range(5)]


def test_forecasts_finished_runs_and_pickles_take_a_plan(finished):
    asked = {"horizon": 20, "check": False}
    untold = forecast([0.2, 0.25, 0.3], **asked)
    told = forecast([0.2, 0.25, 0.3], schedule=[(1, 1.0), (10, 0.1)], **asked)
    assert not np.allclose(told.median, untold.median, atol=1e-4)
    asked |= {"finished": finished}
    banded = [forecast([0.2, 0.25, 0.3], schedule=plan, **asked) for plan in (None, "linear")]
    assert not np.allclose(*(run.quantile(0.9) for run in banded), atol=1e-4)
    for plan in ([1.0] * 20, {1: 1.0, 10: 0.1}):  # finished runs that count from 0 had the same
        counted = {"finished": finished, "finished_steps": range(20), "schedule": plan, "check": False}
        assert np.isfinite(forecast([0.2, 0.25, 0.3], [1, 2, 3], 20, **counted).median).all()
    assert np.isfinite(told.futures(3)[1]).all() and told._beginning.rates is not None
    assert pickle.loads(pickle.dumps(told._beginning)).rates[1][-1] == pytest.approx(0.1)


def test_finished_runs_are_asked_with_the_plan_of_their_own_epochs(finished):
    x = np.arange(1.0, 31)
    beginning, _ = finished_runs.cut(Finished(x, x / 100, x / 30), 0.4)
    assert np.allclose(beginning.rates[0], beginning.x / 30)
    assert np.allclose(beginning.rates[1], beginning.x_ahead / 30)

    def upper(runs, plan):
        how = {"horizon": 20, "check": False, "finished": runs, "schedule": plan}
        return forecast([0.2, 0.25, 0.3], **how).quantile(0.9)

    kept, drop = finished_runs.given(finished, None, False), [(1, 1.0), (6, 0.01)]
    first = upper(kept, "constant")
    assert np.allclose(upper(kept, drop), upper(finished, drop)) and not np.allclose(first, upper(kept, drop))


@pytest.mark.parametrize(("finished", "how", "words"), [
    (0.5, {}, "finished is not a list of runs: give each finished run as a list"),
    ([0.5, 0.6], {}, "finished is not a list of runs"),
    ([run(1), run(2, 20)], {"horizon": 40}, "finished run 2 ends at step 20, before the horizon 40"),
    ([[0.1, float("nan")]], {}, "finished run 1: value 2 is nan"), ([[]], {}, "finished run 1 has no value"),
    ([100 * run(1)], {}, "finished run 1: value 1 is .*outside 0 to 1: set the metric to percent"),
    ([run(1)], {"steps": range(1, 9)}, "the finished runs have none: give finished_steps"),
    ([run(1)], {"finished_steps": [1, 2]}, "finished run 1 has 40 values but 2 steps"),
    ([run(1, 5)], {}, "the shortest finished run ends at step 5, before the last step 8"),
])  # fmt: skip
def test_what_cannot_be_right_is_said_in_one_sentence(finished, how, words):
    refuses(words, forecast, SEEN, finished=finished, **how)
