"""Guards curvecast/latent/contractive.py: the penalty is the Jacobian's, and it contracts."""

import torch

from curvecast.curves import prior
from curvecast.latent.contractive import Contractive
from curvecast.latent.fit import Steps, fit
from curvecast.latent.tangents import jacobians

X = prior.test_set(200).clean


def test_the_penalty_is_the_squared_norm_of_the_jacobian():
    torch.manual_seed(0)
    net = Contractive(X.mean(0), 8, 1.0, scale=0.2)
    theirs = jacobians(net.encode, X[:5]).square().sum((1, 2)) * 0.2**2  # in units of the scale
    assert torch.allclose(net.penalty(net.encode(X[:5])), theirs, rtol=1e-4)


def test_a_larger_weight_gives_a_code_that_moves_less():
    moves = []
    for weight in (0.0, 1e-2):
        torch.manual_seed(0)
        net = fit(Contractive(X.mean(0), 32, weight, 0.2), lambda step: (X, X), Steps(200, 1e-2))
        moves.append(net.penalty(net.encode(X)).mean().item())
    assert moves[1] < moves[0] / 2
