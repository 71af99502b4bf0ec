"""Guards ideas of the chapter New data: what a network is told, factors, features of curves, measured priors."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves.laws.rates import LEAST
from curvecast.curves.real_table import side
from reproduce.new_data import _beside, _factors, _planned_forecasts, told_schedule
from reproduce.new_data.missing_in_prior import features
from reproduce.new_data.prior_features import question as variants
from reproduce.protocols import empirical_prior
from reproduce.protocols.benchmarks import ROWS
from reproduce.protocols.real_curve import SHARES, trial
from reproduce.protocols.scores_by_share import portions
from tests.questions.made_up_tables import Made, write

# ------------------------------------------------------------------------------------------------------ told schedules


def test_one_network_is_asked_with_and_without_the_plan(tmp_path, monkeypatch):
    """Where the rate is constant in one plan and falls in the other, what is told differs; what is not told does not."""
    monkeypatch.chdir(tmp_path)
    small = replace(_planned_forecasts.training("1x8"), curves=128)
    monkeypatch.setattr(_planned_forecasts, "training", lambda size, seed=0: small)
    shown = next(iter(portions([trial(np.linspace(0.2, 0.8, 30), 0, 1, False)] * 2, 20)))
    plans = [np.ones(30), np.linspace(1, 0.01, 30)]
    put = _planned_forecasts.answers("1x8", plans)
    put["told"](shown)  # trained once
    net = next(iter((tmp_path / "weights").glob("*.safetensors")))
    assert net.name.startswith("runs-1x8")
    medians = {name: next(iter(answer(shown)))[1].quantile(0.5) for name, answer in put.items()}
    assert torch.equal(medians["untold"][0], medians["untold"][1])
    assert not torch.equal(medians["told"][0], medians["told"][1])


def test_simulated_runs_end_where_their_plans_do():
    for put in told_schedule.made(20, 0):
        assert len(put.rate) == len(put.trial.values) >= told_schedule.FEWEST and put.rate.min() >= LEAST


def test_published_plans_drop_after_150_epochs_and_anneal_to_a_tenth():
    """By the points of a trial: 200 epochs are thinned to 100."""
    assert _planned_forecasts.dropped(np.array([150, 151])).tolist() == [1.0, 0.1]
    rate = _planned_forecasts.annealed(np.array([1, 1430, 143_000]))
    assert np.allclose(rate, [1 / 1430, 1, 0.1])


def test_coverage_before_the_drop_is_counted_for_each_training():
    """Of AdaBelief's forecasts with 70 % observed alone; a rival without seeds is no column."""
    lines = [("adabelief", 70, "told", 0, 1.0), ("adabelief", 70, "told", 1, 0.5), ("adabelief", 70, "told", 1, 0.7),
             ("adabelief", 70, "untold", 1, 0.2), ("adabelief", 40, "told", 1, 0.0), ("pythia", 70, "told", 1, 0.0),
             ("adabelief", 70, "last", 0, 0.1)]  # fmt: skip
    each = _planned_forecasts.by_seed(
        {"published": pd.DataFrame(lines, columns=["row", "seen", "method", "seed", "in90"])}
    )
    assert each["told"].tolist() == pytest.approx([1.0, 0.6])
    assert (
        np.isnan(each.loc[0, "untold"]) and each.loc[1, "untold"] == 0.2 and list(each) == ["told", "untold"]
    )


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


# ------------------------------------------------------------------------- priors of measured, here MADE-UP, curves

PAIR = ("deepobs", "words")
GROUPS = [f"made up {i}" for i in range(16)]


