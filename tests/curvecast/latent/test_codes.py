"""Guards the codes of whole curves: what every one keeps to, and each against a closed form, scikit-learn or scipy."""

from itertools import islice

import numpy as np
import pytest
import scipy.linalg
import torch
from sklearn.decomposition import PCA, sparse_encode
from torch.distributions import Laplace, MultivariateNormal
from torch.nn.functional import normalize

from curvecast.curves import prior
from curvecast.latent.autoencoder import AutoencoderConfig, Contractive, jacobians, spectrum, tangents
from curvecast.latent.fit import OnCoordinates, Steps, fit, fit_at_once, of_gaussian, score
from curvecast.latent.principal import largest_angle, principal
from curvecast.latent.sparse import SparseConfig, cost, ista, steps_needed
from curvecast.latent.variational import VariationalConfig
from tests.curvecast.refusals import refuses

CURVES = prior.test_set(200).clean
FAMILIES = {  # every code, small enough to try: from curves (n, T) to a network before its training
    "linear": lambda x: AutoencoderConfig(3, width=0, start="random").network(principal(x, 8)),
    "deep": lambda x: AutoencoderConfig(3, width=32).network(principal(x, 8)),
    "contractive": lambda x: Contractive(x.mean(0), 64, weight=1e-4, scale=float(x.std())),
    "sparse": lambda x: SparseConfig(24, width=32).network(x.mean(0)),
    "variational": lambda x: VariationalConfig(3, width=32).network(principal(x, 8)),
}
EVERY = pytest.mark.parametrize("name", FAMILIES)


def code(name):
    torch.manual_seed(0)
    return FAMILIES[name](CURVES)


@EVERY
def test_a_code_is_a_row_of_numbers_for_each_curve_alone(name):
    net, x = code(name).double(), CURVES[:5].double()
    numbers = net.encode(x)
    assert numbers.ndim == 2 and net.decode(numbers).shape == (5, 100)
    assert torch.allclose(numbers, torch.cat([net.encode(one[None]) for one in x]), atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight(name):
    """After a first step: a bent part starts as zero, and what feeds it has no gradient before."""
    net = fit(code(name), lambda step: (CURVES, CURVES), Steps(1))
    net.loss(CURVES, CURVES).backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None and torch.isfinite(weight.grad).all() and weight.grad.any(), where


ATOMS = normalize(torch.randn(12, 20, generator=torch.Generator().manual_seed(0)).double(), dim=1)
X = torch.randn(6, 20, generator=torch.Generator().manual_seed(1)).double()


def test_a_training_that_diverges_is_told():
    wild = (CURVES, CURVES * torch.inf)
    refuses("the loss of Autoenc", lambda: fit(FAMILIES["deep"](CURVES), lambda step: wild, Steps(2)))


def test_components_are_those_of_scikit_learn():
    ours, theirs = principal(CURVES, 4), PCA(4).fit(CURVES.double().numpy())
    assert largest_angle(ours.directions, torch.from_numpy(theirs.components_)) < 0.01
    wanted = theirs.inverse_transform(theirs.transform(CURVES.double().numpy()))
    assert ours.decode(ours.encode(CURVES)).numpy() == pytest.approx(wanted, abs=1e-5)
    net = OnCoordinates(ours)  # which networks see and draw, not trained
    assert torch.equal(net.coordinates(CURVES), ours.encode(CURVES)) and not list(net.parameters())
    assert torch.allclose(net.curve(ours.encode(CURVES)), ours.decode(ours.encode(CURVES)), atol=1e-6)


def test_angles_are_those_of_scipy_and_exact_where_they_are_small():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 20))
    ours = largest_angle(torch.from_numpy(a), torch.from_numpy(b))
    assert ours.item() == pytest.approx(np.degrees(scipy.linalg.subspace_angles(a.T, b.T).max()))
    one, turned = torch.tensor([[1.0, 0, 0]]).double(), torch.tensor([[np.cos(1e-7), np.sin(1e-7), 0]])
    assert largest_angle(one, turned).item() == pytest.approx(np.degrees(1e-7), rel=1e-3)


def test_the_sign_of_a_direction_does_not_hang_on_the_decomposition(monkeypatch):
    ours, svd = principal(CURVES, 6).directions, torch.linalg.svd
    monkeypatch.setattr(torch.linalg, "svd", lambda *how, **more: [-part for part in svd(*how, **more)])
    assert torch.equal(principal(CURVES, 6).directions, ours)


