"""Guards the chapter on priors: names that belong to their curves, one grid of buckets, small tables, and maps that keep a
density a density."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import torch

from curvecast.curves.other_priors.gaussian_process import GaussianProcess
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.prior import Curves, second_test_set
from curvecast.ground import weights
from curvecast.ground.config import restore
from curvecast.tables import training
from curvecast.tables.training import TableTraining
from curvecast.training.train import Forecaster
from reproduce.priors import _rivals, _tables, damaged_curves, small_tables
from reproduce.priors._passes import Asked, Maps, passes, together
from reproduce.priors._tables import Split
from reproduce.priors.what_it_converges_to import compared, distances
from reproduce.protocols import beliefs
from reproduce.protocols.beliefs import MEASURED, MIXED, NAMED, Networks, OneGrid, WithNames
from reproduce.trainings import TINIEST

HOW = Networks(("paper", NAMED), "1x8", 256, (0, 1), ("lcdb11", "taskset"))
STRONG = Maps(edge=0.4, power=0.9, bent=1.0)
MAPS = [STRONG.drawn(3, torch.Generator().manual_seed(seed)) for seed in range(3)]
Y = second_test_set(20).noisy


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
    config: WithNames = replace(HOW.training(NAMED), prior=levels)
    for step in (0, 1, 70):
        for group in config.batches(step, "cpu"):
            assert torch.equal(group.x[..., 1], group.y) and torch.equal(group.x_query[..., 1], group.y_query)
            assert torch.equal(group.x[0, :, 0], torch.arange(1.0, group.x.shape[1] + 1))


def test_all_networks_divide_scores_alike():
    """Their densities would otherwise have different resolutions."""
    borders = [HOW.training(name).network().borders for name in ("paper", "laws", MIXED, NAMED)]
    assert all(torch.equal(borders[0], other) for other in borders[1:])
    assert torch.equal(borders[0], OneGrid(**vars(HOW.training("graph", 1))).network().borders)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CURVECAST_DATA", raising=False)
        assert torch.equal(borders[0], HOW.training(MEASURED).network().borders)


def test_the_weights_that_come_along_are_those_that_were_scored():
    """The header holds the settings of the published training."""
    _, info = weights.read(training.PATH)
    assert restore(TableTraining, json.loads(info["config"])) == small_tables.SCALES["paper"].network


def test_the_loss_exceeds_the_entropy_by_the_divergence():
    """On average over futures of the prior, ln p - ln q is KL(p || q), whatever the network."""
    prior = GaussianProcess(40)
    config = replace(HOW.training("process"), prior=prior, grid=prior)
    network = Forecaster(config, config.network().eval(), [])
    y, later = prior.sample(400, torch.Generator().manual_seed(0)).noisy, torch.tensor([9.0, 20.0, 40.0])
    [(_, kl, gap)] = compared([network], y, 5, later, 300)
    excess = (gap - kl).mean(1)
    assert kl.mean() > 0.1 and abs(excess.mean()) < 4 * excess.std() / 20
    assert distances([network], y[:25], (5,), 2, 60)["curve"].tolist() == list(range(25))  # in two portions


def test_tables_are_what_their_sources_say():
    """At most ten columns, none of which is the label; of the Titanic 1045 whole rows, where women survived."""
    for name in _tables.TABLES:
        x, y = _tables.table(name)
        assert x.shape[1] <= 10 and set(y) == set(range(y.max() + 1))
        assert all(abs(np.corrcoef(column, y)[0, 1]) < 0.99 for column in x.T), name
    x, y = _tables.table("titanic")
    assert len(x) == 1045 and x[y == 1, 1].mean() > 0.5
    assert _tables.most_spread(np.outer([1, -1], np.arange(12)))[0].tolist() == list(range(2, 12))


@pytest.fixture(scope="module")
def untrained() -> Forecaster:
    return Forecaster(TINIEST["1x8"], TINIEST["1x8"].network().eval(), [])


def asked(y_query: torch.Tensor) -> Asked:
    """The beginnings of three curves, asked for one later epoch at several values."""
    x, x_query = torch.arange(1.0, 11).expand(3, -1), torch.full((3, len(y_query)), 50.0)
    return x, Y[:3, :10], x_query, y_query.expand(3, -1)


def test_every_pass_is_a_density_and_so_is_their_average(untrained):
    """Without the slope of its map a pass would not integrate to one."""
    grid = torch.linspace(-3, 4, 14_001)
    found = passes(untrained, asked(grid), MAPS)  # (M, B, Q)
    for log_density in (*found, together(found)):
        mass = log_density.double().exp().sum(-1) * (grid[1] - grid[0])  # (B,)
        assert ((mass - 1).abs() < 5e-3).all()


def test_values_that_are_left_out_play_no_part(untrained):
    there = damaged_curves.at_random(Y[:, :10], 0.4, torch.Generator().manual_seed(0))
    shown = damaged_curves.Shown(damaged_curves.RANDOM, 0.4, damaged_curves.LEFT_OUT, Y[:, :10], there)
    same = damaged_curves.scores(untrained, shown._replace(y=Y[:, :10].where(there, torch.nan)), Y, 4)
    assert same.equals(damaged_curves.scores(untrained, shown, Y, 4))


def test_a_rival_is_tuned_where_rows_are_few_and_a_class_has_none():
    """Eight rows of ten have at most eight neighbours, and the class in between has no chance."""
    x, y = np.arange(10.0)[:, None], np.repeat([0, 1, 2], [5, 0, 5])
    p = _rivals.probabilities("neighbours", True, Split(x, y, x, y), 0)
    assert p[:, 1].max() == 0 and (p.argmax(1) == y).all()


def test_holms_rule():
    """Of p = .01, .04, .03 and .005 the first and the last stay clear: .03 times 2 is above .05, and .04 falls with it."""
    found = {p: differences(scipy.stats.t.isf(p / 2, 9)) for p in (0.01, 0.04, 0.03, 0.005)}
    assert all(abs(beliefs.p_value(one) - p) < 1e-9 for p, apart in found.items() for one in (apart, apart.T))
    assert beliefs.clearly_above(found) == {0.01: True, 0.04: False, 0.03: False, 0.005: True}
    assert beliefs.clearly_above({"below": -differences(20.0)}) == {"below": False}


def differences(t):
    """Ten curves and two seeds that agree, whose mean lies t standard errors above zero."""
    values = np.arange(10.0) - 4.5
    return pd.DataFrame([values + t * values.std(ddof=1) / 10**0.5] * 2)
