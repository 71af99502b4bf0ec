"""Guards ideas of the chapter New data: what is known beside a curve, features of curves, measured priors; and of Fracast-0,
which the chapter Scaling asks as well."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves.real_table import TUNING
from reproduce._plugin import made_up_curves
from reproduce.new_data import _beside, _nine_quantiles, _planned_forecasts
from reproduce.new_data.missing_in_prior import features
from reproduce.new_data.prior_features import question as variants
from reproduce.protocols import empirical_prior
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import portions
from reproduce.rival import time_series
from reproduce.scaling._rules import fracast

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


PAIR = ("deepobs", "words")


def test_the_source_that_is_scored_is_not_in_the_training_nor_any_curve_of_the_side_that_judges():
    """A row that nobody may look at leaves nothing out."""
    own = variants.networks("1x16", "measured", (*PAIR, "pythia"))
    assert own["deepobs"].left_out == ROWS["deepobs"].file and own["pythia"].left_out == ""
    empirical_prior.pool.cache_clear()
    with made_up_curves.named():
        words, both = (len(empirical_prior.pool(PAIR, out).y) for out in (ROWS["deepobs"].file, ""))
        assert words == len(chosen("words", TUNING, 999, 0)) < both
    empirical_prior.pool.cache_clear()


def test_other_tables_make_other_weights(tmp_path, monkeypatch):
    """What lies in the folder is a part of a network's name; without a folder there is still one."""
    config, found = variants.on_the_papers("1x16", "measured", PAIR), []
    for seed in (0, 1):
        (tmp_path / f"{seed}").mkdir()
        monkeypatch.setenv("CURVECAST_DATA", str(made_up_curves.write(tmp_path / f"{seed}", seed)))
        found.append(config.behaviour()["tables"])
    monkeypatch.delenv("CURVECAST_DATA")
    assert len({0, *found}) == 3 and config.behaviour()["tables"] == 0


def test_a_variant_differs_from_the_new_prior_in_one_thing():
    """In the prior, the input or the seed; size, recipe and number of curves are the same for all."""
    new = variants.variant("2x96", "new")
    for name in set(variants.ALL) - set(variants.MEASURED) - {"old-epochs"}:
        other = variants.variant("2x96", name)
        differ = {one.name for one in fields(new) if getattr(new, one.name) != getattr(other, one.name)}
        assert len(differ) == (name != "new") and differ <= {"prior", "model", "seed"}


def test_published_plans_drop_after_150_epochs_and_anneal_to_a_tenth():
    """By the points of a trial: 200 epochs are thinned to 100."""
    assert _planned_forecasts.dropped(np.array([150, 151])).tolist() == [1.0, 0.1]
    rate = _planned_forecasts.annealed(np.array([1, 1430, 143_000]))
    assert np.allclose(rate, [1 / 1430, 1, 0.1])


def test_tables_are_drawn_with_the_same_chance():
    """However many curves each of them has."""
    pool = empirical_prior.Pool(torch.zeros(10, 5), torch.full((10,), 5), torch.tensor([0] * 9 + [1]))
    drawn = empirical_prior.drawn(pool, 1000, torch.Generator().manual_seed(0))
    assert (drawn == 9).float().mean() == pytest.approx(0.5, abs=0.06)


# ------------------------------------------------------------------------------------------- beside Fracast-0


@pytest.fixture
def stand_in(monkeypatch):
    """For Fracast-0: the last value, in nine quantiles that cross."""
    apart = np.array([0.04, -0.04, -0.03, -0.02, 0, 0.01, 0.02, 0.03, -0.01])
    asked = SimpleNamespace(forecast=lambda y, horizon: y[-1] + np.tile(apart, (horizon, 1)))
    monkeypatch.setattr(time_series, "_model", lambda: asked)
    monkeypatch.setattr(time_series, "installed", lambda: True)


