"""Guards rivals of a network, and metrics, quantile_scores and evaluate, against closed forms and other libraries."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import torch
from scipy.optimize import least_squares
from torch.distributions import MultivariateNormal
from torch.nn import functional as F

from curvecast.curves import prior
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.scores import baselines, evaluate, kernel_regression, metrics, pools_of_runs, stopping
from curvecast.scores import quantile_scores as scored
from curvecast.scores.baselines import LONE_POINT_SD, METHODS, SD_FLOOR, Gaussian, forecast, sum_of_families
from curvecast.scores.fits import PARAMETERS, fit
from curvecast.scores.kernel_regression import CurveKernel, gaussian_process, kernel_ridge
from curvecast.scores.pools_of_runs import Pool, sooner, times
from curvecast.scores.stopping import asha, hyperband, rungs, successive_halving
from curvecast.training.train import Forecaster, TrainConfig

F64 = torch.float64
X = torch.arange(1.0, 101, dtype=F64)
last_value = partial(forecast, "last value")


def noisy(n):
    return prior.test_set(n).noisy.double()


def test_last_value_is_the_last_value_with_the_size_of_a_step():
    density = forecast("last value", X[:3], torch.tensor([[0.2, 0.3, 0.5]]), torch.tensor([4, 50]))
    assert density.mean.tolist() == [[0.5, 0.5]]
    assert density.sd[0, 0].item() == pytest.approx(math.sqrt((0.01 + 0.04) / 2))


@pytest.mark.parametrize("method", METHODS)
def test_neighbours_and_the_unit_of_the_epochs_do_not_matter(method):
    y = noisy(8)[:, :30]
    together, scaled = (forecast(method, X[:30] * unit, y, X[30:] * unit) for unit in (1, 500))
    torch.testing.assert_close(together.mean, scaled.mean, atol=1e-6, rtol=1e-5)
    for i in range(8):
        alone = forecast(method, X[:30], y[i : i + 1], X[30:])
        torch.testing.assert_close(together.mean[i], alone.mean[0], atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("name", PARAMETERS)
def test_too_few_points_fall_back_to_the_last_value(name):
    for points, falls_back in ((3, True), (7, False)):
        density, plain = (forecast(m, X[:points], noisy(2)[:, :points], X[7:]) for m in (name, "last value"))
        assert torch.equal(density.mean, plain.mean) == torch.equal(density.sd, plain.sd) == falls_back


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_single_points_give_finite_densities(method):
    flat = forecast(method, X[:20], torch.full((1, 20), 0.7), X[20:])
    torch.testing.assert_close(flat.mean, torch.full((1, 80), 0.7, dtype=F64), atol=1e-6, rtol=0)
    assert (flat.sd >= SD_FLOOR).all() and (flat.sd < 10 * SD_FLOOR).all()
    lone = forecast(method, X[:1], torch.tensor([[0.4]], dtype=F64), X[1:])
    assert (lone.mean == 0.4).all() and (lone.sd == LONE_POINT_SD).all()


def test_the_gaussian_is_consistent():
    density = Gaussian(torch.tensor([[0.3]], dtype=F64), torch.tensor([[0.1]], dtype=F64))
    grid = torch.linspace(-1, 2, 30_001, dtype=F64)
    cdf = density.cdf(grid[None])[0]
    assert density.cdf(density.quantile(0.9)).item() == pytest.approx(0.9)
    assert torch.allclose(density.exceeds(grid[None])[0], 1 - cdf)
    slope = (cdf[2:] - cdf[:-2]) / (grid[2] - grid[0])
    assert torch.allclose(density.log_density(grid[None])[0, 1:-1].exp(), slope, rtol=1e-4, atol=1e-4)
    integral = torch.trapezoid((cdf - (grid >= 0.45).double()).square(), grid)
    assert density.crps(torch.tensor([[0.45]])).item() == pytest.approx(integral.item(), rel=1e-3)


TRUTH = {  # the paper's formulas, written out
    "pow3": lambda x: 0.8 - 0.5 * x**-0.7,
    "pow4": lambda x: 0.9 - (0.4 * x + 1.5) ** -1.2,
    "mmf4": lambda x: 0.85 - (0.85 - 0.2) / (1 + (0.15 * x) ** 1.4),
}
SCIPY = {  # the same with free parameters, and bounds no wider than the box
    "pow3": (lambda x, t: t[0] - t[1] * x ** -np.exp(t[2]), [-3.0], [2.5]),
    "pow4": (lambda x, t: t[0] - t[1] * ((x + (e := np.exp(t[3]))) / (1 + e)) ** -np.exp(t[2]), [-3, -5], [3, None]),
    "mmf4": (lambda x, t: t[0] - t[1] / (1 + np.exp(np.exp(t[3]) * (np.log(x) - t[2]))), [-5, -2], [None, 2]),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUTH)
def test_a_curve_of_the_family_is_recovered_and_extrapolated(name):
    y = TRUTH[name](X)[None]
    found = fit(name, X[None, :40], y[:, :40])
    assert found.residual.item() < 1e-10
    torch.testing.assert_close(found.curve(X[None, 40:])[0], y[:, 40:], atol=1e-4, rtol=0)
    up, down = (forecast(name, X[:30], z[:, :30], X[30:]) for z in (noisy(20), 1 - noisy(20)))
    torch.testing.assert_close(down.mean, 1 - up.mean, atol=1e-5, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("cutoff", [6, 30])
def test_the_cost_is_within_one_percent_of_scipy_from_many_starts(name, cutoff):
    y = noisy(6)[:, :cutoff]
    ours = fit(name, X[:cutoff].expand_as(y), y).residual.numpy()
    best = np.array([best_of_scipy(name, X[:cutoff].numpy(), curve.numpy()) for curve in y])
    assert (ours <= 1.01 * best + 1e-12).all()


def best_of_scipy(name, x, y, starts=6):
    curve, low, high = SCIPY[name]
    low = np.array([-np.inf, -np.inf, *low])
    high = np.array([np.inf, np.inf, *(np.log(x[-1]) if bound is None else bound for bound in high)])
    generator, cost = np.random.default_rng(0), []
    for _ in range(starts):
        shape = generator.uniform(low[2:], high[2:])
        phi = -curve(x, [0.0, 1.0, *shape])
        start = [*np.linalg.lstsq(np.stack([np.ones_like(x), -phi], 1), y, rcond=None)[0], *shape]
        found = least_squares(lambda t: curve(x, t) - y, start, bounds=(low, high), x_scale="jac")
        cost.append(2 * found.cost)
    return min(cost)


def test_the_spread_is_what_the_run_moved_within_as_many_epochs():
    """A slope of .1 moves by .1 within one epoch, .3 within three, then as a random walk; without steps, as is stated."""
    found = baselines.own_steps(torch.arange(1, 7)[None] / 10, 12)
    assert found.sd[0, :3].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert float(found.sd[0, 11]) == pytest.approx(0.3 * 2)  # four times as far: twice as wide
    assert found.mean[0].tolist() == pytest.approx([0.6] * 12)
    assert baselines.own_steps(torch.tensor([[0.4]]), 2).sd.tolist() == [[LONE_POINT_SD] * 2]
    assert baselines.own_steps(torch.full((1, 8), 0.4), 2).sd.tolist() == [[SD_FLOOR] * 2]


def test_softmax_attention_is_nadaraya_watson_and_ridge_weights_tend_to_it():
    torch.manual_seed(0)
    q, keys, values = (torch.randn(*shape, dtype=F64) for shape in ((5, 4), (7, 4), (7, 3)))
    k, K = (q @ keys.T / 2).exp(), (keys @ keys.T / 2).exp()
    attention = kernel_regression.nadaraya_watson(k)
    wanted = F.scaled_dot_product_attention(q[None], keys[None], values[None])[0]
    assert torch.allclose(attention @ values, wanted, atol=1e-12)
    weights = (kernel_ridge(K, k, ridge) for ridge in (1e4, 1e6))
    far = [float((w / w.sum(-1, keepdim=True) - attention).abs().max()) for w in weights]
    assert far[1] < 1e-4 and 80 < far[0] / far[1] < 120


def test_the_spread_of_ridge_regression_is_its_error_on_points_that_were_left_out():
    torch.manual_seed(2)
    x, y, errors = X[:6], torch.rand(3, 6, dtype=F64), []
    found = kernel_regression.ridge_regression(CurveKernel(noise=(0.02, 0.2)), x, y, X[8:9])
    for sigma in (0.02, 0.2):
        kernel, left_out = CurveKernel(noise=(sigma,)), []
        for i in range(6):
            others = torch.arange(6) != i
            told = gaussian_process(kernel, x[others], y[:, others], x[i : i + 1])
            left_out.append(y[:, i] - told.mean[:, 0, 0])
        errors.append(torch.stack(left_out).square().mean(0).sqrt())
    assert torch.allclose(found.sd[:, 0], torch.stack(errors).amin(0), atol=1e-9)


def test_the_process_is_the_joint_normal_given_what_was_seen():
    kernel = CurveKernel(noise=(0.02, 0.05))
    torch.manual_seed(1)
    y = 0.5 + 0.03 * torch.randn(4, 6, dtype=F64)

    def log_likelihood(epochs, values):
        mean, K = torch.full((len(epochs),), kernel.mean, dtype=F64), kernel(epochs, epochs)
        one = torch.eye(len(K), dtype=F64)
        laws = [MultivariateNormal(mean, K + sigma**2 * one) for sigma in kernel.noise]
        return torch.stack([law.log_prob(values) for law in laws]).logsumexp(0)

    found = gaussian_process(kernel, X[:5], y[:, :5], X[6:7])
    wanted = log_likelihood(X[[0, 1, 2, 3, 4, 6]], y) - log_likelihood(X[:5], y[:, :5])
    assert torch.allclose(found.log_density(y[:, 5:])[:, 0], wanted, atol=1e-8)
    assert ((found.log_w.exp() > 0.05) & (found.log_w.exp() < 0.95)).any()


CONFIG = prior.PriorConfig()
CURVES = prior.sample(CONFIG, 30, np.random.default_rng(0))


def test_the_sum_of_families_carries_on_a_curve_of_the_prior():
    seen, later = CURVES.clean[:12, :60], CURVES.clean[:12, 60:].double()
    missed = (sum_of_families(CONFIG, seen, 40).mean - later).abs().mean(1).median()
    assert missed < 0.1 * (seen[:, -1:] - later).abs().mean(1).median()


N, Q, SD = 4000, 25, 0.1


def test_scores_of_the_right_density():
    generator = torch.Generator().manual_seed(0)
    clean = torch.rand(N, 1, generator=generator).double().expand(N, Q)
    noisy = clean + SD * torch.randn(N, Q, generator=generator).double()
    density = Gaussian(clean, torch.full_like(clean, SD))
    found = {name: metrics.estimate(v) for name, v in metrics.scores(density, noisy, clean).items()}
    expected = {
        "ll": -0.5 * math.log(2 * math.pi * math.e) - math.log(SD), "crps": SD / math.sqrt(math.pi),
        "mse_noisy": SD**2, "mse_clean": 0.0, "cover50": 0.5, "cover90": 0.9,
    }  # fmt: skip
    # real curves have no clean one
    assert metrics.scores(density, noisy).keys() == expected.keys() - {"mse_clean"}
    for name, value in expected.items():
        assert abs(found[name].value - value) <= 5 * found[name].se + 1e-12, name


def test_standard_errors_are_over_curves():
    one = torch.randn(400, 1, generator=torch.Generator().manual_seed(1)).double()
    copies = one.expand(400, 100)
    assert metrics.estimate(copies.mean(1)).se == pytest.approx(one.std().item() / 20, rel=1e-6)
    assert math.isnan(metrics.estimate(torch.ones(1)).se)


def test_the_control_variate_is_unbiased_and_sharper():
    generator = torch.Generator().manual_seed(2)
    oracle = 2.5 + torch.randn(300, 200, generator=generator)
    ll = oracle - 0.4 + 0.3 * torch.randn(300, 200, generator=generator)
    corrected = torch.tensor([metrics.against_oracle(*one, 2.5).value for one in zip(ll, oracle, strict=True)])  # fmt: skip
    assert abs(corrected.mean() - 2.1) < 0.01 and corrected.std() < 0.5 * ll.mean(1).std()


def test_the_answer_does_not_depend_on_how_many_at_once(monkeypatch):
    config = TrainConfig(ModelConfig(8, 1, 2, components=2), bars=BarsConfig(buckets=40, curves=300))
    forecaster = Forecaster(config, PFN(config.model, make_borders(config.bars, config.prior)).eval(), [])
    noisy = torch.rand(11, 30)
    whole = evaluate.score(forecaster, noisy, noisy, 10)
    monkeypatch.setattr(evaluate, "AT_ONCE", 4)
    parts = evaluate.score(forecaster, noisy, noisy, 10)
    assert all(torch.allclose(whole[name], parts[name], atol=1e-6) for name in whole)


def normal(mean: np.ndarray, sd: float) -> np.ndarray:
    return mean + sd * scipy.stats.norm.ppf(scored.LEVELS)[:, None]


def test_the_pinball_loss_comes_near_the_crps_of_a_density():
    y = np.array([0.0, 0.3, -1.0, 4.0])
    exact = Gaussian(torch.zeros(1, 4), torch.ones(1, 4)).crps(torch.tensor(y)[None])[0]
    assert scored.crps(normal(np.zeros(4), 1.0), y) == pytest.approx(exact.numpy(), rel=0.1)


def test_honest_quantiles_hold_what_they_promise():
    y, quantiles = np.random.default_rng(0).normal(2.0, 3.0, 4000), normal(np.full(4000, 2.0), 3.0)
    assert scored.inside(quantiles, y, 0.5).mean() == pytest.approx(0.5, abs=0.03)
    assert scored.inside(quantiles, y, 0.9).mean() == pytest.approx(0.9, abs=0.02)
    assert scored.below(quantiles, y) == pytest.approx(scored.LEVELS, abs=0.03)


def test_a_value_on_the_edge_of_a_band_is_inside():
    quantiles = np.minimum(normal(np.ones(1), 0.1), 1.0)
    assert scored.inside(quantiles, np.ones(1), 0.9).all()
    assert not scored.inside(quantiles, np.ones(1) + 1e-6, 0.9).any()


EPOCH = torch.arange(1, 101)


def test_pairing_removes_what_both_share():
    shared = 10 * torch.randn(500)
    gap = metrics.paired(shared + 1 + 0.1 * torch.randn(500), shared)
    assert abs(gap.value - 1) < 5 * gap.se and gap.se < 0.01


def test_the_best_so_far_stays_the_forecast():
    found = baselines.best_so_far(torch.tensor([[0.2, 0.9, 0.5]]), 4)
    assert found.mean[0].tolist() == pytest.approx([0.9] * 4)


# -----------------------------------------------------------------------------------------------------------
# Guards stopping and pools_of_runs: which runs go on, what a forecast decides, and what it was good for.

M = 100
DELTA = 0.05


def runs(n: int = 30, seed: int = 1) -> torch.Tensor:
    return prior.sample(prior.PriorConfig(), n, torch.Generator().manual_seed(seed)).noisy


def orders(n: int, k: int = 3) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.stack([torch.randperm(n, generator=generator) for _ in range(k)])


def test_the_reach_is_the_papers_rule():
    mean = torch.tensor([[0.5, 0.6, 0.4], [0.1, 0.1, 0.9]]).double()
    density = Gaussian(mean, torch.tensor([[0.1, 0.1, 0.3], [0.2, 0.1, 0.1]]).double())
    reach = stopping.reach(density, DELTA)
    chance = density.exceeds(reach[:, None]).max(1).values
    torch.testing.assert_close(chance, torch.full_like(chance, DELTA))
    assert (density.exceeds(reach[:, None] + 1e-3) < DELTA).all()


def test_a_run_is_forecast_from_what_it_has_shown_alone():
    y = runs()
    other = y.clone()
    other[:, 20:] += 1
    a, b = (stopping.reaches(last_value, some, [5, 20], DELTA) for some in (y, other))
    assert torch.equal(a[:, :20], b[:, :20])
    looked = a[:, :-1].isfinite().any(0).nonzero().flatten().tolist()
    assert looked == [4, 19] and (a[:, -1] == -math.inf).all()


def test_sparing_forecasts_changes_no_decision():
    y, order = runs(), orders(30)
    whole = stopping.always(y)
    for T in stopping.fine(M):
        density = last_value(torch.arange(1.0, T + 1), y[:, :T], torch.tensor([M]))
        whole[:, T - 1] = density.quantile(1 - DELTA)[:, 0]
    floor = stopping.certain(y, order, least=2)
    spared = stopping.reaches(last_value, y, stopping.fine(M), DELTA, floor)
    assert spared.isfinite().sum() < whole.isfinite().sum() / 5
    assert torch.equal(stopping.play(y, spared, order), stopping.play(y, whole, order))


def test_what_is_certain_is_the_best_that_came_before_in_the_worst_order():
    """Runs 0 and 1 may come first in one order; run 2 has always seen the first epochs of another."""
    y = torch.tensor([[0.1, 0.9], [0.2, 0.9], [0.3, 0.9]])
    order = torch.tensor([[0, 1, 2], [1, 2, 0]])
    assert stopping.certain(y, order, 1).tolist() == pytest.approx([-math.inf, -math.inf, 0.2])


def test_a_few_later_epochs_stand_for_all():
    for T in (1, 10, 50, 97, 99):
        later = stopping.ahead(T, M, 6)
        assert later[-1] == M and later[0] == T + 1 and len(later) == len(later.unique()) == min(6, M - T)
    bend = 0.6 - 0.1 * (torch.arange(1.0, M + 1) / 30).log().abs()  # highest at epoch 30
    assert bend.max() - bend[stopping.ahead(10, M, 6).long() - 1].max() < 0.03


def test_when_the_rule_looks():
    assert stopping.fine(5) == [2, 3, 4]
    assert stopping.coarse(100) == [10, 20, 40, 80] and stopping.coarse(52) == [6, 11, 21, 42]


def test_patience_counts_epochs_without_a_new_best():
    y = torch.tensor([[0.1, 0.2, 0.2, 0.1, 0.3, 0.2, 0.2, 0.2]])
    epochs = {k: stopping.play(y, stopping.patience(y, k), orders(1, 1)).item() for k in (0, 1, 2, 3, 9)}
    assert epochs == {0: 1, 1: 3, 2: 4, 3: 8, 9: 8}


def test_the_oracle_wastes_no_epoch():
    y = torch.tensor([[0.1, 0.8, 0.2], [0.3, 0.7, 0.6], [0.5, 0.6, 0.9]])
    epochs = stopping.play(y, stopping.hindsight(y), torch.tensor([[0, 1, 2], [2, 1, 0]]))
    assert epochs.tolist() == [[2, 1, 3], [3, 1, 1]]


def test_runs_compete_with_all_that_came_before_and_with_themselves():
    y = torch.tensor([[0.6, 0.6, 0.6], [0.1, 0.2, 0.5]])
    table = torch.tensor([[math.inf, math.inf, -math.inf], [0.5, 0.5, -math.inf]])
    assert stopping.play(y, table, torch.tensor([[0, 1], [1, 0]])).tolist() == [[3, 1], [3, 3]]
    assert (stopping.play(runs(5), stopping.always(runs(5)), orders(5)) == M).all()
    leader, table = torch.tensor([[0.2, 0.6, 0.6, 0.6]]), torch.tensor([[0.7, 0.6, math.inf, -math.inf]])
    assert stopping.play(leader, table, orders(1, 1)).item() == 2


LENGTH = 18


def flat(*levels: float) -> torch.Tensor:
    """Runs that stand at their levels from the first epoch on."""
    return torch.tensor(levels)[:, None].expand(-1, LENGTH).clone()


def epochs(trained: torch.Tensor) -> list[int]:
    """Of each run; no epoch is trained twice."""
    assert len(trained.unique()) == len(trained)
    return torch.bincount(trained // LENGTH).tolist()


def test_rungs_are_thirds_of_a_run_and_never_below_two_epochs():
    expected = {50: [2, 6, 17, 50], 18: [2, 6, 18], 100: [4, 11, 33, 100], 2: [2]}
    assert {m: rungs(m) for m in expected} == expected


def test_halving_spends_what_it_says():
    spent = successive_halving(flat(0.3, 0.9, 0.1, 0.8, 0.2, 0.7, 0.4, 0.5, 0.6), torch.arange(9))
    assert epochs(spent) == [2, 18, 2, 6, 2, 6, 2, 2, 2] and spent[:4].tolist() == [0, 1, LENGTH, LENGTH + 1]


def test_who_is_best_is_told_at_the_rung_and_not_by_what_comes_later():
    y = flat(0.3, 0.4, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
    y[3, 5:] = 1.0
    assert epochs(successive_halving(y, torch.arange(9)))[3] == 2
    assert epochs(asha(y, torch.tensor([2, 1, 3, 0, 4, 5, 6, 7, 8])))[3] == 2


def test_hyperband_gives_later_brackets_fewer_runs_and_more_epochs():
    levels = torch.rand(17, generator=torch.Generator().manual_seed(0)).tolist()
    each = epochs(hyperband(flat(*levels), torch.arange(17)))
    assert sorted(each[:9]) == [2] * 6 + [6, 6, 18]
    assert sorted(each[9:14]) == [6, 6, 6, 6, 18] and each[14:] == [18] * 3


def test_asha_compares_with_those_before():
    """The first comes to its end, a worse one stops at the first rung, a better one never; the third best of nine goes on."""
    assert epochs(asha(flat(0.5, 0.4, 0.6), torch.arange(3))) == [18, 2, 18]
    y = flat(0.9, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7)
    assert epochs(asha(y, torch.arange(9)))[-1] == 6  # and is the last of two at the next rung


def test_epochs_are_trained_in_turn_and_within_the_budget():
    assert pools_of_runs.places(torch.tensor([1, 0]), torch.tensor([2, 1]), 3).tolist() == [3, 4, 0]
    y = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    tables = {"no stopping": stopping.always(y), "patience 0": stopping.patience(y, 0)}
    spent = pools_of_runs.trainings(Pool(y, y, torch.tensor([[1, 0]])), tables, 5)
    assert spent["no stopping"][0].tolist() == [3, 4, 5, 0, 1]
    # after one epoch each: the better first epoch anew and to its end, then the other
    assert spent["one epoch"][0].tolist() == [3, 0, 3, 4, 5]
    assert pools_of_runs.begun(spent["one epoch"], 3) == 2


@pytest.mark.parametrize("last", [0.1, 0.0])
def test_regret_with_and_without_luck(last):
    """A lucky point takes the lead as observed, and what it is worth is the curve below it; some never see the last epoch."""
    clean, noisy = torch.tensor([[0.2, 0.3], [0.5, 0.7]]), torch.tensor([[0.9, 0.3], [0.5, 1.0]])
    pool = Pool(clean, noisy, torch.tensor([[0, 1]]))
    found = pools_of_runs.regret(pool, [torch.arange(3 if last else 4)], 4)
    assert found["observed"].tolist() == pytest.approx([0.1, 0.1, 0.1, last])
    assert found["true"].tolist() == pytest.approx([0.5, 0.5, 0.5, 5 * last])


def rows(end: float) -> pd.DataFrame:
    """Regret falls from 1 evenly in log epochs, to 0.5 at 400 or at `end`; four tasks."""
    grid = np.unique(np.geomspace(1, 400, 60).round().astype(int))
    made = []
    for method, half in {"no stopping": 400.0, "fine": end}.items():
        left = np.maximum(1 - 0.5 * np.log(grid) / math.log(half), 0.2)
        falls = dict(zip(map(str, grid), left, strict=True))
        made += [{"task": t, "method": method} | falls for t in range(4)]
    return pd.DataFrame(made)


def test_half_the_regret_after_a_quarter_of_the_epochs_is_four_times_sooner():
    found = times(rows(100), 50)
    assert sooner(found, "fine") == pytest.approx(4, rel=0.01) and len(found["fine"]) == 51
    assert sooner(times(rows(40_000), 5), "fine")[0] == 0
