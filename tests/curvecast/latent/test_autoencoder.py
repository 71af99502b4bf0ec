"""Guards curvecast/latent/autoencoder.py: a linear one is principal components, and a bent one starts there."""

import pytest
import torch

from curvecast.curves import prior
from curvecast.latent.autoencoder import AutoencoderConfig
from curvecast.latent.fit import fit_at_once
from curvecast.latent.principal import largest_angle, principal

X = prior.test_set(80).clean.double()


def test_a_linear_autoencoder_learns_the_subspace_of_principal_components():
    """From random weights: it finds the space, though not the axes in it."""
    torch.manual_seed(0)
    net = AutoencoderConfig(2, width=0, start="random").network(principal(X, 10)).double()
    assert largest_angle(principal(X, 2).directions, spanned(net)) > 10
    net = fit_at_once(net, X, 250)
    assert largest_angle(principal(X, 2).directions, spanned(net)) < 0.5


def spanned(net):
    return net.back.weight.T @ net.directions


@pytest.mark.parametrize("width", [0, 16])
def test_before_training_it_is_the_best_linear_code(width):
    net = AutoencoderConfig(3, width=width).network(principal(X, 10)).double()
    linear = principal(X, 3)
    assert torch.allclose(net.decode(net.encode(X)), linear.decode(linear.encode(X)), atol=1e-9)
