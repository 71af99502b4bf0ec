"""Guards reproduce/reproduction/two_cores: what is below what, and how many curves are saved."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from curvecast.curves import prior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster
from reproduce.printed.numbers import HALF, log_likelihood
from reproduce.reproduction._slope import slope
from reproduce.reproduction.exact_bayes.question import SCALES
from reproduce.reproduction.two_cores import at_twice_the_effort, claims, question, rungs
from reproduce.reproduction.two_cores.at_twice_the_effort import LOSES_MOST
from reproduce.reproduction.two_cores.networks import BEFORE, LADDER, NETWORKS
from reproduce.reproduction.two_cores.question import Config
from reproduce.trainings import TINY


def lost_rows(**of_network: tuple[int, float]) -> pd.DataFrame:
    """name=(curves, mean lost) after ten epochs, on 200 curves that scatter alike for all."""
    scatter = np.random.default_rng(0).normal(0, 0.1, 200)
    parts = [
        pd.DataFrame({"network": name.replace("x", "-"), "cutoff": 10, "curve": range(200), "curves": curves,
                      "lost": mean + scatter - scatter.mean()})
        for name, (curves, mean) in of_network.items()
    ]  # fmt: skip
    return pd.concat(parts)


def test_curves_saved_are_read_off_the_line_between_rungs():
    """Halfway in nats is halfway in the logarithm of curves."""
    rows = lost_rows(old=(1_600, 0.10), a=(100, 0.15), b=(400, 0.05))
    found = rungs.saved(rows, ["old"], ["a", "b"], 10)
    assert found is not None and found.value == pytest.approx(1_600 / 200)
    assert found.low <= found.value <= found.high
    assert rungs.saved(rows, ["old"], ["a"], 10) is None  # one rung is no line
    never = rungs.saved(lost_rows(old=(1_600, 0.01), a=(100, 0.15), b=(400, 0.05)), ["old"], ["a", "b"], 10)
    assert never is not None and never.value == 0


def test_what_is_lost_comes_in_the_order_of_curves():
    found = rungs.lost(lost_rows(b=(400, 0.05), a=(100, 0.15)), ["b", "a", "none"], 10)
    assert [(curves, round(one.value, 6)) for curves, one in found] == [(100, 0.15), (400, 0.05)]


def test_a_power_law_is_found_and_goes_on():
    """0.2 nats after a thousand curves, half of it after ten thousand: a fifth power of ten or so; and one rung further."""
    rows = lost_rows(d=(100, 0.4), a=(1_000, 0.2), b=(10_000, 0.1), c=(100_000, 0.05))
    found = rungs.law(rows, ["a", "b", "c", "d"], 10, 1_000_000)
    assert found is not None
    assert found.ten_times.value == pytest.approx(2, rel=1e-3)
    assert found.predicted.value == pytest.approx(0.025, rel=1e-3)
    assert found.predicted.low < 0.025 < found.predicted.high
    assert found.foretold.value == pytest.approx(0.05, rel=1e-3) and found.off.value == pytest.approx(
        1, abs=1e-3
    )
    assert rungs.law(rows, ["a", "b", "c"], 10, 1_000_000) is None  # two points foretell nothing


def test_a_slope_is_as_uncertain_as_its_trainings_scatter():
    """Beside scipy's standard error of a slope, where test curves add nothing; and wider by what they add."""
    x, y = np.arange(5.0), np.array([0.0, 1.2, 1.9, 3.3, 3.8])
    fit = scipy.stats.linregress(x, y)
    alone, both = slope(x, np.stack([y] * 9)), slope(x, np.stack([y, *([y - 0.5 * x, y + 0.5 * x] * 4)]))
    assert alone == pytest.approx(
        (fit.slope, *(fit.slope + s * 3.182 * fit.stderr for s in (-1, 1))), rel=1e-3
    )
    assert both.half == pytest.approx(math.hypot(alone.half, 0.5), rel=1e-3)


def test_what_the_longest_lost_is_held_against_the_shorter_ones():
    rows = lost_rows(a=(1_000, 0.2), b=(10_000, 0.1), c=(100_000, 0.05), d=(1_000_000, 0.04))
    found = rungs.law(rows, ["d", "a", "b", "c"], 10, 10_000_000)
    assert found is not None
    assert found.foretold.value == pytest.approx(0.025, rel=1e-3)
    assert found.off.value == pytest.approx(1.6, rel=1e-3)


def scored(network: str, above: float, seeds: int) -> pd.DataFrame:
    printed = log_likelihood(NETWORKS[network].printed, 10)
    return pd.DataFrame({"network": network, "seed": range(seeds), "method": network, "cutoff": 10, "n": 10_000,
                         "ll": 1.0, "ll_se": 0.002, "ll_even": printed + above, "ll_even_se": 0.001})  # fmt: skip


