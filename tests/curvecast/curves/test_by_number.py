"""Guards counter.py, draw.py and by_number.py: numbers that belong to a curve, and curves that belong to a number."""

import pytest
import torch
from scipy.special import ndtri

from curvecast.curves import by_number, counter, prior
from curvecast.curves.counter import Counter, Draw
from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError
from tests.curvecast.curves.fingerprint import fingerprint

PAPER, MIXED = PriorConfig(), PriorConfig(real=0.5)
ONES = 0xFFFFFFFF
PI = ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0))
KNOWN_ANSWERS = {  # words and key: random words
    ((0,) * 4, (0,) * 2): (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ((ONES,) * 4, (ONES,) * 2): (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    PI: (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
}
on_a_second_device = pytest.mark.skipif(not torch.cuda.is_available(), reason="asks a second device")


@pytest.mark.parametrize(("given", "expected"), KNOWN_ANSWERS.items(), ids=["zeros", "ones", "pi"])
def test_words_are_those_that_random123_publishes(given, expected):
    words, key = given
    for size in (1, 33):
        found = counter.philox(tuple(torch.full((size,), word) for word in words), key)
        assert [w.tolist() for w in found] == [[word] * size for word in expected]


def test_each_curve_seed_attempt_and_place_has_its_own_numbers():
    """No word comes twice among few; the higher half of a number and of a seed count."""
    numbers = torch.tensor([0, 1, 2**32, 2**40 + 1])
    seen = [Counter(seed, numbers, attempt).uniform(9) for seed in (0, 1, 2**32, -1) for attempt in (0, 1, 2)]
    assert len(torch.stack(seen).unique()) == 4 * 3 * 4 * 9


def test_uniform_numbers_lie_inside_and_normal_ones_are_their_quantiles():
    """The outermost words too; quantiles as another library has them."""
    edge = Counter(0, torch.zeros(1, dtype=torch.long))
    edge.unused = torch.tensor([[0, ONES]])
    low, high = edge.uniform(2)[0].tolist()
    assert 0 < low < 1e-9 and 1 - 1e-9 < high < 1
    uniform, normal = (getattr(Counter(1, torch.arange(40_000)), law)(1) for law in ("uniform", "normal"))
    assert (torch.histc(uniform, 4, 0, 1) / 40_000 - 0.25).abs().max() < 5 * (0.25 * 0.75 / 40_000) ** 0.5
    assert (normal - torch.from_numpy(ndtri(uniform.numpy()))).abs().max() < 1e-12


def curves(config, numbers, seed=0):
    return by_number.sample(config, seed, torch.as_tensor(numbers))


def farthest(some, others):
    return max((a - b).abs().max().item() for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize("config", [PAPER, MIXED, PriorConfig(real=1.0)], ids=["paper", "mixed", "laws"])
def test_a_curve_alone_is_the_curve_among_ten_thousand(config):
    """For neighbours, distant numbers and any order; another seed names others."""
    whole = curves(config, range(10_000), seed=3)
    for numbers in ([5000], [5000, 12, 9999], [5001, 5002, 5003]):
        assert farthest(curves(config, numbers, seed=3), [part[numbers] for part in whole]) < 1e-12
    assert (curves(config, [2, 3]).noisy - whole.noisy[[2, 3]]).abs().amax(1).min() > 1e-3


@pytest.mark.parametrize(("config", "sha256"), [
    (PAPER, "a877e9b145e724aa2b760bde177b6b85581f2b715b08bc029ce8cb5dbab48246"),
    (MIXED, "610260ace47b057cdeb787de52d6db4d75b4c9726d0854da6ad044c8679b6a41"),
], ids=["paper", "mixed"])  # fmt: skip
def test_the_first_thousand_are_the_same_everywhere(config, sha256):
    """Like THE test set they have a fingerprint, in millionths. Other curves on purpose: raise BEHAVIOUR."""
    assert fingerprint(curves(config, range(1000))) == sha256


@pytest.mark.parametrize(("config", "n"), [(PAPER, 200_000), (MIXED, 20_000)], ids=["paper", "mixed"])
def test_another_arithmetic_keeps_the_same_curves(config, n, monkeypatch):
    """Changing every random number in its 14th digit, more than devices differ, replaces no curve by another."""
    parts = torch.arange(n).split(20_000)
    exact = [curves(config, part, seed=1) for part in parts]
    chance = torch.Generator().manual_seed(0)

    def moved(method):
        def other(*args):
            value = method(*args)
            return value * (1 + 1e-14 * torch.randn(value.shape, generator=chance, dtype=torch.float64))

        return other

    monkeypatch.setattr(Draw, "uniform", moved(Draw.uniform))
    monkeypatch.setattr(Draw, "normal", moved(Draw.normal))
    for part, before in zip(parts, exact, strict=True):
        assert 0 < farthest(curves(config, part, seed=1), before) < 1e-6


def test_none_at_all_and_a_prior_that_no_curve_keeps_are_refused(monkeypatch):
    """The latter alone or among others, after the same number of proposals."""
    with pytest.raises(UserError, match="cannot sample 0"):
        curves(PAPER, torch.arange(0))
    monkeypatch.setattr(prior, "passes", lambda f: torch.zeros(len(f), dtype=torch.bool))
    monkeypatch.setattr(by_number, "HOPELESS", 20_000)
    for numbers in ([3], range(50)):
        with pytest.raises(UserError, match="stays in"):
            curves(PAPER, numbers)


@on_a_second_device
@pytest.mark.parametrize("config", [PAPER, MIXED], ids=["paper", "mixed"])
def test_another_device_gives_the_same_curves(config):
    for numbers in torch.arange(200_000).split(20_000):
        there = curves(config, numbers.cuda())
        assert farthest(curves(config, numbers), [part.cpu() for part in there]) < 1e-6
    words = [Counter(5, torch.arange(40_000, device=device)).uniform(5).cpu() for device in ("cpu", "cuda")]
    assert torch.equal(*words)
