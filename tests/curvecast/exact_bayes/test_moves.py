"""Guards curvecast/exact_bayes/moves.py: a population that follows the posterior still follows it after any move."""

import pytest
import torch

from curvecast.curves.noise import Noise
from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import exact, moves
from curvecast.exact_bayes.moves import State, Target

CONFIG = PriorConfig()
N = 2000


@pytest.fixture(scope="module")
def known():
    """One curve of which three points were seen: a bank alone knows its posterior well."""
    generator = torch.Generator().manual_seed(3)
    y = torch.tensor([[0.50, 0.66, 0.60]])
    bank = exact.bank(CONFIG, 400_000, generator)
    target = Target(CONFIG, y, Noise(CONFIG, 3))
    log_w = target.noise.log_likelihood((bank.f[None, :, :3] - y[:, None]).square().sum(2))
    assert exact._ess(log_w).item() > 1500
    theta = bank.theta[exact.resample(log_w, N, generator)]
    theta = theta[:, torch.randperm(N, generator=generator)]
    return target, State(theta, *target(theta)), generator


@pytest.mark.parametrize("kind", ["differ", "along_lines", "bend"])
def test_a_move_leaves_the_posterior_as_it_is(kind, known):
    """Mean and spread of three epochs before and after 25 moves, in units of the spread (about four standard errors)."""
    target, before, generator = known
    after = before
    for _ in range(25):
        if kind == "differ":
            after, _ = moves.differ(after, target, torch.ones(1), generator)
        elif kind == "bend":
            after, _ = moves.bend(after, target, generator)
        else:
            after = moves.along_lines(after, target, generator)
    assert (after.theta != before.theta).any(-1).float().mean() > 0.3
    for place in (4, 30, 99):
        a, b = (moves.clean(CONFIG, state.theta, target.x)[0, :, place] for state in (before, after))
        assert abs(a.mean() - b.mean()) < 0.15 * a.std() and abs(a.std() / b.std() - 1) < 0.15
    assert torch.isfinite(after.log_prior).all()


def test_a_beginning_that_is_believed_by_a_share_is_explored_more_widely(known):
    """At a tenth of the likelihood the sums of squares are larger than at the whole."""
    target, state, generator = known
    for _ in range(20):
        state, _ = moves.differ(state, target, torch.full((1,), 0.1), generator)
    assert state.squares.mean() > 2 * known[1].squares.mean()
