"""Guards curvecast/latent/predictive_sparse.py: the guess is nearer to the optimum than zero, and atoms keep their length."""

import torch

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.predictive_sparse import SparseConfig
from curvecast.latent.sparse import cost

X = prior.test_set(300).clean


def test_a_trained_guess_costs_less_than_zero_and_more_than_its_improvement():
    torch.manual_seed(0)
    net = SparseConfig(16, width=32).network(X[:200].mean(0))
    fit(net, lambda step: (X[:200], X[:200]), Steps(300, 5e-3))
    x = X[200:] - net.mean
    with torch.no_grad():
        guess = net.encode(X[200:])
        zero, guessed, improved = (
            cost(x, h, net.atoms, net.config.penalty).mean().item()
            for h in (torch.zeros_like(guess), guess, net.improve(X[200:], guess, 200))
        )
        assert improved < guessed < zero / 2
        assert torch.allclose(net.atoms.norm(dim=1), torch.ones(16))
