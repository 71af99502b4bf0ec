"""Guards log_steps.py and the weights of scaling curves: units mean nothing, laws come back, bad input is told."""

import json
import math

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.curves import scaling_prior
from curvecast.forecasting import network, shipped
from curvecast.forecasting.log_steps import MOST
from curvecast.ground import weights, weights_file
from curvecast.ground.config import restore
from curvecast.training.scaling_curves import ScalingTraining, asked
from tests.curvecast.refusals import refuses

STEPS = np.geomspace(1e3, 1e6, 20)
LAW = 1.5 + 40 * STEPS**-0.4


def told(values=LAW, steps=STEPS, horizon=4e6, metric="loss", **more):
    return forecast(values, steps, horizon, metric, scale="log", **more)


def test_a_clean_power_law_is_continued():
    run, (low, high) = told(), (told().limit(0.05), told().limit(0.95))
    true = 1.5 + 40 * run.steps**-0.4
    assert np.abs(run.median / true - 1).max() < 0.01
    assert ((run.quantile(0.01) < true) & (true < run.quantile(0.99))).all()
    assert low < 1.5 < high and run.exponent(0.05) < 0.4 < run.exponent(0.95)


def test_the_example_of_the_page_knows_little_of_its_law_and_the_same_at_any_horizon():
    run, far = (told([4.1, 3.6, 3.2, 2.95, 2.75], [1e8, 3e8, 1e9, 3e9, 1e10], end) for end in (1e11, 1e12))
    assert run.limit(0.05) < 0.1 and run.limit(0.95) > 2.2 and run.exponent(0.95) > 10 * run.exponent(0.05)
    assert run.limit() == far.limit() and run.exponent() == far.exponent()


def test_units_of_steps_and_of_values_mean_nothing():
    ours, other = told(), told(1000 * LAW, 512 * STEPS, 512 * 4e6)
    assert np.allclose(other.steps, 512 * ours.steps)
    assert np.allclose(other.median, 1000 * ours.median, rtol=1e-5)
    for q in (0.05, 0.5, 0.95):
        assert other.limit(q) == pytest.approx(1000 * ours.limit(q), rel=1e-3)
        assert other.exponent(q) == pytest.approx(ours.exponent(q), rel=1e-3)


def test_an_accuracy_is_an_error_turned_round():
    error, accuracy = told(LAW / 10, metric="error"), told(1 - LAW / 10, metric="accuracy")
    assert np.allclose(accuracy.quantile(0.9), 1 - error.quantile(0.1), atol=1e-6)
    assert accuracy.limit(0.9) == pytest.approx(1 - error.limit(0.1), abs=1e-6)
    assert accuracy.exponent(0.9) == pytest.approx(error.exponent(0.9), rel=1e-3)
    assert np.allclose(accuracy.prob_above(0.8), 1 - error.prob_above(0.2), atol=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.06, 0.03])
def test_the_chance_to_beat_a_far_value_is_that_of_what_is_drawn(share):
    run = told(LAW - 1.5, STEPS, 1e9)  # which ends at 0.06 of the best so far
    far = share * run.best
    drawn = (run.sample_end(4000) < far).mean()
    assert 1 - run.prob_above(far)[-1] == pytest.approx(drawn, abs=0.03)


@pytest.mark.parametrize(("first", "last"), [(10_000, 19_000), (1000, 1300), (5000, 9500)])
def test_less_than_a_doubling_of_the_steps_can_be_forecast(first, last):
    steps = np.linspace(first, last, 5)
    assert told(1.5 + 40 * steps**-0.4, steps, None).steps[-1] > last


def test_what_forecasts_offer_is_offered_here_too():
    run = told()
    steps, futures = run.futures(50)
    assert steps[-1] == 4e6 and (np.diff([run.quantile(q)[-1] for q in (0.05, 0.5, 0.95)]) > 0).all()
    assert run.quantile(0.01)[-1] < np.median(futures[:, -1]) < run.quantile(0.99)[-1]
    assert run.quantile(0.05)[-1] < run.mean[-1] < run.quantile(0.95)[-1]
    assert run.prob_beats(run.median[-1]) == pytest.approx(0.5, abs=0.01) and run.in_prior is None
    read = json.loads(json.dumps(run.to_dict()))
    assert read["median"] == run.median.tolist()
    for name, law in (("limit", run.limit), ("exponent", run.exponent)):
        assert read[name] == {"median": law(), "q05": law(0.05), "q95": law(0.95)}
    many = told([LAW, 2 * LAW], names=["a", "b"])
    assert many["b"].median[-1] == pytest.approx(2 * many["a"].median[-1], rel=1e-4)
    assert len(many.to_frame()) == 48