def made_up(end: float = 0.85) -> list[Made]:
    """Rising accuracies that end near `end` and falling errors that end as far above nothing, of 24 to 60 points."""
    made = []
    for row in PAIR:
        minimise = row == "words"
        for i, group in enumerate(GROUPS):
            n, rng = (24, 60)[i % 2], np.random.default_rng(i)
            y = end - 0.6 * np.arange(1.0, n + 1) ** -rng.uniform(0.8, 1.2) + rng.normal(0, 0.003, n)
            y = 1 - y if minimise else y
            made.append(Made(ROWS[row].file, row, "task", group, ROWS[row].metric, minimise, 1, y))
    return made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CURVECAST_DATA", str(write(tmp_path, made_up())))
    empirical_prior.pool.cache_clear()
    yield
    empirical_prior.pool.cache_clear()


def test_the_source_that_is_scored_is_not_in_the_training(folder):
    """Nor is any curve of the side that judges; a row that nobody may look at leaves nothing out."""
    own = variants.networks("1x16", "measured", (*PAIR, "pythia"))
    assert own["deepobs"].left_out == ROWS["deepobs"].file and own["pythia"].left_out == ""
    found = empirical_prior.pool(PAIR, ROWS["deepobs"].file)
    looked_at = [i for i, group in enumerate(GROUPS) if side("words", group) == "look"]
    assert sorted(found.length.tolist()) == sorted((24, 60)[i % 2] for i in looked_at)
    assert len(empirical_prior.pool(PAIR, "").y) > len(found.y)


def test_tables_are_drawn_with_the_same_chance():
    """However many curves each of them has."""
    pool = empirical_prior.Pool(torch.zeros(10, 5), torch.full((10,), 5), torch.tensor([0] * 9 + [1]))
    drawn = empirical_prior.drawn(pool, 1000, torch.Generator().manual_seed(0))
    assert (drawn == 9).float().mean() == pytest.approx(0.5, abs=0.06)


def test_other_tables_make_other_weights(tmp_path, monkeypatch):
    """What lies in the folder is a part of a network's name; without a folder there is still one."""
    config = variants.on_the_papers("1x16", "measured", PAIR)
    found = []
    for name, end in (("some", 0.85), ("others", 0.8)):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("CURVECAST_DATA", str(write(tmp_path / name, made_up(end))))
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


def test_a_curve_that_is_moved_stays_a_curve():
    """Its values between 0 and 1, at least twenty points left, rising as before but for a little noise."""
    y = torch.linspace(0.1, 0.95, 100).expand(400, -1)
    moved, length = empirical_prior.moved(y, torch.full((400,), 100), torch.Generator().manual_seed(0))
    assert moved.min() >= 0 and moved.max() <= 1
    assert length.min() >= empirical_prior.LEAST and length.max() == 100 and len(length.unique()) > 20
    assert (moved[:, 19] > moved[:, 0] + 0.05).all() and (moved - y).abs().max() > 0.05
    last, middle = (moved.gather(1, place[:, None])[:, 0] for place in (length - 1, (length - 1) // 2))
    assert (middle - (moved[:, 0] + last) / 2).abs().mean() < 0.01  # straight to its own end


@pytest.mark.parametrize("name", variants.MEASURED)
def test_a_batch_asks_for_what_comes_later_of_the_same_curve(name, folder):
    """All groups are of measured curves, or half of them by turns; the same step gives the same batch."""
    config = variants.networks("1x16", name, PAIR)["deepobs"]
    groups, again, other = (list(config.batches(step, "cpu")) for step in (3, 3, 4))
    real = [group for group in groups if group.mask is not None]
    assert len(groups) == config.cutoffs and len(real) == round(config.share * config.cutoffs)
    for group, same in zip(groups, again, strict=True):
        assert torch.equal(group.y, same.y) and torch.equal(group.y_query, same.y_query)
    for group in real:
        seen = group.mask.sum(1)
        assert (seen >= 1).all() and (group.x_query.amin(1) > seen).all() and group.x_query.max() <= 60
        assert group.y_query.min() > 0 and group.y_query.max() <= 1
    assert len(real) == len(groups) or [g.mask is None for g in groups] != [g.mask is None for g in other]
