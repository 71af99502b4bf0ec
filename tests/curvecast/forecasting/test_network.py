"""Guards curvecast/forecasting/network.py: what the networks that ship say, they say in numpy as in torch."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch

from curvecast.curves import prior
from curvecast.forecasting import network, shipped, torch_network
from curvecast.ground import weights_file
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour

CURVES = 400
X = np.tile(np.arange(1.0, 101), (CURVES, 1))
PATHS = {"shipped": shipped.PATH, "old": shipped.BY_NAME["paper-prior"]}


@pytest.fixture(scope="module", params=PATHS)
def path(request):
    return PATHS[request.param]


@pytest.fixture(scope="module")
def curves():
    return prior.test_set(CURVES).noisy.clamp(0, 1).numpy()


def cases():
    """Runs seen up to an epoch, whole or with holes."""
    rng = np.random.default_rng(0)
    for seen in (1, 2, 10, 37, 80):
        yield seen, None
        mask = rng.random((CURVES, seen)) < 0.5
        mask[:, -1] = True
        yield seen, mask


def in_numpy(path, kind):
    state, info = weights_file.read(path)
    return network.Network(
        json.loads(info["config"])["model"], {key: value.astype(kind) for key, value in state.items()}
    )


def parts(density, library):
    return [np.asarray(part) for part in (library.exp(density.log_w), density.means, density.scales)]


def test_float32_is_that_of_torch(path, curves):
    """Weights, means and scales to 1e-5, log densities to 1e-5 on average and 1e-3 at worst: on four thousand runs.

    Of torch in float64, for its float32 is itself up to 2e-5 away from that.
    """
    ours, theirs = in_numpy(path, np.float32), torch_network.load(path).model.double()
    apart, logs = [], []
    for seen, mask in cases():
        given = X[:, :seen], curves[:, :seen].astype(float), X[:, seen::9]
        found = ours.density(*given, mask)
        expected = theirs.density(
            *map(torch.from_numpy, given), None if mask is None else torch.from_numpy(mask)
        )
        pairs = zip(parts(found, np), parts(expected, torch), strict=True)
        apart.append([np.abs(mine - their).max() for mine, their in pairs])
        later = curves[:, seen::9]
        logs.append(
            np.abs(
                found.log_density(later) - expected.log_density(torch.from_numpy(later).double()).numpy()
            ).ravel()
        )
    assert np.max(apart, 0).max() < 1e-5
    assert np.concatenate(logs).mean() < 1e-5 and np.concatenate(logs).max() < 1e-3


def test_float64_is_that_of_torch_to_the_ninth_digit(path, curves):
    ours, theirs = in_numpy(path, np.float64), torch_network.load(path).model.double()
    seen, (rng, few) = 20, (np.random.default_rng(0), slice(0, 100))
    mask = rng.random((100, seen)) < 0.7
    mask[:, 0] = True
    given = X[few, :seen], curves[few, :seen].astype(float), X[few, seen:], mask
    found, expected = ours.density(*given), theirs.density(*map(torch.from_numpy, given))
    for mine, their in zip(parts(found, np), parts(expected, torch), strict=True):
        assert np.abs(mine - their).max() < 1e-9


def test_hidden_values_never_enter(path, curves):
    """Whatever they are, NaN too."""
    ours = in_numpy(path, np.float32)
    mask = np.arange(10) != 4
    y = curves[:1, :10].copy()
    whole = ours.density(X[:1, :10], y, X[:1, 10:], mask[None])
    y[0, 4] = np.nan
    again = ours.density(X[:1, :10], y, X[:1, 10:], mask[None])
    left = ours.density(X[:1, :10][:, mask], y[:, mask], X[:1, 10:])
    assert np.array_equal(whole.means, again.means)
    assert np.allclose(whole.means, left.means, atol=1e-5)


def test_it_repeats_the_code_of_today():
    """Who raises a BEHAVIOUR of torch's network must look at that of numpy."""
    today = behaviour(TrainConfig())
    assert {part: today[part] for part in network.BEHAVIOUR} == network.BEHAVIOUR


@pytest.mark.parametrize(
    ("config", "can"),
    [
        (ModelConfig(), True),
        (ModelConfig(features="spread"), True),
        (ModelConfig(512, 12, 8), True),
        (ModelConfig(head="bars"), False),
        (ModelConfig(norm="post"), False),
        (ModelConfig.paper(128, 3), False),
    ],
)
def test_it_knows_which_networks_it_can_ask(config, can):
    assert network.can_ask(asdict(config)) is can
