"""Guards metrics.py, quantile_scores.py and curve_by_curve.py, with densities whose scores are known in closed form."""

import math

import numpy as np
import pytest
import scipy.stats
import torch

from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.scores import curve_by_curve, evaluate, metrics
from curvecast.scores import quantile_scores as scored
from curvecast.scores.baselines import Gaussian
from curvecast.training.train import Forecaster, TrainConfig

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


def test_pairing_removes_what_both_share():
    shared = 10 * torch.randn(500)
    gap = metrics.paired(shared + 1 + 0.1 * torch.randn(500), shared)
    assert abs(gap.value - 1) < 5 * gap.se and gap.se < 0.01


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


class Knows:
    """A forecaster whose law at epoch x is uniform from x - 1 to x, whatever it has seen; it notes what it was shown."""

    def predict(self, x, y, x_query, mask=None):
        self.seen = x if mask is None else torch.where(mask, x, torch.nan)
        return Uniform(x_query)


class Uniform:
    def __init__(self, top: torch.Tensor):
        self.top = self.log_p = top
        self.log_p = top[..., None].expand(*top.shape, 3)

    def cdf(self, y):
        return (y - self.top + 1).clamp(0, 1)

    def log_density(self, y):
        return torch.where((y > self.top - 1) & (y < self.top), 0.0, -torch.inf)

    def quantile(self, level):
        return self.top - 1 + level


def test_a_row_is_the_mean_over_the_queries_of_its_curve():
    y = torch.tensor([[9.5, 19.5], [9.5, 30.0], [30.0, 30.0]])
    found = curve_by_curve.ask(Knows(), torch.tensor([1.0]), y[:, :1], torch.tensor([10.0, 20.0]), y)
    assert list(found["cover90"]) == [1, 0.5, 0] and list(found["curve"]) == [0, 1, 2]


def test_gaps_show_what_they_say_and_ask_all_for_the_same_points():
    shown = {}

    class Notes(Knows):
        def predict(self, x, y, x_query, mask=None):
            shown[tuple(x[0].tolist())] = (y[0].tolist(), x_query[0].tolist())
            return super().predict(x, y, x_query, mask)

    y = EPOCH.float().expand(3, -1)
    found = curve_by_curve.gaps(Notes(), y, 20, torch.Generator().manual_seed(0))
    assert shown[1.0, 2.0] == ([10, 20], [4, 6, 8, 10])
    assert shown[10.0, 20.0] == ([10, 20], [40, 60, 80, 100])
    assert found.groupby("case").size().eq(3).all()
