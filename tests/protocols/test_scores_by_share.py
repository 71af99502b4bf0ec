"""Guards reproduce/protocols/scores_by_share.py and forecasters.py: all curves, whoever refuses some, on made-up curves."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.errors import UserError
from curvecast.scores.baselines import Gaussian
from reproduce.protocols import forecasters
from reproduce.protocols.forecasters import ChainsConfig
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import by_task, portions, scores

RISES = {n: 0.9 - 0.7 * np.arange(1.0, n + 1) ** -0.7 for n in (20, 31, 100)}


@pytest.fixture(scope="module")
def trials():
    """Made-up curves of three lengths and a falling loss."""
    found = [trial(y + 0.01 * np.sin(np.arange(n)), 0, 1, False) for n, y in RISES.items()]
    return [*found, trial(1 - RISES[20], 0, math.inf, True)]


def knows(y, ahead):
    """A flat density at .5, so that the scores can be told beforehand."""
    return Gaussian(torch.full((len(y), ahead), 0.5), torch.full((len(y), ahead), 0.1))


def test_every_curve_is_shown_once_at_every_share(trials):
    """With as many points as its own length tells, and all later ones to be forecast."""
    for share in SHARES:
        seen = {}
        for shown in portions(trials, share, at_once=2):
            for number, y, later in zip(shown.numbers, shown.y, shown.later, strict=True):
                seen[number] = torch.cat([y, later[~later.isnan()]]).numpy()
                assert len(y) == trials[number].cutoff(share)
        assert sorted(seen) == [0, 1, 2, 3]
        assert all(seen[i] == pytest.approx(one.seen) for i, one in enumerate(trials))


def test_scores_are_those_of_the_curve_alone(trials):
    """However many curves are asked at once, and whatever lengths they have."""
    together = scores(trials, {"knows": knows})["rows"].set_index(["curve", "seen"])
    alone = scores(trials[1:2], {"knows": knows}, at_once=1)["rows"].set_index(["curve", "seen"])
    for share in SHARES:
        assert together.loc[(1, share)].tolist()[1:] == pytest.approx(alone.loc[(0, share)].tolist()[1:])
    hidden = torch.tensor(trials[1].seen[trials[1].cutoff(40) :])
    expected = torch.distributions.Normal(0.5, 0.1).log_prob(hidden).mean()
    assert together.loc[(1, 40), "ll"] == pytest.approx(float(expected), rel=1e-5)
    off = np.abs(trials[1].values[trials[1].cutoff(40) :] - 0.5).mean()
    assert together.loc[(1, 40), "error"] == pytest.approx(off, rel=1e-6)


def test_who_is_refused_has_no_scores_and_takes_nobody_along(trials):
    """Even if the refusal comes for a whole portion."""

    def picky(y, ahead):
        if (y[:, 0] < 0.25).any():
            raise UserError("too low for me")
        return knows(y, ahead)

    rows = scores(trials, {"picky": picky})["rows"]
    refused = rows[rows["crps"].isna()]["curve"].unique().tolist()
    assert refused == [i for i, one in enumerate(trials) if one.seen[0] < 0.25] != []
    assert len(rows) == len(trials) * len(SHARES)


@pytest.mark.parametrize("kind", ["simple", "fits", "judge", "chains"])
def test_every_forecaster_forecasts_rising_curves(kind, trials):
    """All scores are finite; the judge and the chains are near what comes, since the prior holds such curves."""
    made = {
        "simple": forecasters.simple, "fits": forecasters.fits,
        "judge": lambda: {"exact": forecasters.exact_posterior(PosteriorConfig(20_000, 2, 16, 4, 20, 5), 0)},
        "chains": lambda: {"vector": forecasters.chains(ChainsConfig(30, 100, 10), 0)},
    }  # fmt: skip
    found = scores(trials[:2], made[kind]())["rows"]
    assert np.isfinite(found[["ll", "crps", "error", "in50", "in90"]].to_numpy()).all()
    if kind in ("judge", "chains"):
        assert found[found["seen"] == 40]["error"].max() < 0.1


def test_quantiles_of_drawn_values_are_those_of_the_cloud():
    """As near as a few thousand members allow."""
    generator = torch.Generator().manual_seed(0)
    cloud = forecasters.Cloud(torch.rand(1, 4000, 3, generator=generator), torch.full((1, 4000), 0.05))
    drawn = forecasters.Drawn(cloud, generator)
    for level in (0.05, 0.5, 0.95):
        assert drawn.quantile(level) == pytest.approx(cloud.quantile(level), abs=0.03)


def test_tasks_are_means_over_their_runs_that_learn():
    def run(task, y):
        return SimpleNamespace(task=task, values=y, low=0.0, high=1.0, minimise=False)

    flat = np.full(40, 0.2)
    runs = [run("a", RISES[20]), run("b", RISES[31]), run("b", RISES[100]), run("b", flat), run("c", flat)]
    found = by_task(runs, {"knows": knows})
    assert found["task"].unique().tolist() == ["a", "b"] and set(found["curves"][found["task"] == "b"]) == {2}
    alone = scores([trial(RISES[n], 0, 1, False) for n in (31, 100)], {"knows": knows})["rows"]
    means = alone.groupby("seen")["crps"].mean()
    assert found[found["task"] == "b"].set_index("seen")["crps"].tolist() == pytest.approx(
        means.tolist(), abs=1e-4
    )
