"""Guards curvecast/latent/sparse.py against scikit-learn, and the law behind the penalty."""

from itertools import islice

import pytest
import torch
from sklearn.decomposition import sparse_encode
from torch.distributions import Laplace

from curvecast.ground.errors import UserError
from curvecast.latent.sparse import cost, ista, shrink, steps_needed

CHANCE = torch.Generator().manual_seed(0)
ATOMS = torch.nn.functional.normalize(torch.randn(12, 20, generator=CHANCE).double(), dim=1)
X = torch.randn(6, 20, generator=CHANCE).double()
ZERO = torch.zeros(6, 12).double()


def after(steps, penalty):
    return next(islice(ista(X, ATOMS, penalty, ZERO), steps, None))


def test_many_steps_reach_the_codes_of_scikit_learn():
    theirs = sparse_encode(X.numpy(), ATOMS.numpy(), algorithm="lasso_cd", alpha=0.3, max_iter=10_000)
    assert torch.allclose(after(5_000, 0.3), torch.from_numpy(theirs), atol=1e-4)


def test_more_of_a_code_is_zero_with_a_larger_penalty():
    shares = [(after(500, penalty) == 0).double().mean().item() for penalty in (0.0, 0.1, 0.5, 5.0)]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


def test_the_penalty_is_minus_the_log_of_a_laplace_law_up_to_a_constant():
    h = after(50, 0.3)
    law = -Laplace(*torch.tensor([0, 1 / 0.3], dtype=torch.double)).log_prob(h).sum(1)
    assert (law - 0.3 * h.abs().sum(1)).std().item() == pytest.approx(0, abs=1e-12)


def test_a_better_start_needs_fewer_steps():
    best = cost(X, after(5_000, 0.3), ATOMS, 0.3)
    cold, warm = (steps_needed(X, ATOMS, 0.3, start, best, 0.01, 500) for start in (ZERO, after(20, 0.3)))
    assert (warm < cold).all() and (cold < 500).all()
    assert steps_needed(X, ATOMS, 0.3, ZERO, 0 * best, 0.01, 7).tolist() == [7] * 6
    assert shrink(torch.tensor([-2.0, 0.5]), 1.0).tolist() == [-1, 0]


def test_atoms_of_another_length_are_refused():
    with pytest.raises(UserError, match="the same epochs"):
        next(ista(X[:, :5], ATOMS, 0.1, ZERO))
