"""Guards network.py and what it stands on in numpy: the same as torch and scipy say, wherever the mixture lies.

The released network's own forecasts are compared in questions/test_practice.py and browser/test_live_engine.py.
"""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch
from scipy import special

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import network, normal_law, shipped, torch_network
from curvecast.forecasting.density import Buckets, Density
from curvecast.ground import weights_file
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.mixture import MixtureBars
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour

X = np.tile(np.arange(1.0, 101), (100, 1))
Y = prior.test_set(100).noisy.clamp(0, 1).double().numpy()


def in_numpy(path, kind):
    state, info = weights_file.read(path)
    numbers = {key: value.astype(kind) for key, value in state.items()}
    return network.Network(json.loads(info["config"])["model"], numbers)


@pytest.mark.parametrize("name", shipped.BY_NAME)
@pytest.mark.parametrize(("kind", "allowed"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_runs_with_holes_are_read_as_torch_reads_them(name, kind, allowed):
    path, rng = shipped.BY_NAME[name], np.random.default_rng(0)
    ours, theirs = in_numpy(path, kind), torch_network.load(path).model.double()
    for seen in (1, 20):
        mask = rng.random((100, seen)) < 0.6
        mask[:, -1] = True
        y = np.where(mask, Y[:, :seen], np.nan)  # what is hidden never enters
        given = X[:, :seen], y, X[:, seen::9], mask
        found, expected = ours.density(*given), theirs.density(*map(torch.from_numpy, given))
        for part in ("log_w", "means", "scales"):
            mine, their = getattr(found, part), getattr(expected, part).numpy()
            mine, their = (np.exp(one) if part == "log_w" else one for one in (mine, their))
            assert np.abs(mine - their).max() < allowed, (seen, part)


@pytest.fixture(scope="module")
def of_the_paper():
    """The paper's own recipe, which numpy does not repeat."""
    torch.manual_seed(0)
    borders = make_borders(BarsConfig(buckets=100, curves=500), PriorConfig())
    return torch_network.TorchNetwork(PFN(ModelConfig.paper(16, 2), borders).eval())


def test_it_repeats_the_code_of_today_and_knows_which_networks_it_can_ask():
    """Who raises a BEHAVIOUR of torch's network must look at that of numpy."""
    today = behaviour(TrainConfig())
    assert {part: today[part] for part in network.BEHAVIOUR} == network.BEHAVIOUR
    can = ModelConfig(), ModelConfig(features="spread"), ModelConfig(512, 12, 8)
    cannot = ModelConfig(head="bars"), ModelConfig(norm="post"), ModelConfig.paper(128, 3)
    assert [network.can_ask(asdict(config)) for config in (*can, *cannot)] == [True] * 3 + [False] * 3


def test_all_answers_of_a_network_of_torch_are_arrays(of_the_paper):
    density = of_the_paper.density(X[:1, :10], Y[:1, :10], X[:1, 10:20])
    whole = density.quantile(0.3)
    assert isinstance(whole, np.ndarray)
    for ask in ("cdf", "exceeds", "log_density"):
        assert getattr(density, ask)(np.full((1, 10), 0.5)).shape == (1, 10)
    assert np.allclose(density[0, 2:4].quantile(0.3), whole[0, 2:4])
    assert np.allclose(density[0][np.array([3, 1])].quantile(0.3), whole[0, [3, 1]])
    some = np.arange(10) != 4
    hidden = of_the_paper.density(X[:1, :10], Y[:1, :10], X[:1, 10:20], some[None])
    left = of_the_paper.density(X[:1, :10][:, some], Y[:1, :10][:, some], X[:1, 10:20])
    assert np.allclose(hidden.quantile(0.3), left.quantile(0.3), atol=1e-5)
    with torch.autocast("cpu", torch.bfloat16):
        again = of_the_paper.density(X[:1, :10], Y[:1, :10], X[:1, 10:20])
    assert np.array_equal(again.quantile(0.3), whole)


BORDERS = make_borders(BarsConfig(), PriorConfig()).double()
# and centres
WIDTHS = {"narrow": (0.001, 0.5), "usual": (0.05, 0.5), "wide": (1.0, 0.5), "outside": (0.1, 1.5)}
PLACES = np.broadcast_to([-2.0, -0.3, 0.0, 0.2, 0.5, 0.500001, 0.9, 1.0, 1.4, 3.0], (4, 10)).copy()


def mixtures(width, centre):
    """Of 4 x 10 queries, 10 components each."""
    rng = np.random.default_rng(0)
    log_w = np.log(rng.dirichlet(np.ones(10), (4, 10)))
    return log_w, centre + width * rng.normal(size=(4, 10, 10)), width * rng.uniform(0.3, 3, (4, 10, 10))


@pytest.mark.parametrize("name", WIDTHS)
def test_a_density_answers_as_that_of_torch(name):
    parts = mixtures(*WIDTHS[name])
    ours = Density(Buckets(BORDERS.numpy()), *parts)
    theirs = MixtureBars(BORDERS, *map(torch.from_numpy, parts))
    for level in (1e-6, 0.05, 0.5, 0.999999):
        assert np.allclose(ours.quantile(level), theirs.quantile(level), atol=1e-9)
    for ask in ("cdf", "exceeds"):
        expected = getattr(theirs, ask)(torch.from_numpy(PLACES)).numpy()
        assert np.allclose(getattr(ours, ask)(PLACES), expected, rtol=1e-6, atol=1e-12)
    inside = ours.quantile(np.linspace(0.001, 0.999, 10))  # a level for each query
    assert np.allclose(ours.cdf(inside), np.linspace(0.001, 0.999, 10), atol=1e-9)
    expected = theirs.log_density(torch.from_numpy(inside)).numpy()
    assert np.allclose(ours.log_density(inside), expected, atol=1e-7)
    far = ours.log_density(np.full((4, 10), 50.0))  # beyond all components: left to the floor
    assert np.isfinite(far).all() and (far < -60).all()
    together = ours.quantile(np.array([0.1, 0.9])[:, None, None])  # several for all queries
    assert together.shape == (2, 4, 10) and np.allclose(together[1], ours.quantile(0.9), atol=1e-12)
    assert np.array_equal(ours[1, 2:4].quantile(0.3), ours.quantile(0.3)[1, 2:4])


@pytest.mark.parametrize(("kind", "end", "digits"), [(np.float32, 9.0, 1e-5), (np.float64, 26.0, 1e-13)])
def test_the_normal_law_keeps_its_digits_from_end_to_end(kind, end, digits):
    x = np.linspace(-6, end, 20_001).astype(kind)
    found = normal_law.erfc(x)
    assert found.dtype == kind and np.allclose(found, special.erfc(x.astype(float)), rtol=digits, atol=0)
    assert normal_law.erfc(np.array([-np.inf, np.inf], kind)).tolist() == [2, 0]
    z = np.linspace(-30, 8, 1001)
    assert np.allclose(normal_law.below(z), special.ndtr(z), rtol=1e-12, atol=0)
    ends = 10.0 ** -np.arange(1, 300, 7), np.linspace(0.001, 0.999, 1001), 1 - 10.0 ** -np.arange(1, 16)
    share = np.concatenate(ends)
    assert np.allclose(normal_law.quantile(share), special.ndtri(share), rtol=1e-10, atol=1e-13)
    assert normal_law.quantile(np.array([0.0, 0.5, 1.0])).tolist() == [-np.inf, 0, np.inf]


@pytest.mark.parametrize("n", [1, 2, 3, 10, 99])
def test_sums_of_squares_exceed_as_chi_square_has_it(n):
    total = np.concatenate([[0.0, 1e-9], np.linspace(0.1, 400, 300)])
    expected = special.gammaincc(n / 2, total / 2)
    assert np.allclose(normal_law.squares_exceed(n, total), expected, rtol=1e-11, atol=0)


@pytest.mark.parametrize(
    ("name", "exact"),
    [("gelu", torch.nn.functional.gelu), ("roughly_below", torch.special.ndtr)],
    ids=["gelu", "below"],
)
def test_a_table_of_straight_lines_is_right_to_the_sixth_digit_and_exact_in_float64(name, exact):
    x = np.concatenate([np.linspace(-8, 8, 100_001), [-1e6, -100, 100, 1e6]])
    for given in (x, np.random.default_rng(0).normal(size=(7, 130, 41)).transpose(2, 0, 1)):
        expected = exact(torch.from_numpy(given.copy())).numpy()
        assert np.allclose(getattr(normal_law, name)(given), expected, rtol=1e-12, atol=1e-15)
        found = getattr(normal_law, name)(given.astype(np.float32))
        assert found.dtype == np.float32 and np.allclose(found, expected, rtol=1e-6, atol=1e-6)
