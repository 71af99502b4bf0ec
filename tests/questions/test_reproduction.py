"""Guards ideas of the chapter Reproduction that have a right answer; and that programs which are timed do what rows say."""

import math

import emcee
import numpy as np
import pytest
import scipy.stats
import torch

from curvecast.curves import prior
from curvecast.curves.noise import Noise
from curvecast.exact_bayes import exact, moves, posterior, start
from curvecast.exact_bayes import mcmc as ensemble
from reproduce.reproduction import speed
from reproduce.reproduction._lines import slope
from reproduce.reproduction.mcmc import emcee_chains
from reproduce.reproduction.printed_numbers import standard_errors

PRIOR = prior.PriorConfig()


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_one_point_and_all_points_have_the_same_density():
    """The function of one theta and the density of many agree where it is positive and where it is zero."""
    curves = prior.sample(PRIOR, 1, generator(1))
    y = curves.noisy[:, :12]
    theta = start.ball(PRIOR, y, 40, generator(2), radius=0.02)[0].double()
    theta = torch.cat([theta, theta + 0.3 * torch.randn(theta.shape, generator=generator(3)).double()])
    density = emcee_chains.Density(y[0].double().numpy())
    with np.errstate(over="ignore"):
        one_by_one = torch.tensor([density(point) for point in theta.numpy()], dtype=torch.float64)
    at_once = posterior.log_posterior(PRIOR, theta[None], y.double())[0]
    assert torch.isfinite(at_once).sum() > 40 and torch.isinf(at_once).any()
    assert torch.allclose(one_by_one, at_once, rtol=1e-9)


@pytest.mark.slow
def test_both_programs_leave_the_same_posterior_as_it_is():
    """Three points were seen, so a bank knows the posterior: begun there, both chains stay, in each quartile of three epochs.

    Begun at least squares they would take tens of thousands of steps to get there, which is a finding and not a test."""
    y, draw = torch.tensor([[0.50, 0.66, 0.60]]), generator(1)
    bank, noise = exact.bank(PRIOR, 200_000, draw), Noise(PRIOR, 3)
    squares = (bank.f[None, :, :3] - y[:, None]).square().sum(2)
    pick = exact.resample(noise.log_likelihood(squares), 400, draw)[0][torch.randperm(400, generator=draw)]
    points = torch.cat([bank.theta[pick], noise.draw(squares[0, pick], draw).log()[:, None]], 1)
    sampler = emcee.EnsembleSampler(400, 13, emcee_chains.Density(y[0].double().numpy()))
    with np.errstate(all="ignore"):
        sampler.run_mcmc(
            emcee.State(points.double().numpy(), random_state=np.random.RandomState(0).get_state()), 250
        )
    chain = ensemble.ensemble(
        lambda theta: posterior.log_density(PRIOR, theta, y), points[None], 250, draw, thin=25,
        rule=lambda theta: posterior.allowed(PRIOR, theta),
    )  # fmt: skip
    epochs = [3, 29, 99]
    known = bank.f[exact.resample(noise.log_likelihood(squares), 4000, draw)[0]][:, epochs]
    spread = known.quantile(0.75, 0) - known.quantile(0.25, 0)
    after = torch.from_numpy(sampler.get_chain()[24::25]).float().flatten(0, 1), chain.theta.flatten(0, 2)
    for theta in after:
        f = moves.clean(PRIOR, theta[:, :-1], torch.tensor(epochs) + 1.0)
        for level in (0.25, 0.5, 0.75):
            assert ((f.quantile(level, 0) - known.quantile(level, 0)).abs() < 0.2 * spread).all()


def test_a_slope_is_as_uncertain_as_its_trainings_scatter():
    """Beside scipy's standard error of a slope, where test curves add nothing; and wider by what they add."""
    x, y = np.arange(5.0), np.array([0.0, 1.2, 1.9, 3.3, 3.8])
    fit = scipy.stats.linregress(x, y)
    alone, both = slope(x, np.stack([y] * 9)), slope(x, np.stack([y, *([y - 0.5 * x, y + 0.5 * x] * 4)]))
    assert alone == pytest.approx(
        (fit.slope, *(fit.slope + s * 3.182 * fit.stderr for s in (-1, 1))), rel=1e-3
    )
    assert both.half == pytest.approx(math.hypot(alone.half, 0.5), rel=1e-3)


def test_the_normaliser_keeps_the_middle_only_with_the_right_middle():
    """The consistent b sends the middle of any range to one half, the printed one only if l = -u."""
    for low, high in standard_errors.SOFT:
        middle = (low + high) / 2
        printed = standard_errors.normalised(middle, low, high, -(high + low) / (high - low))
        assert standard_errors.normalised(middle, low, high, middle) == pytest.approx(0.5)
        assert (printed == pytest.approx(0.5)) == (low == -high)


# `speed` is run by `make bench` alone: here nothing is timed.
Y = prior.test_set(3).noisy[:, :10].clamp(0, 1).double().numpy()


@pytest.mark.parametrize(("turn", "check", "given"), [
    (lambda: speed.each_alone(Y, check=True), True, Y), (lambda: speed.each_alone(Y, check=False), False, Y),
    (lambda: speed.in_one_call(Y), True, [Y]),
], ids=["checked", "not checked", "at once"])  # fmt: skip
def test_our_turns_forecast_what_they_are_given(turn, check, given, monkeypatch):
    """One curve after another or all in one call, as far as the other program, and checked where the row says so."""
    asked, real = [], speed.forecast
    monkeypatch.setattr(speed, "forecast", lambda y, **how: asked.append((y, how)) or real(y, **how))
    assert turn() > 0
    assert np.array_equal([y for y, _ in asked], given)
    assert all(how.get("check", True) is check and how["horizon"] == 100 for _, how in asked)


def test_only_a_run_that_becomes_hopeless_is_held_against_the_prior(monkeypatch):
    """Of two kinds of run one, in a round that warms up and one that counts, with three checks each."""
    odd = []
    monkeypatch.setattr("curvecast.forecasting.forecast.belief.oddness", lambda *_: odd.append(1) or [0.0])
    rows = speed.checks(speed.Config(1, checks=3, seen=(10,)))
    assert rows["task"].tolist() == ["10 values", "10 values, hopeless"] and rows["curves"].tolist() == [3, 3]
    assert len(odd) == 2 * 3
