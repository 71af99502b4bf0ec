"""Guards curvecast/latent/fit.py: a step goes downhill, and a loss that is no number ends the training."""

import pytest
import torch

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from curvecast.latent.families import FAMILIES
from curvecast.latent.fit import Steps, fit, fit_at_once

X = prior.test_set(100).clean


def test_both_ways_lower_the_loss():
    for way in (
        lambda net: fit(net, lambda step: (X, X), Steps(100, 3e-2)),
        lambda net: fit_at_once(net, X, 20),
    ):
        torch.manual_seed(0)
        net = FAMILIES["linear"](X)
        before = net.loss(X, X).item()
        assert way(net).loss(X, X).item() < before / 2 and not net.training


def test_a_loss_that_is_no_number_is_told():
    with pytest.raises(UserError, match="the loss of Autoencoder became"):
        fit(FAMILIES["deep"](X), lambda step: (X, X * torch.inf), Steps(2))
