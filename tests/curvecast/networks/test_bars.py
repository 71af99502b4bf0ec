"""Guards curvecast/networks/bars.py: all methods describe the same density."""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from curvecast.curves.prior import PriorConfig, sample
from curvecast.ground.errors import UserError
from curvecast.networks import bars as bars_file
from curvecast.networks.bars import LEAST_WIDTH, Bars, BarsConfig, distinct_borders, make_borders
from curvecast.training import train

PUBLISHED = Path(__file__).resolve().parents[3] / "weights" / "published"
BORDERS = make_borders(BarsConfig(buckets=20, curves=500), PriorConfig()).double()
GRID = torch.linspace(-4, 6, 400_001, dtype=torch.float64)


def bars(seed=0, spread=2.0):
    logits = torch.randn(20, generator=torch.Generator().manual_seed(seed)).double() * spread
    made = Bars(BORDERS, logits)
    made.log_p = logits.log_softmax(-1)  # float64, so that the integrals below are sharp
    return made


def over(made, y):
    """The same density at many places."""
    wide = Bars(BORDERS, torch.zeros(20))
    wide.log_p = made.log_p.expand(*y.shape, 20)
    return wide


@pytest.mark.parametrize("seed", range(4))
def test_pdf_integrates_to_one_and_to_the_cdf(seed):
    """Numerical integration of the pdf, tails included, is the cdf."""
    wide = over(bars(seed), GRID)
    mass = torch.cumulative_trapezoid(wide.pdf(GRID), GRID)
    assert abs(mass[-1] - 1) < 1e-3
    assert (mass - (wide.cdf(GRID)[1:] - wide.cdf(GRID)[0])).abs().max() < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_mean_and_crps_are_their_integrals(seed):
    """Mean = integral of y pdf; CRPS = integral of (cdf - step)^2, for y inside and in both tails."""
    made = bars(seed)
    wide = over(made, GRID)
    assert abs(torch.trapezoid(GRID * wide.pdf(GRID), GRID) - made.mean()) < 1e-3
    for y in (-0.6, -0.01, 0.3, 0.77, 1.3, 2.5):
        square = (wide.cdf(GRID) - (y <= GRID).double()).square()
        assert abs(torch.trapezoid(square, GRID) - made.crps(torch.tensor(y, dtype=torch.float64))) < 1e-3


@given(level=st.floats(1e-6, 1 - 1e-6), seed=st.integers(0, 50))
def test_quantile_undoes_the_cdf(level, seed):
    """cdf(quantile(p)) = p, also deep in the tails, and exceeds = 1 - cdf."""
    made = bars(seed)
    y = made.quantile(level)
    assert abs(made.cdf(y) - level) < 1e-6
    assert abs(made.exceeds(y) + made.cdf(y) - 1) < 1e-6


def test_samples_follow_the_cdf():
    """The share of samples below a place is the cdf there, in the tails too (50,000 samples, five standard errors)."""
    made = bars(3)
    y = made.sample(50_000, torch.Generator().manual_seed(0))
    for place in (-0.3, 0.0, 0.4, 0.9, 1.25):
        assert abs((y <= place).double().mean() - made.cdf(torch.tensor(place, dtype=torch.float64))) < 0.0112


def test_no_sample_is_infinite(monkeypatch):
    """A uniform number of exactly 0, once in 2^24 draws, gives an extreme but finite value."""
    monkeypatch.setattr(torch, "rand", lambda shape, **_: torch.zeros(shape))
    y = bars(3).sample(2, torch.Generator())
    assert torch.isfinite(y).all() and (y < BORDERS[1]).all()


def test_borders_are_the_same_each_time_and_nobody_shares_them():
    config = BarsConfig(buckets=20, curves=500), PriorConfig()
    before = make_borders(*config)
    before.zero_()
    assert torch.equal(make_borders(*config).double(), BORDERS)


