"""Guards priors made of measured curves, on a small folder of MADE-UP curves: they are no measurement of anything."""

from dataclasses import fields

import numpy as np
import pytest
import torch

from curvecast.curves.laws.real_runs import FEATURES
from curvecast.curves.tuning_and_test import TUNING, side
from reproduce.new_data.prior_features import variants
from reproduce.protocols import empirical_prior
from reproduce.protocols.benchmarks import ROWS, chosen
from tests.questions.made_up_tables import Made, write

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


def test_fewer_curves_are_the_first_of_more(folder):
    """So that slow forecasters see some of those that the others see."""
    few, more = (chosen("deepobs", TUNING, most, 0) for most in (2, 5))
    assert [one.curve.curve_id for one in few] == [one.curve.curve_id for one in more[:2]]


def test_a_variant_differs_from_the_new_prior_in_one_thing():
    """In the prior, the input or the seed; size, recipe and number of curves are the same for all."""
    new = variants.variant("2x96", "new")
    left_out = {name for key in variants.WITHOUT for name in variants.variant("2x96", key).prior.without}
    assert left_out == set(FEATURES)
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
