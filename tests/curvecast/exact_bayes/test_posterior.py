"""Guards curvecast/exact_bayes/posterior.py: the density is that of the prior and of normal noise, and nothing else."""

import math

import pytest
import torch

from curvecast.curves.prior import BASIS, PriorConfig, passes
from curvecast.exact_bayes import posterior
from curvecast.ground.errors import UserError

CONFIG = PriorConfig()
# one curve that keeps the rules: weights .8, .3, .1 of pow3, ilog2, Janoschek, and ln sigma
THETA = torch.tensor([0.8, 0.9, 0.4, -0.5, 0.3, 0.3, 0.2, 0.1, 0.6, 0.2, -2.0, 0.1, -4.2])


def test_a_curve_is_the_weighted_sum_of_its_families():
    """Against the families one by one."""
    x = torch.arange(1.0, 101)
    columns, expected = iter(THETA[:, None, None]), torch.zeros(1, 100)
    for basis in BASIS.values():
        w, *p = (next(columns) for _ in range(1 + len(basis.laws)))
        level, amplitude = basis.level_amplitude(*p)
        expected = expected + w * (level - amplitude * basis.shape(x, *p))
    assert torch.allclose(posterior.curves(CONFIG, THETA, x), expected[0], atol=1e-6)


def test_log_prior_is_that_of_the_laws():
    """Normal parameters count with their density, uniform ones with their bounds."""
    other = THETA.clone()
    other[3], other[-1] = 2.0, -5.0
    normal = torch.distributions.Normal
    expected = normal(0.0, 2.0).log_prob(other[3]) - normal(0.0, 2.0).log_prob(THETA[3])
    expected += normal(-4.0, 1.0).log_prob(other[-1]) - normal(-4.0, 1.0).log_prob(THETA[-1])
    gap = posterior.log_prior(CONFIG, other) - posterior.log_prior(CONFIG, THETA)
    assert gap.item() == pytest.approx(expected.item(), rel=1e-5)
    for place, value in ((0, 1.01), (1, -0.01), (2, 0.61), (9, 2.1)):
        outside = THETA.clone()
        outside[place] = value
        assert posterior.log_prior(CONFIG, outside) == -math.inf


def test_log_posterior_adds_the_likelihood_and_the_rules():
    """Two points of theta differ by prior and normal likelihood; one whose curve leaves [0, 1] has density zero."""
    x = torch.arange(1.0, 101)
    other, high, falling = THETA.clone(), THETA.clone(), THETA.clone()
    other[0], other[-1] = 0.82, -3.9
    high[1] = 1.25
    high[4:6] = 1.0
    falling[2] = -0.5
    y = posterior.curves(CONFIG, THETA, x)[None, :12] + 0.01 * torch.randn(
        1, 12, generator=torch.Generator().manual_seed(0)
    )
    found = posterior.log_posterior(CONFIG, torch.stack([THETA, other, high, falling])[None], y)
    expected = []
    for theta in (THETA, other):
        clean = posterior.curves(CONFIG, theta, x)[:12]
        likelihood = torch.distributions.Normal(clean, theta[-1].exp()).log_prob(y[0]).sum()
        expected.append(likelihood + posterior.log_prior(CONFIG, theta))
    assert (found[0, 0] - found[0, 1]).item() == pytest.approx((expected[0] - expected[1]).item(), rel=1e-4)
    assert found[0, 2] == -math.inf and found[0, 3] == -math.inf


@pytest.mark.parametrize(
    "y", [torch.zeros(3), torch.zeros(2, 0), torch.zeros(2, 100), torch.full((2, 5), math.nan)]
)
def test_a_beginning_that_says_nothing_is_refused(y):
    """No points, all points, NaN: one sentence."""
    with pytest.raises(UserError, match="observed"):
        posterior.check(CONFIG, y)


def points(n: int, generator: torch.Generator) -> torch.Tensor:
    """Within the bounds of the laws, two standard deviations for those that have none."""
    ends = [(law.a, law.b) if law.kind == "uniform" else (law.a - 2 * law.b, law.a + 2 * law.b)
            for law in posterior.laws(CONFIG)]  # fmt: skip
    low, high = torch.tensor(ends).T
    return low + (high - low) * torch.rand(n, len(low), generator=generator)


def test_bounds_between_few_epochs_give_the_answer_of_all_epochs():
    """Some curves turn between the few, and break a rule there only."""
    g = torch.Generator().manual_seed(0)
    theta = points(200_000, g)
    x = torch.arange(1.0, 101)
    f = posterior.curves(CONFIG, theta, x)
    good = passes(f)
    found = posterior.allowed(CONFIG, theta)
    edge = torch.minimum(f.aminmax(dim=1).min.abs(), (1 - f.aminmax(dim=1).max).abs()) < 1e-6
    assert torch.equal(found | edge, good | edge)
    few = [0, 1, 3, 8, 25, 99]
    turns = passes(f[:, few]) & ~good
    assert turns.sum() >= 5  # looked at only there, these would have been let in


def test_no_curve_leaves_its_bounds():
    """Between the first and the last of a few epochs; a wide bound would still hold, so a rising curve's is exact."""
    g = torch.Generator().manual_seed(1)
    theta = points(2000, g)
    x = torch.arange(1.0, 101)
    f = posterior.curves(CONFIG, theta, x)
    values, low, high = posterior._bounds(CONFIG, theta, x[[0, 4, 30, 99]])
    assert torch.allclose(values, f[:, [0, 4, 30, 99]], atol=1e-5)
    assert (f >= low[:, None] - 1e-5).all()
    assert (f <= high[:, None] + 1e-5).all()
    rises = (theta[:, 2] > 0) & (theta[:, 6] > 0) & (theta[:, 8] > theta[:, 9])  # all three families
    assert rises.sum() > 100
    assert torch.allclose(low[rises], f[rises, 0], atol=1e-5)
    assert torch.allclose(high[rises], f[rises, -1], atol=1e-5)