def test_buckets_hold_equal_shares_of_the_prior():
    """On fresh curves each inner bucket is hit about equally often."""
    borders = make_borders(BarsConfig(buckets=50), PriorConfig())
    y = sample(PriorConfig(), 10_000, torch.Generator().manual_seed(9)).noisy.flatten()
    share = torch.histogram(y, borders[1:-1])[0] / len(y)
    assert (
        share * 50 - 1
    ).abs().max() < 0.15  # curves move together: the error is that of 10,000 and not of a million


def test_tame_tails_do_not_depend_on_the_seed_and_the_paper_s_do():
    """The outermost borders of two seeds differ by less than a tenth if tame, by several tenths if sample extremes."""
    ends = {
        tails: [make_borders(BarsConfig(tails=tails, seed=s), PriorConfig())[[0, -1]] for s in (0, 1)]
        for tails in ("tame", "paper")
    }
    assert (ends["tame"][0] - ends["tame"][1]).abs().max() < 0.1
    assert (ends["paper"][0] - ends["paper"][1]).abs().max() > 0.3
    assert ends["paper"][0][0] < ends["tame"][0][0]


def test_logits_must_fit_the_borders():
    """A wrong number of buckets raises a UserError."""
    with pytest.raises(UserError, match="21 logits do not fit 20 buckets"):
        Bars(BORDERS, torch.zeros(21))


@pytest.mark.parametrize("bad", [{"buckets": 2}, {"tails": "wild"}, {"buckets": 1000, "curves": 5}])
def test_impossible_bars_are_refused(bad):
    """Too few buckets, unknown tails, too few curves."""
    with pytest.raises(UserError):
        make_borders(BarsConfig(**bad), PriorConfig())


def tied(config, n, generator):
    """Clipped and rounded curves: half of their values are exactly 0, 1 or 0.5."""
    curves = sample(PriorConfig(), n, generator)
    noisy = (2 * curves.noisy - 0.5).clamp(0, 1)
    return curves._replace(noisy=torch.where((noisy - 0.5).abs() < 0.1, 0.5, noisy))


@pytest.mark.parametrize("tails", ["tame", "paper"])
@pytest.mark.parametrize("prior", ["tied", "real", "paper's"])
def test_every_bucket_has_a_width(prior, tails, monkeypatch):
    """Even with many tied values borders rise by at least LEAST_WIDTH, and all methods return finite numbers."""
    if prior == "tied":
        monkeypatch.setattr(bars_file, "sample", tied)
        monkeypatch.setattr(
            bars_file, "_borders", bars_file._borders.__wrapped__
        )  # those that are kept are not tied
    borders = make_borders(BarsConfig(tails=tails, curves=2000), PriorConfig(real=prior == "real"))
    assert borders.diff().min() > 0.99 * LEAST_WIDTH and torch.isfinite(borders).all()
    assert (len(borders) < 1001) == (prior != "paper's")
    many = Bars(borders, torch.randn(7, len(borders) - 1, generator=torch.Generator().manual_seed(0)))
    y = torch.tensor([-1.0, 0.0, 0.2, 0.5, 0.9, 1.0, 2.0])
    for values in (many.crps(y), many.log_density(y), many.cdf(y), many.quantile(0.05), many.mean()):
        assert torch.isfinite(values).all()


def test_distinct_borders_stay_as_they_are():
    """Borders of the paper's prior are unchanged; others are dropped if they lie too close to the previous one."""
    usual = make_borders(BarsConfig(), PriorConfig())
    assert torch.equal(distinct_borders(usual), usual)
    near = torch.tensor([0, 0.4, 0.9, 1.1, 1.2, 3]).double() * LEAST_WIDTH
    assert torch.equal(distinct_borders(near), near[[0, 3, 5]])


def test_borders_of_the_paper_s_prior_are_those_of_published_weights():
    """The same number at the same places (up to one rounding error on another processor)."""
    path = next(PUBLISHED.glob("ours-3x128-*.safetensors"))
    forecaster = train.load(path)
    borders = make_borders(forecaster.config.bars, forecaster.config.prior)
    assert torch.allclose(borders, forecaster.model.borders, atol=1e-6, rtol=0)
