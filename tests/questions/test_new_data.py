"""Guards ideas of the chapter New data: what is known beside a curve, features of curves, measured priors."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from curvecast.curves.real_table import TUNING
from reproduce._press import made_up_curves
from reproduce.new_data import _beside, _planned_forecasts
from reproduce.new_data.missing_in_prior import features
from reproduce.new_data.prior_features import question as variants
from reproduce.protocols import empirical_prior
from reproduce.protocols.benchmarks import ROWS, chosen
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import portions

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