def test_without_the_package_one_sentence_says_what_to_install(monkeypatch, capsys, trials):
    """And the part has no rows, so that its question is not tested."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert _nine_quantiles.scored({"deepobs": trials}).empty
    told = capsys.readouterr().out
    assert told.count("\n") == 1 and "pip install fracast==0.1.0" in told


@pytest.mark.slow
def test_the_package_itself_forecasts_a_curve():
    """Beyond its 48 points too, on the scale of the curve."""
    pytest.importorskip("fracast")
    told = time_series.quantiles(50 + np.linspace(0, 1, 20), 60)
    assert told.shape == (9, 60) and (np.diff(told, axis=0) >= 0).all() and (abs(told - 51) < 5).all()


@pytest.mark.slow
@pytest.mark.usefixtures("stand_in")
def test_who_is_beside_fracast_is_scored_on_what_it_forecasts(trials):
    """From eight observed values on, whatever others can do with fewer; its quantiles rise, and end at the bounds."""
    assert time_series.quantiles(np.ones(7), 3) is None
    assert (np.diff(time_series.quantiles(np.ones(8), 3), axis=0) >= 0).all()
    high = trial(np.full(30, 0.99), 0, 1, False)
    ((_, told),) = _nine_quantiles._fracast([high], 40)
    assert told.max() == 1 and told.shape == (9, 18)
    found = _nine_quantiles.scored({"deepobs": trials})
    enough = {(i, s) for i, one in enumerate(trials) for s in SHARES if one.cutoff(s) >= time_series.LEAST}
    for _, own in found.groupby("method"):
        assert set(zip(own["curve"], own["seen"], strict=True)) == enough and len(own) == len(enough)
    assert set(found["method"]) == set(_nine_quantiles.METHODS)


def test_fracast_is_asked_for_values_by_their_number(monkeypatch):
    """Not for logarithms; its median is kept above zero, and where it refuses there is none."""
    told = np.linspace(-0.1, 0.7, 9)[:, None].repeat(2, 1)
    monkeypatch.setattr(time_series, "quantiles", lambda y, n: told[:, :n] if y[0] > 0.5 else None)
    x = np.log([1.0, 10.0, 100.0])
    assert fracast(x, np.log([0.9, 0.8, 0.7]), x[:2], x[:2]).median.tolist() == told[4].tolist()
    assert np.isnan(fracast(x, np.log([0.4, 0.3, 0.2]), x[:2], x[:2]).median).all()


@pytest.mark.parametrize("minimise", [False, True])
def test_nine_quantiles_are_twice_their_mean_pinball_loss(minimise):
    """Of a single number it is the error; around the truth the outer two hold it."""
    one = trial(np.linspace(0.2, 0.8, 10), 0, 1, minimise)
    crps, covered = _nine_quantiles.worth(one, np.tile(one.values[4:] + 0.1, (9, 1)))
    assert (crps, covered) == (pytest.approx(0.1), 0)
    crps, covered = _nine_quantiles.worth(one, one.values[4:] + 0.1 * (time_series.LEVELS[:, None] - 0.5))
    # at the levels .1, .2, .3, .4: 2 · 2/9 · 0.1 · Σ level (.5 - level)
    assert (crps, covered) == (pytest.approx(4 / 9 * 0.1 * 0.2, rel=1e-2), 1)


def test_a_source_counts_once_whatever_its_metrics():
    """Of AlgoPerf's three only the geometric mean counts; a benchmark that is missing leaves the question open."""
    times = {row: 8.0 if row in ("algoperf", "precision", "words") else 1.0 for row in ROWS}
    made = [(row, 0, 40, method, 0.1 * (times[row] if method == "fracast" else 1), 1.0)
            for row in ROWS for method in ("shipped", "fracast", "last")]  # fmt: skip
    nine = pd.DataFrame(made, columns=list(_nine_quantiles.SCORES))
    found = _nine_quantiles.lead(nine)
    assert found.value == pytest.approx(8 ** (1 / 7)) and found.over == (("sources", 7),)
    assert _nine_quantiles.lead(nine[nine["row"] != "pythia"]) is None
