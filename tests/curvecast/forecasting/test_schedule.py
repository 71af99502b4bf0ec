"""Guards schedule.py and what reads it: each form of a plan gives the rates that it says, and bad plans get one sentence."""

import math
import pickle

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import finished_runs, futures, network, shipped
from curvecast.forecasting.epochs import Axis
from curvecast.forecasting.finished_runs import Finished, cut
from curvecast.forecasting.passes import Beginning, ask
from curvecast.forecasting.schedule import schedule_of
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import ModelConfig
from curvecast.training.runs import RunTraining
from curvecast.training.train import trained, weights_path
from tests.curvecast.refusals import refuses

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
    drawn = futures.grown(ours, seen, np.array([7.0, 9]), levels)
    assert drawn[0, 0] == pytest.approx(ask(ours, [seen])[0].quantile(0.5)[1], abs=1e-6)


@pytest.mark.parametrize("given", [
    [(1, 0.1), (4, 0.01)], {1: 0.1, 4: 0.01}, "1:0.1,4:0.01", [0.1] * 3 + [0.01] * 97,
    lambda step: 0.1 if step < 4 else 0.01, np.array([0.1] * 3 + [0.01] * 97),
], ids=["pairs", "dict", "text", "each", "function", "array"])  # fmt: skip
def test_every_form_tells_the_same_plan(given):
    seen, ahead = of(given)
    assert np.allclose(seen, 1) and np.allclose(ahead, 0.1)


def test_named_plans_go_to_zero_at_the_horizon():
    for name, half in (("constant", 1.0), ("linear", 0.5), ("cosine", 0.5)):
        seen, ahead = of(name, (1, 51), (52, 101), Axis(1.0, 0.0))
        assert seen[0] == 1 and seen[1] == pytest.approx(half, abs=0.01)
        assert ahead[-1] == pytest.approx(1.0 if name == "constant" else 0.0, abs=0.02)


def test_a_named_plan_never_begins_before_the_run():
    for name in ("linear", "cosine"):
        seen, ahead = of(name, (1, 501, 1001), (2000,), Axis(500.0, 0.0))
        assert seen[0] == 1 and seen[0] >= seen[1] > seen[2] > ahead[0]


def test_a_rate_of_nothing_is_a_low_rate_and_not_one_that_nobody_told():
    for given in (lambda step: 1 - step / 100, [1 - e / 100 for e in range(1, 101)], {1: 1.0, 50: 0.0}):
        assert of(given)[1][-1] == pytest.approx(1e-3)
    assert of(lambda step: (step - 1) / 100)[0][0] == pytest.approx(1e-3)


def test_the_highest_rate_is_that_of_the_plan_and_not_of_what_was_logged():
    for given in ([(1, 1.0), (40, 0.1)], [1.0] * 39 + [0.1] * 61, lambda step: 1.0 if step < 40 else 0.1):
        seen, ahead = of(given, (50, 51), (100,))
        assert np.allclose([*seen, *ahead], 0.1)
    assert np.allclose(of([(1, 0.1), (200, 1.0)])[0], 1)  # what comes after the horizon is no part of it


def test_a_function_gets_whole_steps_as_integers():
    rates = [0.5] * 4 + [0.05] * 97
    assert np.allclose(of(lambda step: rates[step])[1], 0.1)


def test_rates_epoch_by_epoch_follow_the_steps_of_the_run():
    rates = [4, 3, 2, 1]
    for first in (0, 500):
        axis = Axis(500.0, 500.0 if first == 0 else 0.0)
        seen, ahead = of(rates, (first, first + 500), (first + 1000, first + 1500), axis)
        assert np.allclose([*seen, *ahead], [1, 0.75, 0.5, 0.25])


BAD = {
    "linaer": "give one of constant, linear, cosine, or steps and rates", "1:0.1,x:0.2": "is not a number",
    "81:0.1,1:0.2": "must rise", "1:-0.1": "a learning rate is not negative", "1:nan": "give a number",
}  # fmt: skip


