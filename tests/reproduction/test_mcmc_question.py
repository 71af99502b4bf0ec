"""Guards reproduce/reproduction/mcmc/question.py and its programs: one density, one posterior, honest seconds, claims that
can fail."""

from types import SimpleNamespace

import emcee
import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.noise import Noise
from curvecast.exact_bayes import exact, moves, posterior, start
from curvecast.exact_bayes import mcmc as ensemble
from curvecast.exact_bayes.cloud import Cloud
from curvecast.networks.model import PFN, ModelConfig
from reproduce.reproduction.mcmc import emcee_chains, figures_and_table, papers_chains, race
from reproduce.reproduction.mcmc.papers_chains import Chain, Setting

CONFIG = prior.PriorConfig()


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_one_point_and_all_points_have_the_same_density():
    """The function of one theta and the density of many agree where it is positive and where it is zero."""
    curves = prior.sample(CONFIG, 1, generator(1))
    y = curves.noisy[:, :12]
    theta = start.ball(CONFIG, y, 40, generator(2), radius=0.02)[0].double()
    theta = torch.cat([theta, theta + 0.3 * torch.randn(theta.shape, generator=generator(3)).double()])
    density = emcee_chains.Density(y[0].double().numpy())
    with np.errstate(over="ignore"):
        one_by_one = torch.tensor([density(point) for point in theta.numpy()], dtype=torch.float64)
    at_once = posterior.log_posterior(CONFIG, theta[None], y.double())[0]
    assert torch.isfinite(at_once).sum() > 40 and torch.isinf(at_once).any()
    assert torch.allclose(one_by_one, at_once, rtol=1e-9)


def test_both_programs_leave_the_same_posterior_as_it_is():
    """Three points were seen, so a bank knows the posterior: begun there, both chains stay, in each quartile of three epochs.

    Begun at least squares they would take tens of thousands of steps to get there, which is a finding and not a test."""
    y, draw = torch.tensor([[0.50, 0.66, 0.60]]), generator(1)
    bank, noise = exact.bank(CONFIG, 200_000, draw), Noise(CONFIG, 3)
    squares = (bank.f[None, :, :3] - y[:, None]).square().sum(2)
    pick = exact.resample(noise.log_likelihood(squares), 400, draw)[0][torch.randperm(400, generator=draw)]
    points = torch.cat([bank.theta[pick], noise.draw(squares[0, pick], draw).log()[:, None]], 1)
    sampler = emcee.EnsembleSampler(400, 13, emcee_chains.Density(y[0].double().numpy()))
    with np.errstate(all="ignore"):
        sampler.run_mcmc(
            emcee.State(points.double().numpy(), random_state=np.random.RandomState(0).get_state()), 250
        )
    chain = ensemble.ensemble(
        lambda theta: posterior.log_density(CONFIG, theta, y), points[None], 250, draw, thin=25,
        rule=lambda theta: posterior.allowed(CONFIG, theta),
    )  # fmt: skip
    epochs = [3, 29, 99]
    known = bank.f[exact.resample(noise.log_likelihood(squares), 4000, draw)[0]][:, epochs]
    spread = known.quantile(0.75, 0) - known.quantile(0.25, 0)
    after = torch.from_numpy(sampler.get_chain()[24::25]).float().flatten(0, 1), chain.theta.flatten(0, 2)
    for theta in after:
        f = moves.clean(CONFIG, theta[:, :-1], torch.tensor(epochs) + 1.0)
        for level in (0.25, 0.5, 0.75):
            assert ((f.quantile(level, 0) - known.quantile(level, 0)).abs() < 0.2 * spread).all()


def test_a_setting_takes_its_own_part_of_the_chain():
    """Burn-in is left out, every thin-th step is kept, whether the chain kept all steps or every tenth."""
    steps = torch.arange(1.0, 101)  # the level of the curve is the number of the step
    theta = torch.zeros(100, 2, 13)
    theta[..., 0] = theta[..., 1] = 1.0
    theta[..., 1] = steps[:, None]
    setting = Setting(samples=60, walkers=2, burn=20, thin=20)
    for every in (1, 10, 20):
        chain = Chain(theta[every - 1 :: every], every, 0.1, 0.5)
        assert sorted(set(papers_chains.forecast(chain, setting).f[0, :, 50].tolist())) == [40.0, 60.0, 80.0]


def test_portions_do_not_change_the_density():
    """The mixture in portions of 7 is the mixture at once."""
    cloud = Cloud(
        torch.rand(1, 30, 10, generator=generator(1)), torch.rand(1, 30, generator=generator(2)) + 0.05
    )
    y = torch.rand(10, generator=generator(3))
    whole = cloud.later(4).log_density(y[None, 4:]).mean().item()
    assert papers_chains.log_density(cloud, y, 4, portion=7) == pytest.approx(whole, abs=1e-5)


