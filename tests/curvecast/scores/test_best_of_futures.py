"""Guards curvecast/scores/best_of_futures.py: a future reads what it has drawn, and the best of it counts."""

import pytest
import torch

from curvecast.scores.best_of_futures import BestOfFutures, by_futures

LATER = torch.tensor([[3.0, 5.0, 9.0]])


class Fixed:
    """A density that puts all its mass at one value."""

    def __init__(self, value: torch.Tensor):
        self.value = value

    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        return self.value.expand_as(level)


class Uniform:
    def quantile(self, level: torch.Tensor) -> torch.Tensor:
        return level


def test_the_best_of_three_independent_epochs_is_higher_than_each():
    """Of three uniform numbers the highest has the median 0.5 ** (1 / 3), and runs keep their own futures."""
    draw = by_futures(lambda x, y, later: Uniform(), 4000, torch.Generator().manual_seed(0))
    best = draw(torch.ones(2, 1), torch.zeros(2, 1), LATER.expand(2, -1))
    assert best.quantile(0.5).squeeze().tolist() == pytest.approx([0.5 ** (1 / 3)] * 2, abs=0.02)


def test_runs_that_are_asked_together_keep_their_own_futures():
    """One climbs from 0.7 and one from 5: by one an epoch, three epochs long."""
    climb = by_futures(lambda x, y, later: Fixed(y[:, -1:] + 1), 3, torch.Generator())
    best = climb(torch.tensor([[1.0, 2.0]] * 2), torch.tensor([[0.5, 0.7], [4.0, 5.0]]), LATER.expand(2, -1))
    for level in (0.1, 0.5, 0.9):
        assert best.quantile(level).squeeze().tolist() == pytest.approx([3.7, 8.0])


def test_a_value_that_was_seen_is_no_value_to_come():
    """A run that falls by one an epoch has its best behind it: what comes is 4 at most, after 5."""
    fall = by_futures(lambda x, y, later: Fixed(y[:, -1:] - 1), 3, torch.Generator())
    best = fall(torch.tensor([[1.0, 2.0]]), torch.tensor([[6.0, 5.0]]), LATER)
    assert best.quantile(0.5).item() == pytest.approx(4)


def test_the_chance_that_any_epoch_beats_the_best_decides():
    """One future in ten reaches 0.9: with a chance of 0.05 allowed the run goes on to beat 0.8, with 0.2 it does not."""
    highest = torch.full((100, 1), 0.5)
    highest[:10] = 0.9
    best = BestOfFutures(highest)
    assert best.quantile(0.95).item() > 0.8 > best.quantile(0.8).item()