@pytest.mark.slow
def test_a_linear_autoencoder_learns_the_subspace_of_principal_components():
    x = CURVES[:80].double()

    def angle():
        return largest_angle(principal(x, 2).directions, net.back.weight.T @ net.directions)

    torch.manual_seed(0)
    net = AutoencoderConfig(2, width=0, start="random").network(principal(x, 10)).double()
    assert angle() > 10
    fit_at_once(net, x, 250)
    assert angle() < 0.5


@pytest.mark.parametrize("width", [0, 16])
def test_before_training_an_autoencoder_is_the_best_linear_code(width):
    x = CURVES.double()
    net, linear = AutoencoderConfig(3, width=width).network(principal(x, 10)).double(), principal(x, 3)
    assert torch.allclose(net.decode(net.encode(x)), linear.decode(linear.encode(x)), atol=1e-9)


def test_each_row_has_its_own_jacobian_and_where_nothing_moves_a_singular_value_of_zero():
    def squares(x):
        return torch.stack([x[:, 0] ** 2, x[:, 0] * x[:, 1], 3 * x[:, 1]], 1)

    at = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
    assert jacobians(squares, at)[0].tolist() == [[2, 0], [2, 1], [0, 3]]
    assert torch.equal(tangents(squares, at), jacobians(squares, at).mT)
    assert torch.allclose(spectrum(squares, at), torch.linalg.svdvals(jacobians(squares, at)))
    assert spectrum(lambda x: x.sum(1, keepdim=True).expand(-1, 2), at)[:, 1].abs().max() < 1e-6


@pytest.mark.slow
def test_the_contractive_penalty_is_the_squared_norm_of_the_jacobian_and_contracts():
    torch.manual_seed(0)
    net, after = Contractive(CURVES.mean(0), 8, 1.0, scale=0.2), []
    theirs = jacobians(net.encode, CURVES[:5]).square().sum((1, 2)) * 0.2**2
    assert torch.allclose(net.penalty(net.encode(CURVES[:5])), theirs, rtol=1e-4)
    for weight in (0.0, 1e-2):
        torch.manual_seed(0)
        net = fit(Contractive(CURVES.mean(0), 32, weight, 0.2), lambda _: (CURVES, CURVES), Steps(200, 1e-2))
        after.append(net.penalty(net.encode(CURVES)).mean().item())
    assert after[1] < after[0] / 2


def test_the_score_is_the_gradient_of_the_noisy_log_density():
    covariance, mean = torch.tensor([[2.0, 0.5], [0.5, 1.0]]), torch.tensor([1.0, -1.0])
    noisy = covariance + 0.25 * torch.eye(2)
    gain, x = covariance @ torch.linalg.inv(noisy), torch.randn(6, 2).requires_grad_()
    (gradient,) = torch.autograd.grad(MultivariateNormal(mean, noisy).log_prob(x).sum(), x)
    assert torch.allclose(of_gaussian(mean, covariance, x, 0.5), gradient, atol=1e-5)
    assert torch.allclose(score(lambda z: mean + (z - mean) @ gain.T, x, 0.5), gradient, atol=1e-4)


def after(steps, penalty):
    return next(islice(ista(X, ATOMS, penalty, torch.zeros(6, 12).double()), steps, None))


def test_many_steps_reach_the_codes_of_scikit_learn_and_a_better_start_needs_fewer():
    theirs = sparse_encode(X.numpy(), ATOMS.numpy(), algorithm="lasso_cd", alpha=0.3, max_iter=10_000)
    assert torch.allclose(after(5_000, 0.3), torch.from_numpy(theirs), atol=1e-4)
    best = cost(X, after(5_000, 0.3), ATOMS, 0.3)
    cold, warm = (steps_needed(X, ATOMS, 0.3, after(start, 0.3), best, 0.01, 500) for start in (0, 20))
    assert (warm < cold).all() and (cold < 500).all()
    assert steps_needed(X, ATOMS, 0.3, after(0, 0.3), 0 * best, 0.01, 7).tolist() == [7] * 6


def test_more_of_a_code_is_zero_with_a_larger_penalty_which_is_a_laplace_law():
    shares = [(after(500, penalty) == 0).double().mean().item() for penalty in (0.0, 0.1, 0.5, 5.0)]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1
    h = after(50, 0.3)
    law = -Laplace(*torch.tensor([0, 1 / 0.3], dtype=torch.double)).log_prob(h).sum(1)
    penalty = cost(X, h, ATOMS, 0.3) - cost(X, h, ATOMS, 0.0)
    assert (law - penalty).std().item() == pytest.approx(0, abs=1e-12)  # up to a constant