def test_a_chain_shorter_than_fifty_autocorrelation_times_says_so(monkeypatch):
    """Its row carries the mark, and the table a dagger."""
    y = prior.test_set(1).noisy[0]
    theta = start.ball(CONFIG, y[None, :10], 26, generator())[0][None].repeat(40, 1, 1)
    settings = [Setting(40, 26, 0, 2)]
    frames = []
    for tau in (0.3, 0.5):  # in states, of which each stands for two steps
        monkeypatch.setattr("reproduce.reproduction.mcmc.emcee_chains.tau", lambda theta, tau=tau: tau)
        frames.append(papers_chains.rows("emcee", 0, y, 10, Chain(theta[::2], 2, 1e-3, 0.3), settings))
    assert [frame["converged"].iloc[0] for frame in frames] == [True, False]
    assert frames[0]["seconds"].iloc[0] > 0.04  # of the steps, and some of the forecast
    labels = [
        figures_and_table.table(frame, [settings[0].name], "3x128")["program and setting"][0]
        for frame in frames
    ]
    assert "†" not in labels[0] and "†" in labels[1]


def test_every_round_of_a_race_times_everybody_once():
    """A row for each method and round. That of chains at once is a difference of times, which a busy core may turn round."""
    longest, sparse = Setting(90, 26, 10, 1), Setting(90, 26, 10, 10)
    model = PFN(ModelConfig(16, 1, 2), torch.linspace(-1, 2, 101)).eval()
    found = race.rounds(2, prior.test_set(3).noisy, (10, 20), longest, sparse, {"net": model}, seed=0)
    assert (found.groupby(["cutoff", "round", "method"]).size() == 1).all()
    assert (found[found["method"] != "vectorised"]["seconds"] > 0).all()
    assert set(found["method"]) == {"emcee", race.THINNED, "vectorised", "net", "net, all at once"}
    assert found["cutoff"].tolist() == ([10] * 5 + [20] * 5) * 2  # both within a round


def test_a_fifth_of_a_chain_stands_for_the_whole(monkeypatch):
    """A hundred seconds a step are paid for all steps, the start only once, and as many states are forecast from."""
    y, asked, states = prior.test_set(4).noisy, [], []
    theta = start.ball(CONFIG, y[:1, :10], 26, generator())

    def vectorised(y, walkers, steps, seed, every):
        asked.append((steps, every))
        return [Chain(theta.repeat(steps, 1, 1), every, 100.0, 0.3)] * len(y)

    monkeypatch.setattr(papers_chains, "vectorised", vectorised)
    monkeypatch.setattr(
        papers_chains, "function_calls", lambda *_: Chain(theta.repeat(100, 1, 1), 1, 7.0, 0.3)
    )
    monkeypatch.setattr(race, "_start", lambda *_: 500.0)
    monkeypatch.setattr(
        papers_chains, "time", SimpleNamespace(perf_counter=lambda: 0.0)
    )  # forecasts take no time
    real = papers_chains.forecast
    monkeypatch.setattr(papers_chains, "forecast", lambda c, s: states.append(len(c.theta)) or real(c, s))
    found = race.rounds(1, y, (10,), Setting(90, 26, 10, 1), Setting(90, 26, 10, 10), {}, seed=0)
    seconds = found.set_index("method")["seconds"]
    assert asked == [(20, 1)] and set(states) == {100}
    assert seconds["vectorised"] == pytest.approx(100 * 100 - 4 * 500 / 4)
    assert seconds["emcee"] == pytest.approx(700)


def test_the_plane_hangs_by_the_whole_test_set():
    """On its curves the exact posterior is 0.1 above the network, which reaches 1.5 on all: the dashed line is at 1.6."""
    ll = {"emcee": 1.6, "vectorised": 1.605, "3x128": 1.7, "exact": 1.8}
    told = pd.DataFrame({"method": method, "setting": "4000/100/500/1", "cutoff": 10, "curve": range(9), "ll": mean,
                         "seconds": 1 + 0.01 * np.arange(9)} for method, mean in ll.items())  # fmt: skip
    tables = {"rows": told.explode(["curve", "seconds"]).astype({"seconds": float}), "race": pd.DataFrame()}
    tables["whole"] = pd.DataFrame({"cutoff": [10], "ll_even": [1.5]})
    (axis,) = figures_and_table.plane(tables, [10], "3x128").axes
    dashed = [line for line in axis.lines if line.get_linestyle() == "--"]
    assert dashed[0].get_ydata()[0] == pytest.approx(1.6)
