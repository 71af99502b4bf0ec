"""Guards curvecast/curves/by_number.py: a curve is its number's, and its law is the prior's."""

import pytest
import torch

from curvecast.curves import by_number, prior
from curvecast.curves.counter import Counter
from curvecast.curves.draw import Draw
from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError
from tests.curvecast.curves.fingerprint import fingerprint

PAPER, MIXED = PriorConfig(), PriorConfig(real=0.5)


def curves(config, *numbers, seed=0, device="cpu"):
    return by_number.sample(config, seed, torch.tensor(numbers, device=device))


@pytest.fixture(scope="module")
def many():
    return by_number.sample(PAPER, 0, torch.arange(40_000))


@pytest.mark.parametrize("config", [PAPER, MIXED, PriorConfig(real=1.0)], ids=["paper", "mixed", "laws"])
def test_a_curve_alone_is_the_curve_among_ten_thousand(config):
    """Beyond the precision of float32, for neighbours, distant numbers and any order."""
    whole = by_number.sample(config, 3, torch.arange(10_000))
    for numbers in ((5000,), (5000, 12, 9999), (5001, 5002, 5003)):
        for few, many in zip(curves(config, *numbers, seed=3), whole, strict=True):
            assert (few - many[list(numbers)]).abs().max() < 1e-12


@pytest.mark.parametrize(
    ("config", "sha256"),
    [
        (PAPER, "a877e9b145e724aa2b760bde177b6b85581f2b715b08bc029ce8cb5dbab48246"),
        (MIXED, "610260ace47b057cdeb787de52d6db4d75b4c9726d0854da6ad044c8679b6a41"),
    ],
    ids=["paper", "mixed"],
)
def test_the_first_thousand_are_the_same_everywhere(config, sha256):
    """Like THE test set they have a fingerprint, in millionths. Other curves on purpose: raise BEHAVIOUR."""
    assert fingerprint(by_number.sample(config, 0, torch.arange(1000))) == sha256


def test_a_curve_is_the_first_attempt_that_passes():
    """Tried one by one, without rounds."""
    for number in range(30):
        for attempt in range(1, 200):
            counter = Counter(0, torch.tensor([number]), attempt)
            clean, _ = prior.proposals(PAPER, 1, Draw(counter))
            if len(clean):
                break
        assert torch.allclose(curves(PAPER, number).clean, clean, atol=1e-12)


def test_moments_are_those_of_the_generator_s_curves(many):
    """Means, spreads and noise beside 40,000 curves of a torch generator (five standard errors of a difference)."""
    usual = prior.sample(PAPER, 40_000, torch.Generator().manual_seed(0))
    at = [0, 1, 4, 9, 19, 49, 99]
    assert (many.clean[:, at].mean(0) - usual.clean[:, at].mean(0)).abs().max() < 0.0085
    assert (many.clean[:, at].std(0) - usual.clean[:, at].std(0)).abs().max() < 0.006
    assert abs(many.sigma.log().mean() + 4) < 0.025 and abs(many.sigma.log().std() - 1) < 0.02
    z = (many.noisy - many.clean) / many.sigma[:, None]
    assert abs(z.mean()) < 0.003 and abs(z.std() - 1) < 0.003


def test_real_runs_have_their_share_and_their_moments():
    """The laws' curves are those of the laws alone, the paper's those of the paper; beside a torch generator's mixture."""
    n = 20_000
    mixed = by_number.sample(PriorConfig(real=0.3), 0, torch.arange(n))
    law = by_number.follows_laws(PriorConfig(real=0.3), Counter(0, torch.arange(n)))
    assert torch.equal(
        by_number.follows_laws(PriorConfig(real=0.3), Counter(0, torch.arange(50, 60))), law[50:60]
    )
    assert abs(law.double().mean() - 0.3) < 5 * (0.3 * 0.7 / n) ** 0.5
    assert prior.passes(mixed.clean[~law]).all() and not prior.passes(mixed.clean[law]).all()
    usual = prior.sample(PriorConfig(real=0.3), n, torch.Generator().manual_seed(0))
    for q in (0.1, 0.5, 0.9):
        ours, theirs = (c.noisy[:, [0, 9, 99]].double().quantile(q, 0) for c in (mixed, usual))
        assert (ours - theirs).abs().max() < 0.02


@pytest.mark.parametrize(("config", "n"), [(PAPER, 200_000), (MIXED, 20_000)], ids=["paper", "mixed"])
def test_another_arithmetic_keeps_the_same_curves(config, n, monkeypatch):
    """Changing every random number in its 14th digit, more than devices differ, replaces no curve by another."""
    exact = [by_number.sample(config, 1, torch.arange(i, i + 20_000)) for i in range(0, n, 20_000)]
    chance = torch.Generator().manual_seed(0)

    def moved(method):
        def other(*args):
            value = method(*args)
            return value * (1 + 1e-14 * torch.randn(value.shape, generator=chance, dtype=torch.float64))

        return other

    monkeypatch.setattr(Draw, "uniform", moved(Draw.uniform))
    monkeypatch.setattr(Draw, "normal", moved(Draw.normal))
    for i, before in enumerate(exact):
        after = by_number.sample(config, 1, torch.arange(i * 20_000, i * 20_000 + 20_000))
        assert not torch.equal(before.noisy, after.noisy)
        far = max((a - b).abs().max().item() for a, b in zip(before, after, strict=True))
        assert far < 1e-6


def test_seeds_name_other_curves():
    first, second = curves(PAPER, 1, 2, 3), curves(PAPER, 1, 2, 3, seed=1)
    assert (first.noisy - second.noisy).abs().amax(1).min() > 1e-3


def test_no_curve_at_all_is_refused():
    with pytest.raises(UserError, match="cannot sample 0"):
        curves(PAPER)


def test_a_prior_that_no_curve_keeps_is_given_up(monkeypatch):
    """Alone or among others, after the same number of proposals."""
    monkeypatch.setattr(prior, "passes", lambda f: torch.zeros(len(f), dtype=torch.bool))
    monkeypatch.setattr(by_number, "HOPELESS", 20_000)
    for numbers in ((3,), range(50)):
        with pytest.raises(UserError, match="stays in"):
            curves(PAPER, *numbers)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="asks a second device")
@pytest.mark.parametrize("config", [PAPER, MIXED], ids=["paper", "mixed"])
def test_another_device_gives_the_same_curves(config):
    """200,000 of them: all to 1e-6."""
    for i in range(0, 200_000, 20_000):
        numbers = torch.arange(i, i + 20_000)
        on_cpu, on_gpu = by_number.sample(config, 0, numbers), by_number.sample(config, 0, numbers.cuda())
        for one, other in zip(on_cpu, on_gpu, strict=True):
            assert (one - other.cpu()).abs().max() < 1e-6
