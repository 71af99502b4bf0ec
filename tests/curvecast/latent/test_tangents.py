"""Guards curvecast/latent/tangents.py: Jacobians of a map that is known."""

import torch

from curvecast.latent.tangents import jacobians, spectrum, tangents


def squares(x):
    return torch.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], 3 * x[:, 1]], 1)


AT = torch.tensor([[1.0, 2.0], [0.0, 1.0]])


def test_each_row_has_its_own_jacobian():
    assert jacobians(squares, AT)[0].tolist() == [[2, 0], [2, 1], [0, 3]]
    assert torch.equal(tangents(squares, AT), jacobians(squares, AT).mT)


def test_a_direction_along_which_nothing_moves_has_a_singular_value_of_zero():
    found = spectrum(squares, AT)
    assert found.shape == (2, 2) and found[0, 1] > 0.1
    assert spectrum(lambda x: x.sum(1, keepdim=True).expand(-1, 2), AT)[:, 1].abs().max() < 1e-6
