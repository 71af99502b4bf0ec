"""Guards curvecast/curves/laws/noise.py: how large the noise is, what it remembers, and that wiggles are slow."""

import pytest
import torch

from curvecast.curves.laws import noise
from curvecast.curves.prior import PriorConfig
from tests.curvecast.curves.laws.some_runs import N, X, dice

PLAIN = ("tails", "memory", "falling noise")


def drawn(without=PLAIN, calm=1.0):
    """Noise in units of its initial scale, and that scale."""
    e, size = noise.noise(X, torch.full((N, 100), calm, dtype=torch.float64), without, dice())
    return e / size, size


def correlation(z):
    """With the epoch before."""
    return (z[:, 1:] * z[:, :-1]).mean() / z.square().mean()


def test_what_is_no_quiet_run_has_the_noise_of_the_paper(monkeypatch):
    """ln size ~ N(-4, 1) as in PriorConfig, and the quiet ones lie below it, in the stated share."""
    config = PriorConfig()
    sizes = {}
    for share in (0.0, 1.0, noise.QUIET):
        monkeypatch.setattr(noise, "QUIET", share)
        sizes[share] = drawn()[1].log()
    paper, quiet, both = sizes.values()
    assert abs(paper.mean() - config.log_sigma_mean) < 0.07 and abs(paper.std() - config.log_sigma_sd) < 0.05
    assert quiet.mean() < paper.mean()
    expected = share * quiet.mean() + (1 - share) * paper.mean()
    assert abs(both.mean() - expected) < 0.1


def test_plain_noise_is_white_and_has_the_stated_size():
    """Without its features: standard normal numbers times the size, calmed as the schedule says."""
    z, _ = drawn()
    assert abs(z.mean()) < 0.01 and abs(z.std() - 1) < 0.01 and abs((z**4).mean() - 3) < 0.1
    assert abs(correlation(z)) < 0.01
    assert abs(drawn(calm=0.3)[0].std() - 0.3) < 0.003


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95])
def test_memory_is_the_correlation_with_the_epoch_before(memory):
    """And the size of the noise stays what it was, from the first epoch to the last."""
    e = dice().normal(0, 1, 200)
    autocorrelated = noise._autocorrelated(e, torch.full((N, 1), memory, dtype=torch.float64))
    assert abs(correlation(autocorrelated) - memory) < 0.01
    assert torch.equal(autocorrelated[:, 0], e[:, 0]) and (autocorrelated.std(0) - 1).abs().max() < 0.06


def test_some_runs_remember_and_some_do_not():
    """The correlations of single runs lie around 0 for the stated share, and far above for many others."""
    z, _ = drawn(("tails", "falling noise"))
    own = (z[:, 1:] * z[:, :-1]).mean(1) / z.square().mean(1)
    forgets = 2 * (own < 0).double().mean()  # of white noise half lies below 0
    assert abs(forgets - (1 - noise.REMEMBERS)) < 0.1 and (own > 0.6).double().mean() > 0.1


def test_tails_are_heavy_in_the_stated_share():
    """Student's t has extreme values that a normal distribution practically never has; its typical size is no larger."""
    plain, heavy = drawn()[0], drawn(("memory", "falling noise"))[0]
    assert plain.abs().max() < 6 and heavy.abs().max() > 6
    changed = (plain != heavy).any(1)
    assert abs(changed.double().mean() - noise.HEAVY) < 0.03
    assert heavy[changed].abs().median() < plain.abs().median() * 1.05


def test_noise_falls_in_the_stated_share_and_never_grows():
    """Against the same draw without the fall: a power of time, 1 at the first epoch."""
    ratio = drawn(("tails", "memory"))[0] / drawn()[0]
    assert torch.allclose(ratio[:, 0], torch.ones(N, dtype=torch.float64)) and ratio.max() < 1 + 1e-9
    assert abs((ratio[:, -1] < 1 - 1e-9).double().mean() - noise.FALLS) < 0.04
    assert torch.allclose(ratio[:, 9].log() * 2, ratio[:, 99].log(), atol=1e-9)


def test_wiggles_start_at_0_and_are_there_in_their_share():
    """The first epoch is unchanged; wiggles occur in the stated share of the runs, and are larger for larger gains."""
    total_gain = torch.linspace(0, 1, N, dtype=torch.float64)[:, None]
    wiggles = noise.wiggles(X, total_gain, dice())
    assert (wiggles[:, 0] == 0).all()
    assert abs((wiggles != 0).any(1).double().mean() - noise.WIGGLES) < 0.03
    sizes = wiggles.abs().mean(1)
    assert sizes[-N // 4 :].mean() > 3 * sizes[: N // 4].mean()


def test_wiggles_are_slow_in_the_logarithm_of_time():
    """Wiggles slow down: late neighbouring epochs differ less than a fifth as much as early ones."""
    steps = noise.wiggles(X, torch.ones(N, 1, dtype=torch.float64), dice()).diff(dim=1).abs()
    assert steps[:, -10:].mean() < 0.2 * steps[:, :5].mean()
