"""Guards log_steps.py, log_axes.py and the prior of scaling curves: units mean nothing, bad input is told."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.curves import scaling_prior
from curvecast.curves.laws.dice import Dice
from curvecast.curves.log_axes import LogScale
from curvecast.curves.scaling_prior import ScalingPrior
from curvecast.forecasting import network, shipped
from curvecast.forecasting.log_steps import MOST
from curvecast.ground import weights, weights_file
from curvecast.ground.config import restore
from curvecast.ground.errors import UserError
from curvecast.training.scaling_curves import ScalingTraining, asked

STEPS = np.geomspace(1e3, 1e6, 20)
LAW = 1.5 + 40 * STEPS**-0.4
PLAIN = ScalingPrior(breaks=(), plateau=0, wiggles=0, spikes=0, records=0, log_noise=(-40, -39))


def told(values=LAW, steps=STEPS, horizon=4e6, metric="loss", **more):
    return forecast(values, steps, horizon, metric, scale="log", **more)


def test_a_clean_power_law_is_continued():
    run = told()
    true = 1.5 + 40 * run.steps**-0.4
    assert np.abs(run.median / true - 1).max() < 0.01
    assert ((run.quantile(0.01) < true) & (true < run.quantile(0.99))).all()


def test_units_of_steps_and_of_values_mean_nothing():
    ours, other = told(), told(1000 * LAW, 512 * STEPS, 512 * 4e6)
    assert np.allclose(other.steps, 512 * ours.steps) and np.allclose(
        other.median, 1000 * ours.median, rtol=1e-5
    )


def test_an_accuracy_is_an_error_turned_round():
    error, accuracy = told(LAW / 10, metric="error"), told(1 - LAW / 10, metric="accuracy")
    assert np.allclose(accuracy.quantile(0.9), 1 - error.quantile(0.1), atol=1e-6)
    assert np.allclose(accuracy.prob_above(0.8), 1 - error.prob_above(0.2), atol=1e-6)


def test_what_forecasts_offer_is_offered_here_too():
    """Sampled values and futures, chances, JSON, a table; quantiles rise; the mean lies inside."""
    run = told()
    steps, futures = run.futures(50)
    assert steps[-1] == 4e6 and (np.diff([run.quantile(q)[-1] for q in (0.05, 0.5, 0.95)]) > 0).all()
    assert run.quantile(0.01)[-1] < np.median(futures[:, -1]) < run.quantile(0.99)[-1]
    assert run.quantile(0.05)[-1] < run.mean[-1] < run.quantile(0.95)[-1]
    assert run.prob_beats(run.median[-1]) == pytest.approx(0.5, abs=0.01) and run.in_prior is None
    assert json.loads(json.dumps(run.to_dict()))["median"] == run.median.tolist()
    many = told([LAW, 2 * LAW], names=["a", "b"])
    assert (
        many["b"].median[-1] == pytest.approx(2 * many["a"].median[-1], rel=1e-4)
        and len(many.to_frame()) == 48
    )


def test_more_points_than_it_knows_are_thinned_and_twice_as_far_is_the_default():
    steps = np.arange(1.0, 1000)
    run = told(1 + steps**-0.5, steps, None)
    assert run.thinned and MOST * 0.7 < len(run._beginning.x) <= MOST and run.steps[-1] == 2 * 999
    assert (run._beginning.x < 30).sum() > 5  # and the first decades are not lost


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"steps": STEPS - 1e3}, "step 0 has no logarithm"),
        ({"values": [1.0], "steps": [5.0]}, "has one point"),
        ({"horizon": 100}, "is before the last step"),
        ({"horizon": 1e12}, "spans 3 times the decades of the points"),
        ({"values": 0 * LAW}, "all values are the best possible one"),
        (
            {"metric": "accuracy", "values": LAW / 10, "bounds": (0, math.inf)},
            "counts the distance from the best value",
        ),
        (
            {"finished": [LAW], "finished_steps": [STEPS]},
            "finished runs calibrate no forecast with scale='log'",
        ),
        ({"values": -LAW}, "outside 0 to inf"),
    ],
)
def test_bad_input_is_told(changed, complaint):
    with pytest.raises(UserError, match=complaint):
        told(**changed)


def test_other_scales_and_weights_of_another_kind_are_refused():
    with pytest.raises(UserError, match="take 'linear' or 'log'"):
        forecast([0.1, 0.2], scale="logarithmic")
    with pytest.raises(UserError, match="'scaling' are for scaling curves"):
        forecast([0.1, 0.2], weights="scaling")
    with pytest.raises(UserError, match="are for scaling curves"):
        forecast([0.1, 0.2], weights=str(shipped.SCALING))
    with pytest.raises(UserError, match="'paper-prior' are for runs of epochs"):
        told(weights="paper-prior")


@pytest.mark.filterwarnings("ignore::curvecast.forecasting.api.Unlike")
@pytest.mark.parametrize("values", [np.full(20, 0.3), LAW[::-1], np.where(STEPS == 1e6, 0, LAW)])
def test_flat_rising_and_perfect_curves_have_an_answer(values):
    """All numbers finite; a loss that rises is told."""
    run = told(values)
    assert all(np.isfinite(run.quantile(q)).all() for q in (0.01, 0.5, 0.99))
    assert bool(run.warnings) == (values[-1] > values[0])


def test_a_value_at_the_bound_counts_as_half_of_the_nearest_other_one():
    """The network sees it where it sees any newest value, and is not sure of what follows."""
    run = told([3, 1, 0.1, 0.0], [1, 2, 4, 8], 12)
    assert run._beginning.y[-1] == pytest.approx(0.5)
    near = told([3, 1, 0.1, 0.05], [1, 2, 4, 8], 12)
    assert np.allclose(run.median, near.median)
    assert told([0.9, 0.99, 0.999, 1.0], [1, 2, 4, 8], 12, "accuracy").quantile(0.05)[-1] < 0.9999


def test_without_a_horizon_each_curve_has_its_own():
    """Twice its last step, and never further than the network can tell."""
    short, long = told([[3, 2.8, 2.7], LAW.tolist()], [[10, 12, 15], STEPS.tolist()], None)
    assert short.steps[-1] == pytest.approx(22.5) and long.steps[-1] == pytest.approx(2e6)


def test_two_points_are_told_to_be_few():
    assert "it has two points" in told([3.0, 2.0], [1, 2], 4, check=False).warnings[0]


def test_the_scale_goes_there_and_back_with_its_slope():
    scale, z = LogScale.of(np.log(LAW)), np.linspace(-3, 8, 50)
    assert np.allclose(scale.back(scale.to(z)), z)
    slope = (scale.to(z + 1e-6) - scale.to(z - 1e-6)) / 2e-6
    assert np.allclose(np.log(np.abs(slope)), scale.log_slope(z), atol=1e-5)


def test_a_curve_without_a_break_is_a_power_law_above_its_floor():
    curves = scaling_prior.sample(PLAIN, 200, 30, 20, torch.Generator().manual_seed(0))
    above = (curves.z.double().exp() - curves.floor.double().exp()).log()
    slope = (above[:, 10] - above[:, 0]) / (curves.l[:, 10] - curves.l[:, 0])
    usual = curves.floor[:, 0] < curves.z[:, -1] + math.log(0.9)  # else too few digits are left
    assert usual.sum() > 100 and torch.allclose(
        -slope[usual], curves.exponent[usual, 0].double(), rtol=0.02, atol=1e-3
    )


def test_a_plateau_lowers_the_floor_as_it_lowers_all_values():
    """Long after a plateau, a curve without noise lies at the floor that it is said to have."""
    late = replace(PLAIN, plateau=1.0, decades=(25.0, 26.0), slopes=(0.5, 0.6), floor=(1e6, 1e7))
    curves = scaling_prior.sample(late, 100, 20, 20, torch.Generator().manual_seed(0))
    assert (curves.z_query - curves.floor).abs().median() < 1e-3


def test_the_last_slope_of_a_broken_line_is_its_exponent():
    """Far behind the last bend; the first slope is another one."""
    dice, end = Dice(300, torch.Generator().manual_seed(0)), torch.full((300, 1), 5.0)
    l = torch.tensor([[0.0, 60.0, 61.0]]).expand(300, 3)  # noqa: E741
    z, exponent = scaling_prior.bent(ScalingPrior(breaks=(1.0, 0.5, 0.5)), l, end, dice)
    assert (
        torch.allclose(z[:, 1] - z[:, 2], exponent[:, 0], atol=1e-3)
        and (exponent < 0).any()
        and z[:, 0].abs().max() < 1e-6
    )


def test_records_are_the_best_so_far_and_the_others_are_all_there():
    generator = torch.Generator().manual_seed(0)
    noisy = ScalingPrior(records=1.0, log_noise=(-3, -2))
    curves = scaling_prior.sample(noisy, 100, 40, 5, generator)
    falls = torch.where(curves.mask[:, 1:], curves.z.diff(dim=1), 0.0)
    assert (falls <= 0).all(1).float().mean() > 0.7 and (
        ~curves.mask
    ).any()  # the others have too few of them
    every = scaling_prior.sample(replace(noisy, records=0.0), 100, 40, 5, generator)
    assert every.mask.all() and (every.z.diff(dim=1) > 0).float().mean() > 0.2
    assert (
        (every.l.diff(dim=1) >= 0).all()
        and (every.l_query > every.l[:, -1:]).all()
        and (every.l_query <= every.end).all()
    )


def test_intervals_keep_their_promise_on_the_prior():
    """Of four hundred curves, the 90 % intervals of later values."""
    curves = scaling_prior.sample(ScalingPrior(), 400, 30, 6, torch.Generator().manual_seed(5))
    x, y, x_query, y_query, mask = (part.numpy() for part in asked(curves, 30))
    level = shipped.load("scaling").network.density(x, y, x_query, mask).cdf(y_query)
    assert 0.84 < (np.abs(level - 0.5) < 0.45)[:, :6].mean() < 0.96


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
