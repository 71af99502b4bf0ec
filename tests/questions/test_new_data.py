"""Guards ideas of the chapter New data: what a network is told, factors of scores, features of curves, leaks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves.laws.dice import Dice
from curvecast.ground.errors import UserError
from reproduce.new_data import _beside, _factors
from reproduce.new_data.missing_in_prior import features
from reproduce.new_data.told_schedule import planned_runs as planned
from reproduce.new_data.told_schedule import told_network
from reproduce.new_data.told_schedule.planned_runs import gained_by, planned_runs, time_by_rate
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import portions
from reproduce.trainings import TINY

# ------------------------------------------------------------------------------------------------------ told schedules


def dice(n: int) -> Dice:
    return Dice(n, torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def made():
    return planned_runs(400, 100, torch.Generator().manual_seed(0))


def test_planned_runs_have_no_numbers():
    """A training on them that asks for curves by number is refused."""
    with pytest.raises(UserError, match="planned runs"):
        told_network.training(replace(TINY["1x16"], draws="number"), told=True)


def test_planned_rates_are_those_of_their_shape(made):
    """They rise in a warm-up and never after it; a constant one stays, a cosine and a line come to nothing."""
    for number, name in enumerate(planned.SHAPES):
        rate = made.rate[made.shape == number].numpy()
        assert len(rate) > 40 and rate.min() > 0 and rate.max() <= 1
        rises = np.diff(rate, axis=1) > 1e-6
        assert not rises[:, 25:].any(), "longest warm-up is a fifth"
        if name == "constant":
            assert (rate[:, 25:] == 1).all()
        else:
            assert (rate[:, -1] < 0.6).all() and (name == "drops" or (rate[:, -1] < 0.15).all())


def test_a_rate_that_has_not_fallen_gains_nothing():
    """And one that has gains at most a share, after a while."""
    fallen = torch.zeros(200, 50)
    assert (gained_by(fallen, dice(200)) == 0).all()
    fallen[:, 20:] = 0.9
    gained = gained_by(fallen, dice(200))
    assert (gained[:, :20] == 0).all() and (gained.diff(dim=1) >= -1e-6).all() and gained.max() < 0.9
    assert gained[:, -1].mean() > 0.1


def test_time_stands_still_without_a_rate():
    """Where it counts by rates, and nowhere does it run back."""
    rate = torch.ones(100, 30)
    rate[:, 15:] = planned.LEAST
    clock = time_by_rate(rate, dice(100))
    assert (clock[:, 0] == 1).all() and (clock.diff(dim=1) >= 0).all()
    assert ((clock[:, -1] - clock[:, 14]) < 0.01).any() and (clock[:, 14] - 15).abs().max() < 1e-4


@pytest.mark.parametrize("told", [True, False])
def test_the_network_that_is_told_reads_the_plan_and_the_other_does_not(told):
    """Another rate at an epoch ahead is another forecast of it, and of no other epoch."""
    net = told_network.training(TINY["1x16"], told).network().eval()
    made = planned_runs(3, 30, torch.Generator().manual_seed(1))
    x = told_network.epochs(made.rate)
    changed = x.clone()
    changed[:, 20, 1] = 0.5 * x[:, 20, 1]
    first, other = (
        net.density(x[:, :10], made.y[:, :10], each[:, 10:]).quantile(0.3) for each in (x, changed)
    )
    differs = (first != other).any(0)
    assert differs[10].item() == told and not differs[torch.arange(20) != 10].any()


# ---------------------------------------------------------------------------------------- what is known beside a curve

LENGTHS = (20, 21, 30)
KNOWN = [np.stack([np.arange(n) + 100.0 * i, np.full(n, i)], 1) for i, n in enumerate(LENGTHS)]


@pytest.fixture(scope="module")
def trials():
    """Made-up curves."""
    return [trial(0.9 - 0.7 * np.arange(1.0, n + 1) ** -0.7, 0, 1, False) for n in LENGTHS]


def test_each_point_has_what_is_known_of_it(trials):
    """Whatever lengths are shown at once; behind an end the last is repeated."""
    for share in SHARES:
        for shown in portions(trials, share):
            seen, ahead = _beside.beside(KNOWN, shown)
            assert seen.shape[:2] == shown.y.shape and ahead.shape[:2] == shown.later.shape
            for place, number in enumerate(shown.numbers):
                every = torch.cat([seen, ahead], 1)[place].numpy()
                assert every[: LENGTHS[number]] == pytest.approx(KNOWN[number])
                assert (every[LENGTHS[number] :] == KNOWN[number][-1]).all()


@pytest.mark.parametrize("minimise", [False, True])
def test_too_low_is_above_nothing_where_a_run_ends_better_than_the_median(minimise):
    """Better is higher for a score and lower for an error."""
    rising = np.linspace(0.2, 0.8, 20)
    one = trial(1 - rising if minimise else rising, 0, 1, minimise)
    assert _beside.too_low(one, np.full((19, 12), 0.5)) == pytest.approx(rising[-4:].mean() - 0.5)


# ------------------------------------------------------------------------------------------------ factors and features


def made_up_scores(scores: dict[str, float], curves: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size = rng.uniform(0.01, 10, curves)  # units differ from curve to curve
    return pd.DataFrame(
        [("r", i, 10, method, f"group {i // 2}" if curves > 15 else f"{i}", size[i] * score)
         for method, score in scores.items() for i in range(curves)],
        columns=["row", "curve", "seen", "method", "group", "crps"],
    )  # fmt: skip


def test_a_factor_knows_no_unit():
    """Half the score on every curve is a factor of a half, with an interval of no width."""
    assert _factors.factor(made_up_scores({"a": 0.5, "b": 1.0}), "a", "b") == pytest.approx(
        (0.5, 0.5, 0.5), rel=1e-3
    )


def test_a_score_of_nothing_is_no_infinite_factor():
    found = made_up_scores({"a": 0.0, "b": 1.0})
    assert _factors.factor(found, "a", "b").value == pytest.approx(1 / _factors.FAR)
    assert _factors.factor(found, "a", "a").value == pytest.approx(1)


def test_one_group_alone_has_no_ends():
    """Its mean or median is told."""
    values = pd.Series([1.0, 2.0, 6.0])
    assert _factors.over_groups(values, pd.Series(["a"] * 3)) == pytest.approx(
        (3, np.nan, np.nan), nan_ok=True
    )
    middle = _factors.over_groups(values, pd.Series(["a"] * 3), "median")
    assert middle == pytest.approx((2, np.nan, np.nan), nan_ok=True)
    assert np.isfinite(_factors.over_groups(values, pd.Series(["a", "b", "b"]))).all()


N = 60
NOISE = np.random.default_rng(0).standard_normal(N)


def remembered(share: float) -> np.ndarray:
    r = NOISE.copy()
    for i in range(1, N):
        r[i] += share * r[i - 1]
    return r


def test_memory_and_slow_waves_are_those_of_the_noise():
    """Independent noise has neither; noise that remembers has both."""
    assert abs(features.memory(NOISE)) < 0.3 and features.waves(NOISE) < 0.35
    assert features.memory(remembered(0.9)) > 0.6 and features.waves(remembered(0.9)) > 0.5
    assert features.waves(np.cos(np.pi * 2 * (np.arange(N) + 0.5) / N)) == pytest.approx(1)


def test_a_few_wild_points_are_tails():
    wild = NOISE.clip(-2, 2)
    assert features.tails(wild) == 0
    wild[[5, 30, 50]] = 15
    assert features.tails(wild) == pytest.approx(3 / N)


def test_a_jump_is_one_whether_it_lasts_or_not_and_a_drift_is_none():
    drift = NOISE + np.arange(N)
    assert features.jump(drift) < 6 < features.jump(drift + 20 * (np.arange(N) > 30))
