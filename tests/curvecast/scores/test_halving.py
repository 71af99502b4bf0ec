"""Guards curvecast/scores/halving.py: which runs are trained for how long, and in which order."""

import torch

from curvecast.scores.halving import asha, hyperband, rungs, successive_halving

M = 18


def flat(*levels: float) -> torch.Tensor:
    """Runs that stand at their levels from the first epoch on."""
    return torch.tensor(levels)[:, None].expand(-1, M).clone()


def epochs(trained: torch.Tensor, n: int) -> list[int]:
    return torch.bincount(trained // M, minlength=n).tolist()


def test_rungs_are_thirds_of_a_run_and_never_below_two_epochs():
    assert (
        rungs(50) == [2, 6, 17, 50]
        and rungs(18) == [2, 6, 18]
        and rungs(100) == [4, 11, 33, 100]
        and rungs(2) == [2]
    )


def test_halving_spends_what_it_says():
    """Of nine runs each gets two epochs, three get six, and the best one all; no epoch is trained twice."""
    y = flat(0.3, 0.9, 0.1, 0.8, 0.2, 0.7, 0.4, 0.5, 0.6)
    spent = successive_halving(y, torch.arange(9))
    assert epochs(spent, 9) == [2, 18, 2, 6, 2, 6, 2, 2, 2]
    assert len(spent.unique()) == len(spent) and spent[:4].tolist() == [0, 1, M, M + 1]


def test_who_is_best_is_told_at_the_rung_and_not_by_what_comes_later():
    """A run that is low at its second epoch never shows how high it would have come."""
    y = flat(0.3, 0.4, 0.5, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)
    y[3, 5:] = 1.0
    assert epochs(successive_halving(y, torch.arange(9)), 9)[3] == 2
    assert epochs(asha(y, torch.tensor([2, 1, 3, 0, 4, 5, 6, 7, 8])), 9)[3] == 2


def test_hyperband_gives_later_brackets_fewer_runs_and_more_epochs():
    """With three rungs: nine runs from two epochs on, five from six, three to their ends; then from the start."""
    spent = hyperband(
        flat(*torch.rand(17, generator=torch.Generator().manual_seed(0)).tolist()), torch.arange(17)
    )
    each = epochs(spent, 17)
    assert (
        sorted(each[:9]) == [2] * 6 + [6, 6, 18]
        and sorted(each[9:14]) == [6, 6, 6, 6, 18]
        and each[14:] == [18] * 3
    )


def test_asha_compares_with_those_before():
    """The first comes to its end; a worse one stops at the first rung, a better one never; of ten the third best goes on."""
    y = flat(0.5, 0.4, 0.6)
    assert epochs(asha(y, torch.arange(3)), 3) == [18, 2, 18]
    y = flat(0.9, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.7)
    assert (
        epochs(asha(y, torch.arange(9)), 9)[-1] == 6
    )  # third of nine at the first rung, and last of two at the next