def test_more_points_than_it_knows_are_thinned_and_each_goes_twice_as_far_by_default():
    """And never further than the network can tell."""
    steps = np.arange(1.0, 1000)
    run = told(1 + steps**-0.5, steps, None)
    assert run.thinned and MOST * 0.7 < len(run._beginning.x) <= MOST and run.steps[-1] == 2 * 999
    assert (run._beginning.x < 30).sum() > 5  # and the first decades are not lost
    short, long = told([[3, 2.8, 2.7], LAW.tolist()], [[10, 12, 15], STEPS.tolist()], None)
    assert short.steps[-1] == pytest.approx(22.5) and long.steps[-1] == pytest.approx(2e6)
    assert "it has two points" in told([3.0, 2.0], [1, 2], 4, check=False).warnings[0]


@pytest.mark.parametrize(("ask", "complaint"), [
    *((lambda changed=changed: told(**changed), complaint) for changed, complaint in (
        ({"steps": STEPS - 1e3}, "step 0 has no logarithm"), ({"values": [1.0], "steps": [5.0]}, "has one point"),
        ({"horizon": 100}, "is before the last step"), ({"horizon": 1.01e9}, "is beyond step 1e.09, and 2 times"),
        ({"values": 0 * LAW}, "all values are the best possible one"), ({"values": -LAW}, "outside 0 to inf"),
        ({"metric": "accuracy", "values": LAW / 10, "bounds": (0, math.inf)}, "counts the distance from the best value"),
        ({"finished": [LAW], "finished_steps": [STEPS]}, "finished runs calibrate no forecast with scale='log'"),
        ({"weights": "paper-prior"}, "'paper-prior' are for runs of epochs"))),
    (lambda: forecast([0.1, 0.2], scale="logarithmic"), "take 'linear' or 'log'"),
    (lambda: forecast([0.1, 0.2], weights="scaling"), "'scaling' are for scaling curves"),
    (lambda: forecast([0.1, 0.2], weights=str(shipped.SCALING)), "are for scaling curves"),
    (lambda: told().limit(1), "give a share between 0 and 1"), (lambda: told().exponent(0), "give a share between 0 and 1"),
])  # fmt: skip
def test_bad_input_is_told(ask, complaint):
    refuses(complaint, ask)


@pytest.mark.filterwarnings("ignore::curvecast.forecasting.api.Unlike")
@pytest.mark.parametrize("values", [np.full(20, 0.3), LAW[::-1], np.where(STEPS == 1e6, 0, LAW)])
def test_flat_rising_and_perfect_curves_have_an_answer(values):
    run = told(values)
    for q in (0.01, 0.5, 0.99):
        assert np.isfinite([*run.quantile(q), run.limit(q), run.exponent(q)]).all() and run.limit(q) >= 0
    assert bool(run.warnings) == (values[-1] > values[0])


def test_a_value_at_the_bound_counts_as_half_of_the_nearest_other_one():
    run = told([3, 1, 0.1, 0.0], [1, 2, 4, 8], 12)
    assert run._beginning.y[-1] == pytest.approx(0.5) and run.limit(0.05) < run.limit(0.95)
    near = told([3, 1, 0.1, 0.05], [1, 2, 4, 8], 12)
    assert np.allclose(run.median, near.median) and run.limit() == pytest.approx(near.limit())
    assert told([0.9, 0.99, 0.999, 1.0], [1, 2, 4, 8], 12, "accuracy").quantile(0.05)[-1] < 0.9999


def test_no_later_value_comes_to_the_bound():
    loss, accuracy = told([3, 1, 0.1], [1, 2, 4], 12), told([0.1, 0.5, 0.9], [1, 2, 4], 12, "accuracy")
    assert (loss.prob_above(0) == 1).all() and loss.prob_beats(0) == 0 == accuracy.prob_beats(1)
    assert (loss.prob_above(1e-9) > 0.99).all() and (accuracy.prob_above(1) == 0).all()


def test_numpy_reads_it_as_torch_does():
    state, info = weights.read(shipped.SCALING)
    config = restore(ScalingTraining, json.loads(info["config"]))
    net = config.model.network(state["borders"])
    weights.fill(net, {name: tensor.float() for name, tensor in state.items()}, shipped.SCALING)
    numbers = {key: value.astype(np.float64) for key, value in weights_file.read(shipped.SCALING)[0].items()}
    ours = network.Network(json.loads(info["config"])["model"], numbers)
    given = asked(scaling_prior.sample(config.prior, 20, 25, 4, torch.Generator().manual_seed(0)), 25)
    x, y, x_query, _, mask = (part.double() if part.is_floating_point() else part for part in given)
    expected = net.double().density(x, y, x_query, mask)
    found = ours.density(*(part.numpy() for part in (x, y, x_query, mask)))
    for part in ("log_w", "means", "scales"):
        assert np.abs(getattr(found, part) - getattr(expected, part).numpy()).max() < 1e-8
