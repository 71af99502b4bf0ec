"""Guards curvecast/curves/counter.py: the published words, numbers that belong to a curve and to nothing else."""

import math

import pytest
import torch
from scipy.special import ndtri

from curvecast.curves import counter
from curvecast.curves.counter import Counter

N = 40_000
ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("words", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)  # fmt: skip
def test_words_are_those_that_random123_publishes(words, key, expected):
    """Its known answers of philox4x32-10, one alone and in a row of others."""
    for size in (1, 33):
        random_words = counter.philox(tuple(torch.full((size,), word) for word in words), key)
        assert [w.tolist() for w in random_words] == [[word] * size for word in expected]


def test_numbers_of_a_curve_do_not_depend_on_its_neighbours():
    """Alone, among others, in another order: the same, whatever is drawn in between."""

    def drawn(numbers):
        c = Counter(7, torch.tensor(numbers))
        return torch.cat([c.uniform(1), c.normal(5), c.uniform(2), c.uniform(100)], 1)

    many = drawn(list(range(1000)))
    assert torch.equal(drawn([321]), many[321:322])
    assert torch.equal(drawn([8, 3, 500]), many[[8, 3, 500]])


def test_each_curve_seed_attempt_and_place_has_its_own_numbers():
    """No word comes twice among few; the higher half of a number and of a seed count."""
    numbers = torch.tensor([0, 1, 2**32, 2**40 + 1])
    seen = [Counter(seed, numbers, attempt).uniform(9) for seed in (0, 1, 2**32, -1) for attempt in (0, 1, 2)]
    assert len(torch.stack(seen).unique()) == 4 * 3 * 4 * 9


def test_places_go_on_from_call_to_call():
    """Two at a time or all at once: four words a block, and none is left out."""
    pairs, together = Counter(3, torch.arange(5)), Counter(3, torch.arange(5))
    assert torch.equal(torch.cat([pairs.uniform(2) for _ in range(7)], 1), together.uniform(14))


def test_some_of_the_curves_go_on_with_numbers_of_their_own():
    """No number is drawn twice, and the numbers of a curve do not depend on which others are selected."""
    whole = Counter(3, torch.arange(50))
    before = whole.uniform(3)
    selected = whole.of(torch.tensor([4, 9]))
    after = selected.uniform(6)
    assert torch.equal(after[1:], whole.of(torch.tensor([9])).uniform(6))
    assert not set(after.flatten().tolist()) & set(before.flatten().tolist())


def test_uniform_numbers_are_even_and_never_0_or_1():
    """As many in each quarter (five standard errors); the outermost words lie inside."""
    drawn = Counter(0, torch.arange(N)).uniform(1)
    assert (torch.histc(drawn, 4, 0, 1) / N - 0.25).abs().max() < 5 * math.sqrt(0.25 * 0.75 / N)
    edge = Counter(0, torch.zeros(1, dtype=torch.long))
    edge.unused = torch.tensor([[0, ONES]])
    low, high = edge.uniform(2)[0].tolist()
    assert 0 < low < 1e-9 and 1 - 1e-9 < high < 1


def test_normal_numbers_are_quantiles_of_the_uniform_ones():
    """As another library has them, to 1e-12; mean and size within five standard errors."""
    drawn = Counter(1, torch.arange(N)).normal(1)
    expected = torch.from_numpy(ndtri(Counter(1, torch.arange(N)).uniform(1).numpy()))
    assert (drawn - expected).abs().max() < 1e-12
    assert abs(drawn.mean()) < 5 / math.sqrt(N) and abs(drawn.std() - 1) < 5 / math.sqrt(2 * N)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="asks a second device")
def test_another_device_gives_the_same_words():
    on_cpu, on_gpu = Counter(5, torch.arange(N)), Counter(5, torch.arange(N, device="cuda"))
    assert torch.equal(on_cpu.uniform(5), on_gpu.uniform(5).cpu())
    assert (on_cpu.normal(5) - on_gpu.normal(5).cpu()).abs().max() < 1e-11