def stated(network: str, above: float, seeds: int, sd: float) -> dict[str, claims.Claim]:
    rows = {name: pd.DataFrame(columns=list(columns)) for name, columns in question.TABLES.items()}
    rows |= {
        "rows": scored(network, above, seeds),
        "luck": pd.DataFrame({"cutoff": [10], "seeds": [3], "sd": [sd]}),
    }
    return {one.name: one for one in question.claims(rows, Config())}


def test_seeds_vary_as_its_own_do_and_as_others_do_only_where_it_is_alone():
    """The half width is that of print, test set and seeds together; these five scored exactly alike."""
    alone, several = (stated("minute", 0.03, n, 0.01)["minute_p2_at_10"] for n in (1, 5))
    print_and_set = 1.96 * math.hypot(0.002, 0.001)
    assert alone.found.half == pytest.approx(math.hypot(print_and_set, 4.303 * 0.01) + HALF, rel=1e-3)
    assert several.found.half == pytest.approx(print_and_set + HALF, rel=1e-3)
    assert several.holds() and alone.holds() is None


def test_a_little_below_is_allowed_where_the_question_asks_for_near():
    assert stated("hour", -0.015, 1, 0.0001)["hour_p3_at_10"].holds()
    assert stated("hour", -0.03, 1, 0.0001)["hour_p3_at_10"].holds() is False
    assert stated("seconds", -0.015, 5, 0.0001)["seconds_p1_at_10"].holds() is False


def test_the_ladder_is_one_recipe():
    """Only the number of curves differs; the recipe before is that of exact_bayes, by name and length."""
    assert len({replace(NETWORKS[name].train, curves=64) for name in LADDER}) == 1
    theirs = SCALES["paper"].models
    assert {name: theirs[name].curves for name in BEFORE} == BEFORE


def test_further_seeds_of_the_hour_widen_its_distance_and_are_counted_once():
    """Three networks that lose 0.01, 0.02 and 0.03 on average, on curves that scatter alike."""
    rows = {name: pd.DataFrame(columns=list(columns)) for name, columns in question.TABLES.items()}
    losses = {"hour": 0.02, "hour-1": 0.01, "hour-2": 0.03}
    rows["lost"] = pd.concat([lost_rows(a=(9, mean)).assign(network=name) for name, mean in losses.items()])
    rows["again"] = lost_rows(hour=(9, 0.02)).assign(exact=1.0, ess=1.0)
    found = {one.name: one.found for one in claims.against_bayes(rows, NETWORKS)}
    curves, seeds = 1.972 * 0.1 / 200**0.5, 4.303 * 0.01
    usual, more = found["hour_loses_at_10"], found["hour_loses_by_more_effort_at_10"]
    assert usual.value == pytest.approx(0.02)
    assert usual.half == pytest.approx(math.hypot(curves, seeds / 3**0.5), rel=0.05)
    assert more.value == pytest.approx(0.02) and more.half == pytest.approx(
        math.hypot(curves, seeds), rel=0.05
    )
    alone = rows | {"lost": rows["lost"][rows["lost"]["network"] == "hour"]}
    assert {one.name: one.found for one in claims.against_bayes(alone, NETWORKS)}[
        "hour_loses_at_10"
    ].half < usual.half


def test_only_first_seeds_are_compared_with_the_posterior():
    """Parts are named network and seed; each waits for its own training alone. Of the hour, further seeds are as well."""
    config = Config()
    assert question.needs(config, "known") == []
    assert question.needs(config, "minute-3")[0].seed == 3
    assert (
        len(question.parts(config)) == 1 + sum(one.seeds for one in NETWORKS.values()) + len(LOSES_MOST) + 2
    )
    assert question.more(config)["hour-2"] == replace(NETWORKS["hour"].train, seed=2)
    assert question.needs(config, "again40") == [NETWORKS["hour"].train]
    assert not question.again(question.SCALES["laptop"])  # which trains no network for an hour


def test_twice_the_effort_is_twice_of_all_that_costs():
    how = at_twice_the_effort.doubled(PosteriorConfig())
    once = PosteriorConfig()
    assert (how.bank, how.steps, how.keep) == (2 * once.bank, 2 * once.steps, 2 * once.keep)
    assert (how.islands, how.population, how.moves) == (once.islands, once.population, once.moves)


def test_what_is_lost_again_is_exact_less_ours_curve_by_curve():
    """On a network that forecasts nothing well, the loss is its distance from the posterior on the second test set."""
    train = replace(TINY["1x16"], curves=64)
    small = PosteriorConfig(bank=2000, islands=2, population=16, moves=2, steps=8, keep=2)
    net = Forecaster(train, train.network().eval(), [])
    rows = at_twice_the_effort.rows(net, 20, 3, small)
    ours = evaluate.likelihood(net, prior.second_test_set(3).noisy, 20).numpy()
    assert rows["lost"].to_numpy() == pytest.approx(rows["exact"].to_numpy() - ours, abs=2e-4)
    assert list(at_twice_the_effort.table(rows)["curves"]) == [3]
