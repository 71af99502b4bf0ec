"""Guards curvecast/training/endings.py: drawn endings are those of the exact posterior, however few the curves are."""

from dataclasses import replace

import pytest
import torch

from curvecast.curves import by_number
from curvecast.curves.counter import Counter
from curvecast.curves.noise import Noise
from curvecast.curves.prior import PriorConfig, sample
from curvecast.training import batches, endings
from curvecast.training.endings import Stock
from tests.curvecast.training.small import SMALL

LAW = PriorConfig(length=30)
CONFIG = replace(SMALL, prior=LAW, stock=64)


def beginnings(n: int, seed: int = 0):
    curves = sample(LAW, n, torch.Generator().manual_seed(seed))
    return curves, Stock(LAW, curves.clean), torch.arange(1.0, 31).expand(n, -1)


def test_the_choice_is_that_of_all_likelihoods():
    """Curves are drawn in proportion to the likelihood of the beginning, also of one with holes: a softmax over the stock."""
    curves, stock, _ = beginnings(300)
    noise, epochs = Noise(LAW, 3), torch.tensor([1, 3, 5])
    y = curves.noisy[:2, epochs]
    generator = torch.Generator().manual_seed(1)
    squares = (curves.clean[None, :, epochs].double() - y[:, None].double()).square().sum(2)  # (2, 300)
    exactly = noise.log_likelihood(squares.float()).softmax(1)
    counts = torch.zeros(2, 300)
    for _ in range(3000):
        curve, drawn_squares = stock.draw_curves(epochs, y - 0.5, noise, generator)
        assert torch.allclose(drawn_squares.double(), squares.gather(1, curve), atol=1e-6, rtol=1e-3)
        counts.scatter_add_(1, curve, torch.ones(curve.shape))
    assert (counts / counts.sum(1, keepdim=True) - exactly).abs().max() < 0.015
    assert (exactly.square().sum(1) < 0.5).any(), "one curve that holds all the weight would show nothing"


@pytest.mark.parametrize("size", [4, 400])
def test_endings_scatter_around_the_truth_as_the_own_ending_does(size):
    """Whatever the size of the stock: the same mean, spread, and product with what was seen last, over many beginnings."""
    drawn, own, seen = [], [], []
    for seed in range(8000 // size):
        curves, stock, x = beginnings(size, seed)
        drawn.append(stock.endings(x[:, :3], curves.noisy[:, :3], x[:, 9::10], seed))  # (n, 3, S)
        own.append(curves.noisy[:, 9::10])
        seen.append(curves.noisy[:, 2:3])
    drawn, own, seen = torch.cat(drawn), torch.cat(own), torch.cat(seen)  # (8000, 3, S), (8000, 3), (8000, 1)
    off = [
        drawn.mean(2) - own, drawn.square().mean(2) - own.square(), (drawn.mean(2) - own) * (seen - seen.mean()),
    ]  # fmt: skip
    for difference in off:
        error = difference.std(0) / len(difference) ** 0.5
        assert (difference.mean(0).abs() < 4.5 * error).all()


def test_hardly_any_noise_does_not_lose_the_own_curve():
    """Sums of squares are differences of large numbers; with residuals of 1e-5 the own curve must still be drawn."""
    curves, stock, _ = beginnings(500)
    generator = torch.Generator().manual_seed(3)
    y = curves.clean[:, :25] + 1e-5 * torch.randn(500, 25, generator=generator)
    curve, squares = stock.draw_curves(torch.arange(25), y - 0.5, Noise(LAW, 25), generator)
    near = (curves.clean[curve] - curves.clean[:, None]).abs().amax(2)
    assert near.quantile(0.95) < 1e-3 and torch.isfinite(squares).all()


def test_a_batch_asks_for_several_endings():
    """(B, Q, S), the same every time; without a stock each curve's own values, and other behaviour."""
    first, second = (list(batches.batches(CONFIG, 5, "cpu")) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        assert a.targets().shape == (*a.y_query.shape, endings.ENDINGS)
        assert torch.equal(a.targets(), b.targets())
    plain = replace(CONFIG, stock=0)
    batch = next(batches.batches(plain, 5, "cpu"))
    assert torch.equal(batch.targets(), batch.y_query)
    assert "endings" in CONFIG.behaviour() and "endings" not in plain.behaviour()


def test_in_a_mixed_prior_the_papers_curves_alone_lend_and_borrow():
    """A curve that follows the laws of real runs keeps its own ending, S times; a paper's curve gets the paper's."""
    config = replace(CONFIG, prior=replace(LAW, real=0.5), draws="number", stock=512)
    follows = by_number.follows_laws(config.prior, Counter(config.seed, torch.arange(512)))
    clean = by_number.sample(config.prior, config.seed, torch.arange(512)).clean
    for group, own in zip(batches.batches(config, 0, "cpu"), follows[:16].split(4), strict=True):
        assert torch.equal(group.borrows, ~own)
        assert torch.allclose(group.stock.clean, clean[~follows].float() - 0.5, atol=1e-6)
        targets = group.targets()
        assert torch.equal((targets == group.y_query[..., None]).all((1, 2)), own)
        assert torch.isfinite(targets).all()
