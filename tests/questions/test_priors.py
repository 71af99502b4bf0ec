"""Guards the chapter on priors: names that belong to their curves, one grid of buckets, Holm's rule."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import torch

from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.prior import Curves
from curvecast.ground import weights
from curvecast.ground.config import restore
from curvecast.tables import released
from curvecast.tables.training import TableTraining
from curvecast.training.train import Forecaster
from reproduce.priors import small_tables
from reproduce.priors._distance_to_exact import compared, distances
from reproduce.protocols.beliefs import MEASURED, MIXED, NAMED, Networks, OneGrid, WithNames, beside
from reproduce.protocols.holm import clearly_above, p_value

HOW = Networks(("paper", NAMED), "1x8", 256, (0, 1), ("lcdb11", "taskset"))


@dataclass(frozen=True)
class Level:
    """All values of all curves are one number."""

    level: float
    length: int = 100

    def sample(self, n, generator):
        y = torch.full((n, self.length), self.level)
        return Curves(y, y, torch.zeros(n))

    def behaviour(self):
        return {}


def test_the_name_beside_an_epoch_is_the_prior_of_the_curve():
    """In every group of several steps: a curve of prior k lies at level k."""
    levels = Mixture((Level(0.0), Level(1.0), Level(2.0)), (0.2, 0.3, 0.5))
    config: WithNames = replace(HOW.training(f"{NAMED}-0"), prior=levels)
    for step in (0, 1, 70):
        for group in config.batches(step, "cpu"):
            assert torch.equal(group.x[..., 1], group.y) and torch.equal(group.x_query[..., 1], group.y_query)
            assert torch.equal(group.x[0, :, 0], torch.arange(1.0, group.x.shape[1] + 1))


def test_a_network_that_is_given_a_name_uses_it_and_nothing_else_is_different():
    """With the vectors of all names zero it is the PFN of the same weights; with them, names matter."""
    named = HOW.training(f"{NAMED}-0").network().eval()
    plain = HOW.training("paper-0").network().eval()
    plain.load_state_dict(named.state_dict(), strict=False)
    x, y = torch.arange(1.0, 9).expand(3, -1), torch.rand(3, 5, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        one, other = (named(beside(x[:, :5], which), y, beside(x[:, 5:], which)) for which in torch.eye(2, 3))
        apart = (one - other).abs().amax((1, 2))  # the third curve has one name both times
        assert (apart > 1e-3).tolist() == [True, True, False]
        named.name.weight.zero_()
        nameless = named(beside(x[:, :5], torch.zeros(3)), y, beside(x[:, 5:], torch.zeros(3)))
        assert torch.allclose(nameless, plain(x[:, :5], y, x[:, 5:]), atol=1e-6)


def test_all_networks_divide_scores_alike():
    """Their densities would otherwise have different resolutions."""
    borders = [HOW.training(f"{name}-0").network().borders for name in ("paper", "laws", MIXED, NAMED)]
    assert all(torch.equal(borders[0], other) for other in borders[1:])
    assert torch.equal(borders[0], OneGrid(**vars(HOW.training("graph-1"))).network().borders)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CURVECAST_DATA", raising=False)
        assert torch.equal(borders[0], HOW.training(f"{MEASURED}-0").network().borders)


def test_holms_rule():
    """Of p = .01, .04, .03 and .005 the first and the last stay clear: .03 times 2 is above .05, and .04 falls with it."""
    found = {p: differences(scipy.stats.t.isf(p / 2, 9)) for p in (0.01, 0.04, 0.03, 0.005)}
    assert all(abs(p_value(one) - p) < 1e-9 for p, apart in found.items() for one in (apart, apart.T))
    assert clearly_above(found) == {0.01: True, 0.04: False, 0.03: False, 0.005: True}
    assert clearly_above({"below": -differences(20.0)}) == {"below": False}


def differences(t):
    """Ten curves and two seeds that agree, whose mean lies t standard errors above zero."""
    values = np.arange(10.0) - 4.5
    return pd.DataFrame([values + t * values.std(ddof=1) / 10**0.5] * 2)


def test_the_weights_that_come_along_are_those_that_were_scored():
    """The header holds the settings of the published training."""
    _, info = weights.read(released.PATH)
    assert restore(TableTraining, json.loads(info["config"])) == small_tables.SCALES["paper"].network


def test_the_loss_exceeds_the_entropy_by_the_divergence():
    """On average over futures of the prior, ln p - ln q is KL(p || q), whatever the network."""
    prior = GaussianProcess(40)
    config = replace(HOW.training("process-0"), prior=prior, grid=prior)
    network = Forecaster(config, config.network().eval(), [])
    y, later = prior.sample(400, torch.Generator().manual_seed(0)).noisy, torch.tensor([9.0, 20.0, 40.0])
    [(_, kl, gap)] = compared([network], y, 5, later, 300)
    excess = (gap - kl).mean(1)
    assert kl.mean() > 0.1 and abs(excess.mean()) < 4 * excess.std() / 20
    assert distances([network], y[:25], (5,), 2, 60)["curve"].tolist() == list(range(25))  # in two portions
