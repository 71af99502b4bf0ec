"""Guards reproduce/reproduction/time_to_accuracy/: a method arrives when it is as good as the network on the same curves."""

import math

import numpy as np
import pandas as pd
import pytest

from curvecast.curves import prior
from reproduce.reproduction._crossing import enough
from reproduce.reproduction.time_to_accuracy import question, runs
from reproduce.reproduction.time_to_accuracy.crossing import slowdown

LOG = np.log([1.0, 10.0, 100.0])


def test_between_two_lengths_the_line_is_straight_in_the_logarithm_of_time():
    assert enough(LOG, np.array([-2.0, -1.0, 1.0])) == pytest.approx(10 * math.sqrt(10))


def test_what_is_better_from_the_start_has_arrived_there_and_what_never_is_has_no_time():
    assert enough(LOG, np.array([0.1, 0.2, 0.3])) == 1.0
    assert enough(LOG, np.array([-3.0, -2.0, -1.0])) == math.inf


def rows(leads: list[float], seconds: tuple[float, ...] = (1.0, 10.0)) -> pd.DataFrame:
    """A method of two lengths that is above the network by these leads on every curve."""
    noise = np.random.default_rng(0).normal(size=30)
    net = pd.DataFrame(
        {"method": "network", "steps": 0, "cutoff": 10, "curve": range(30), "ll": noise, "seconds": 0.5}
    )
    own = [
        net.assign(method="judge", steps=10 + i, ll=noise + lead, seconds=spent)
        for i, (lead, spent) in enumerate(zip(leads, seconds, strict=True))
    ]
    return pd.concat([net, *own], ignore_index=True)  # fmt: skip


def test_the_ratio_is_that_of_the_crossing_to_the_networks_own_time():
    found = slowdown(rows([-1.0, 1.0]), "judge")
    assert found and found.value == pytest.approx(2 * math.sqrt(10))
    assert (
        found.low == pytest.approx(found.value) == found.high
    )  # curves are paired: nothing is left to chance


def test_ends_stay_numbers_in_order_where_some_draws_never_arrive():
    some = rows([-1.0, 0.05])
    last = some["steps"] == 11
    some.loc[last, "ll"] += np.random.default_rng(1).normal(size=int(last.sum()))
    found = slowdown(some, "judge")
    assert found and found.low <= found.value <= found.high == math.inf


def test_all_are_measured_by_the_network_on_the_curves_that_both_have():
    """Twenty curves of the exact posterior; what the network scores on ten others does not count."""
    some = rows([-1.0, 1.0])
    some = some[(some["method"] == "network") | (some["curve"] < 20)]
    found = question.behind(some).set_index(["method", "steps"])["below"]
    assert found["judge", 10].value == pytest.approx(1) and found["judge", 11].value == pytest.approx(-1)
    assert found["network", 0] == pytest.approx((0, 0, 0))


def test_a_shorter_chain_is_the_beginning_of_a_longer_one():
    y = prior.test_set(3).noisy
    long = runs.table("chains", 10, runs.chains((50, 100), y, 10, 3, seed=0))
    short = runs.table("chains", 10, runs.chains((50,), y, 10, 3, seed=0))
    same = long[long["steps"] == 50]["ll"].to_numpy()
    assert same == pytest.approx(short["ll"].to_numpy(), abs=1e-4)
    assert (long.groupby("curve")["seconds"].diff().dropna() > 0).all()


def test_missing_methods_are_told_and_break_nothing():
    some = rows([-1.0, 1.0])
    alone = some[some["method"] == "network"]
    assert slowdown(alone, "judge") is None and len(question.behind(alone)) == 1
    config = question.SCALES["laptop"]
    assert all(one.holds() is None for one in question.claims(alone, config))


def test_an_end_beyond_the_longest_run_is_unknown_and_leaves_the_claim_open():
    some = rows([-1.0, 0.05])
    last = some["steps"] == 11
    some.loc[last, "ll"] += np.random.default_rng(1).normal(size=int(last.sum()))
    stated = {one.name: one for one in question.claims(some, question.SCALES["laptop"])}
    found = stated["judge_reaches_network_at_10"]
    assert math.isnan(found.found.high) and not math.isinf(found.value) and found.holds() is None


def test_chains_that_never_arrive_take_at_least_their_longest_run():
    """Ten seconds against half a second: more than ten times as long is sure, a hundred times is not."""
    never = rows([-2.0, -1.0]).replace({"method": {"judge": "chains"}})
    stated = {one.name: one for one in question.claims(never, question.SCALES["laptop"])}
    found = stated["chains_reach_network_at_10"]
    assert found.found == (20.0, 20.0, 20.0) and found.holds() is False
