"""Guards curvecast/latent/principal.py against scikit-learn and scipy."""

import numpy as np
import pytest
import scipy.linalg
import torch
from sklearn.decomposition import PCA

from curvecast.curves import prior
from curvecast.latent.principal import largest_angle, principal, rms

X = prior.test_set(300).clean


def test_components_are_those_of_scikit_learn():
    ours, theirs = principal(X, 4), PCA(4).fit(X.double().numpy())
    assert largest_angle(ours.directions, torch.from_numpy(theirs.components_)) < 0.01
    assert ours.decode(ours.encode(X)).numpy() == pytest.approx(
        theirs.inverse_transform(theirs.transform(X.double().numpy())), abs=1e-5
    )


def test_angles_are_those_of_scipy_and_exact_where_they_are_small():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 20))
    ours = largest_angle(torch.from_numpy(a), torch.from_numpy(b))
    assert ours.item() == pytest.approx(np.degrees(scipy.linalg.subspace_angles(a.T, b.T).max()))
    turned = torch.tensor([[np.cos(1e-7), np.sin(1e-7), 0]])
    assert largest_angle(torch.tensor([[1.0, 0, 0]]).double(), turned).item() == pytest.approx(
        np.degrees(1e-7), rel=1e-3
    )


def test_all_components_lose_nothing_and_fewer_lose_more():
    x = X[:, :6]
    codes = [principal(x, k) for k in range(1, 7)]
    left = [rms(code.decode(code.encode(x)), x).mean().item() for code in codes]
    assert left == sorted(left, reverse=True) and left[-1] < 1e-6
    assert torch.equal(principal(x, 5).first(2).directions, principal(x, 5).directions[:2])


def test_the_sign_of_a_direction_does_not_hang_on_the_decomposition(monkeypatch):
    ours, svd = principal(X, 6).directions, torch.linalg.svd
    monkeypatch.setattr(torch.linalg, "svd", lambda *how, **more: [-part for part in svd(*how, **more)])
    assert torch.equal(principal(X, 6).directions, ours)
