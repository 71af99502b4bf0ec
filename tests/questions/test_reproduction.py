"""Guards ideas of the chapter Reproduction that have a right answer: closed forms and references."""

import math

import emcee
import numpy as np
import pandas as pd
import pytest
import scipy.stats
import torch

from curvecast.curves import prior
from curvecast.curves.noise import Noise
from curvecast.exact_bayes import exact, moves, posterior, start
from curvecast.exact_bayes import mcmc as ensemble
from reproduce.reproduction._lines import enough, slope
from reproduce.reproduction._printed_scores import half_width, seed_to_seed
from reproduce.reproduction.exact_bayes import forecasters
from reproduce.reproduction.mcmc import emcee_chains
from reproduce.reproduction.printed_numbers import question as printed_numbers
from reproduce.reproduction.printed_numbers import standard_errors
from reproduce.reproduction.two_cores import curves_needed

# ---------------------------------------------------------------------------------------- the posterior and the chains

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


def test_places_become_shares():
    """Uniform places fill each bin alike and each band as promised; all at the median fill one bin and every band."""
    even = ((torch.arange(1000) + 0.5) / 1000).expand(3, -1)
    rows = forecasters.calibration("exact", 10, even)
    assert np.allclose(rows[rows["kind"] == "pit"]["share"], 1 / forecasters.BINS, atol=1e-6)
    bands = rows[rows["kind"] == "band"]
    assert np.allclose(bands["share"], bands["at"], atol=2e-3)
    middle = forecasters.calibration("exact", 10, torch.full((3, 10), 0.5))
    assert (middle[middle["kind"] == "band"]["share"] == 1).all()
    assert middle[middle["kind"] == "pit"]["share"].max() == 1


# -------------------------------------------------------------------------------------------------- how much is enough

LOG = np.log([1.0, 10.0, 100.0])


def test_between_two_lengths_the_line_is_straight_in_the_logarithm_of_time():
    assert enough(LOG, np.array([-2.0, -1.0, 1.0])) == pytest.approx(10 * math.sqrt(10))


def test_what_is_better_from_the_start_has_arrived_there_and_what_never_is_has_no_time():
    assert enough(LOG, np.array([0.1, 0.2, 0.3])) == 1.0
    assert enough(LOG, np.array([-3.0, -2.0, -1.0])) == math.inf


def lost_rows(**of_network: tuple[int, float]) -> pd.DataFrame:
    """name=(curves, mean lost) after ten epochs, on 200 curves that scatter alike for all."""
    scatter = np.random.default_rng(0).normal(0, 0.1, 200)
    parts = [
        pd.DataFrame({"network": name.replace("x", "-"), "cutoff": 10, "curve": range(200), "curves": curves,
                      "lost": mean + scatter - scatter.mean()})
        for name, (curves, mean) in of_network.items()
    ]  # fmt: skip
    return pd.concat(parts)


def test_a_power_law_is_found():
    """0.2 nats after a thousand curves, half of it after ten thousand; and of three trainings nothing is said."""
    rows = lost_rows(d=(100, 0.4), a=(1_000, 0.2), b=(10_000, 0.1), c=(100_000, 0.05))
    found = curves_needed.ten_times(rows, ["a", "b", "c", "d"], 10)
    assert found is not None and found.value == pytest.approx(2, rel=1e-3)
    assert curves_needed.ten_times(rows, ["a", "b", "c"], 10) is None


def test_a_slope_is_as_uncertain_as_its_trainings_scatter():
    """Beside scipy's standard error of a slope, where test curves add nothing; and wider by what they add."""
    x, y = np.arange(5.0), np.array([0.0, 1.2, 1.9, 3.3, 3.8])
    fit = scipy.stats.linregress(x, y)
    alone, both = slope(x, np.stack([y] * 9)), slope(x, np.stack([y, *([y - 0.5 * x, y + 0.5 * x] * 4)]))
    assert alone == pytest.approx(
        (fit.slope, *(fit.slope + s * 3.182 * fit.stderr for s in (-1, 1))), rel=1e-3
    )
    assert both.half == pytest.approx(math.hypot(alone.half, 0.5), rel=1e-3)


# --------------------------------------------------------------------------------------------- errors that are counted

OF_SEEDS = pd.DataFrame(
    {
        "cutoff": [10, 10, 80, 80],
        "seed": [0, 1, 0, 1],
        "ll_even": [2.0, 2.2, 2.0, 2.4],
        "n": 7,
        "ll_even_se": 0.1,
    }
)


def test_the_half_width_is_students():
    """Two seeds: 12.7 standard deviations; a cutoff without seeds: unknown."""
    luck = seed_to_seed(OF_SEEDS)
    assert half_width(luck, 10) == pytest.approx(12.706 * 0.2 / math.sqrt(2), rel=1e-3)
    assert math.isnan(half_width(luck, 33))


PRINTED = printed_numbers.SCALES["laptop"]
NOISE = np.random.default_rng(0).normal(size=4000)


def noisy_rows(between: float, within: float = 0.8) -> pd.DataFrame:
    """Log-densities that follow the noise of their curve, with this spread between curves and that within one."""
    columns = {"ln_sigma": NOISE - 4}
    for cutoff in PRINTED.cutoffs:
        columns |= {f"mean{cutoff}": -between * NOISE, f"square{cutoff}": (between * NOISE) ** 2 + within**2}
    return pd.DataFrame(columns)


def test_each_way_of_counting_gives_its_closed_form():
    """Scores as wide as ln sigma: 1 / 100 over curves, sqrt(1/2) of it by the printed law, all points for points."""
    found = {
        w: standard_errors.standard_error(noisy_rows(1.0), 80, w, PRINTED.printed_sd)
        for w in standard_errors.WAYS
    }
    expected = {
        "curves": 0.01,
        "printed": 0.01 * 0.5**0.5,
        "points": math.sqrt(1 + 0.8**2) / math.sqrt(200_000),
    }
    for way, value in expected.items():
        assert found[way].value == pytest.approx(value, abs=4 * found[way].se), way


def test_the_normaliser_keeps_the_middle_only_with_the_right_middle():
    """The consistent b sends the middle of any range to one half, the printed one only if l = -u."""
    for low, high in standard_errors.SOFT:
        middle = (low + high) / 2
        printed = standard_errors.normalised(middle, low, high, -(high + low) / (high - low))
        assert standard_errors.normalised(middle, low, high, middle) == pytest.approx(0.5)
        assert (printed == pytest.approx(0.5)) == (low == -high)
