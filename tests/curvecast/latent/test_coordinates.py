"""Guards curvecast/latent/coordinates.py: what networks see of a curve is its principal code."""

import pytest
import torch

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from curvecast.latent.coordinates import OnCoordinates
from curvecast.latent.principal import principal

X = prior.test_set(50).clean


def test_coordinates_are_those_of_principal_components_and_lead_back():
    basis = principal(X, 4)
    net = OnCoordinates(basis)
    assert torch.equal(net.coordinates(X), basis.encode(X))
    assert torch.allclose(net.curve(net.coordinates(X)), basis.decode(basis.encode(X)), atol=1e-6)


def test_they_are_saved_with_the_network_and_not_trained():
    net = OnCoordinates(principal(X, 4))
    assert set(net.state_dict()) == {"mean", "directions", "spread"} and not list(net.parameters())


def test_a_curve_with_a_gap_is_refused():
    with pytest.raises(UserError, match="fill its gaps"):
        OnCoordinates(principal(X, 4)).coordinates(X.masked_fill(X.isclose(X.max()), torch.nan))