OTHER = {
    "short": ([0.1] * 50, "the schedule has 50 rates, and the horizon 100 is epoch 100"),
    "long": ([0.1] * 120, "give one for each epoch up to the horizon"),
    "hole": ([0.1, None, 0.2], "rate 2 is None: give a number"),
    "zero": ([0.0] * 100, "the schedule is zero at all steps"),
    "late": ([(3, 0.1)], "the schedule begins at step 3, after step 1"),
    "number": (7, "schedule is 7: give one of constant"), "empty": ([], "give one of constant"),
    "fails": (lambda step: 1 / 0, "a function of yours, failed at step 1 (ZeroDivisionError"),
    "nan": (lambda step: math.nan, "the schedule at step 1 is nan: give a number"),
}  # fmt: skip
CASES = {name: (name, words) for name, words in BAD.items()} | OTHER


@pytest.mark.parametrize(("given", "words"), CASES.values(), ids=CASES)
def test_a_plan_that_cannot_be_right_gets_one_sentence(given, words):
    with pytest.raises(UserError) as told:
        of(given)
    assert words in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("seed", range(3))
def test_a_leap_is_less_odd_where_its_drop_was_planned(seed):
    epochs, noise = np.arange(1, 61), np.random.default_rng(seed).normal(size=60)
    y = 0.85 - 0.4 / epochs + 0.004 * noise + 0.05 * (epochs > 40)
    plans = [(1, 0.1), (41, 0.01)], "constant"
    dropped, constant = (forecast(y, horizon=100, schedule=plan, check=False).in_prior for plan in plans)
    assert dropped > 2 * constant


def test_weights_without_plans_say_so_and_scaling_curves_too():
    for more in ({"weights": "released"}, {"weights": "paper-prior"}, {"scale": "log", "metric": "loss"}):
        refuses("know no schedule", forecast, [0.5, 0.4, 0.3], schedule="cosine", **more)


def test_forecasts_finished_runs_and_pickles_take_a_plan(planned, monkeypatch):
    ours, _ = planned
    known = shipped.Shipped(ours, shipped.load(None).table)
    monkeypatch.setattr(shipped, "load", lambda path=None: known)
    rng = np.random.default_rng(0)
    finished = [np.linspace(0.2, 0.8, 20) + 0.01 * rng.normal(size=20) for _ in range(5)]
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


def test_finished_runs_are_asked_with_the_plan_of_their_own_epochs(planned, monkeypatch):
    x = np.arange(1.0, 31)
    beginning, _ = cut(Finished(x, x / 100, x / 30), 0.4)
    assert np.allclose(beginning.rates[0], beginning.x / 30)
    assert np.allclose(beginning.rates[1], beginning.x_ahead / 30)
    known = shipped.Shipped(planned[0], shipped.load(None).table)
    monkeypatch.setattr(shipped, "load", lambda path=None: known)
    rng = np.random.default_rng(0)
    runs = [np.linspace(0.2, 0.8, 20) + 0.01 * rng.normal(size=20) for _ in range(5)]
    kept, drop = finished_runs.given(runs, None, False), [(1, 1.0), (6, 0.01)]

    def upper(finished, plan):
        how = {"horizon": 20, "check": False, "finished": finished, "schedule": plan}
        return forecast([0.2, 0.25, 0.3], **how).quantile(0.9)

    first = upper(kept, "constant")
    assert np.allclose(upper(kept, drop), upper(runs, drop)) and not np.allclose(first, upper(kept, drop))


def test_weights_of_a_training_with_plans_are_asked_by_their_file(tmp_path):
    model = ModelConfig(16, 1, 2, components=3, features="planned")
    config = RunTraining(model, bars=BarsConfig(50, curves=200), curves=64, queries=4)
    trained(config, progress=False, root=tmp_path, checkpoints=tmp_path / "on the way")
    run = forecast([0.2, 0.3], schedule="linear", weights=str(weights_path(config, tmp_path)), check=False)
    assert np.isfinite(run.median).all() and run._beginning.rates[1][-1] == pytest.approx(0.01, abs=0.005)
