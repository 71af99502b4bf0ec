"""Guards reproduce/new_data/prior_features, on a small folder of MADE-UP curves: they are no measurement of anything."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves.laws.real_runs import FEATURES
from curvecast.curves.tuning_and_test import side
from reproduce.new_data._chosen import ROWS
from reproduce.new_data.prior_features import empirical, estimates, question, variants
from reproduce.new_data.prior_features.question import CUTOFFS
from tests.protocols.made_up_tables import Made, write

PAIR = ("deepobs", "words")
GROUPS = [f"made up {i}" for i in range(16)]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Rising accuracies that end above .8 and falling errors that end below .2, of 24 to 60 points."""
    made = []
    for row in PAIR:
        minimise = row == "words"
        for i, group in enumerate(GROUPS):
            n, rng = (24, 60)[i % 2], np.random.default_rng(i)
            y = 0.85 - 0.6 * np.arange(1.0, n + 1) ** -rng.uniform(0.8, 1.2) + rng.normal(0, 0.003, n)
            y = 1 - y if minimise else y
            made.append(Made(ROWS[row].file, row, "task", group, ROWS[row].metric, minimise, 1, y))
    where = write(tmp_path_factory.mktemp("made-up"), made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURVECAST_DATA", str(where))
        empirical.pool.cache_clear()
        yield where
    empirical.pool.cache_clear()


def generator():
    return torch.Generator().manual_seed(0)


def test_a_variant_differs_from_the_new_prior_in_one_thing():
    """In the prior, the input or the seed; size, recipe and number of curves are the same for all."""
    new = variants.variant("2x96", "new")
    assert {name for key in variants.WITHOUT for name in variants.variant("2x96", key).prior.without} == set(
        FEATURES
    )
    for name in set(variants.ALL) - set(variants.MEASURED) - {"old-epochs"}:
        other = variants.variant("2x96", name)
        differ = {
            field.name for field in fields(new) if getattr(new, field.name) != getattr(other, field.name)
        }
        assert len(differ) == (name != "new") and differ <= {"prior", "model", "seed"}


def test_the_source_that_is_scored_is_not_in_the_training():
    """Nor is any curve of the side that judges; a row that nobody may look at leaves nothing out."""
    own = variants.networks("1x16", "measured", (*PAIR, "pythia"))
    assert own["deepobs"].left_out == ROWS["deepobs"].file and own["pythia"].left_out == ""
    found = empirical.pool(PAIR, ROWS["deepobs"].file)
    looked_at = [i for i, group in enumerate(GROUPS) if side("words", group) == "look"]
    assert sorted(found.length.tolist()) == sorted((24, 60)[i % 2] for i in looked_at)
    assert len(empirical.pool(PAIR, "").y) > len(found.y)


def test_other_tables_make_other_weights(folder, monkeypatch):
    """What lies in the folder is a part of a network's name; without a folder there is still one."""
    config = variants.on_the_papers("1x16", "measured", PAIR)
    with_folder = config.behaviour()["tables"]
    monkeypatch.delenv("CURVECAST_DATA")
    assert config.behaviour()["tables"] == 0 != with_folder


def test_tables_are_drawn_with_the_same_chance():
    """However many curves each of them has."""
    pool = empirical.Pool(torch.zeros(10, 5), torch.full((10,), 5), torch.tensor([0] * 9 + [1]))
    assert (empirical.drawn(pool, 1000, generator()) == 9).float().mean() == pytest.approx(0.5, abs=0.06)


def test_a_curve_that_is_moved_stays_a_curve():
    """Its values between 0 and 1, at least twenty points left, rising as before but for a little noise."""
    y = torch.linspace(0.1, 0.95, 100).expand(400, -1)
    moved, length = empirical.moved(y, torch.full((400,), 100), generator())
    assert moved.min() >= 0 and moved.max() <= 1
    assert length.min() >= empirical.LEAST and length.max() == 100 and len(length.unique()) > 20
    assert (moved[:, 19] > moved[:, 0] + 0.05).all()
    assert (moved - y).abs().max() > 0.05


@pytest.mark.parametrize("name", list(variants.MEASURED))
def test_a_batch_asks_for_what_comes_later_of_the_same_curve(name):
    """All groups of measured curves, or half of them by turns; the same step gives the same batch."""
    config = variants.networks("1x16", name, PAIR)["deepobs"]
    groups, again = (list(config.batches(3, "cpu")) for _ in range(2))
    real = [group for group in groups if group.mask is not None]
    assert len(groups) == config.cutoffs and len(real) == round(config.share * config.cutoffs)
    for group, same in zip(groups, again, strict=True):
        assert torch.equal(group.y, same.y) and torch.equal(group.y_query, same.y_query)
    for group in real:
        seen = group.mask.sum(1)
        assert (seen >= 1).all() and (group.x_query.amin(1) > seen).all() and group.x_query.max() <= 60
        assert group.y_query.min() > 0 and group.y_query.max() <= 1
    other = list(config.batches(4, "cpu"))
    assert len(real) == len(groups) or [g.mask is None for g in groups] != [g.mask is None for g in other]


def made_up(costs: dict[str, float], price: float) -> dict[str, pd.DataFrame]:
    """Rows in which each variant has so many times the CRPS of the new prior, on all rows of the report."""
    lines = [(row, i, seen, name, 0.01 * (i + 1) * cost, 0.9 if cost <= 1 else 0.5)
             for name, cost in costs.items() for row in ROWS for i in range(10) for seen in (10, 20, 40)]  # fmt: skip
    about = [
        (row, i, row, "task", f"g{i}", "made up", "look", True, 50, 0.0) for row in ROWS for i in range(10)
    ]
    curves = pd.DataFrame(about, columns=list(question.TABLES["curves"]))
    own = [(name, cutoff, "old", 2.0, -price, 0.001) for name in costs if name != "old" for cutoff in CUTOFFS]
    own += [
        (name, cutoff, "new", 2.0, -price, 0.001) for name in costs if name != "new" for cutoff in CUTOFFS
    ]
    return {
        "rows": pd.DataFrame(lines, columns=list(question.TABLES["rows"])), "curves": curves,
        "own": pd.DataFrame(own, columns=list(question.TABLES["own"])),
        "read": pd.DataFrame([("deepobs", "f", "0", "look", 10)], columns=list(question.TABLES["read"])),
    }  # fmt: skip


def costs(**others: float) -> dict[str, float]:
    return (
        dict.fromkeys(variants.ALL, 1.0)
        | {"seed-1": 1.02, "seed-2": 0.99}
        | {name.replace("_", "-"): cost for name, cost in others.items()}
    )


GOOD = made_up(
    costs(old=1.5, new_epochs=1.1, measured=1.3, laws_alone=1.1) | dict.fromkeys(variants.WITHOUT, 1.1), 0.05
)
BAD = made_up(costs(old=0.8, new_epochs=0.9, measured=0.9, laws_alone=0.8), 0.2)
FREE = made_up(costs(new=1.01), -0.2)


def test_ratios_are_those_of_the_curves():
    """The new prior's own is one; luck is what another seed moves, up or down."""
    found = estimates.each(GOOD)
    ratios = estimates.ratios(found)
    for row in ROWS:
        assert ratios["old", row].value == pytest.approx(1.5, rel=1e-3) and ratios["new", row] == (1, 1, 1)
        assert estimates.luck(found[found["row"] == row]) == pytest.approx(1.02, rel=1e-3)
    assert estimates.over_rows(found)["without-late"].value == pytest.approx(1.1, rel=1e-3)
    assert estimates.luck(found[found["method"] == "new"]) is None


def test_a_variant_is_compared_with_what_another_seed_moves():
    """Seeds that differ by a tenth leave a factor of 1.1 open; without them nothing is known."""
    calm, wild = (estimates.over_seeds(estimates.each(rows))["new-epochs"]
                  for rows in (GOOD, made_up(costs(new_epochs=1.1, seed_1=1.1, seed_2=0.9), 0)))  # fmt: skip
    assert calm.low > 1 > wild.low and calm.value == pytest.approx(1.1 / (1.02 * 0.99) ** (1 / 3), rel=1e-3)
    assert estimates.over_seeds(estimates.each(GOOD).query("method == ['new', 'new-epochs']")) == {}


def test_a_price_is_what_the_rival_has_more():
    """With the interval of its standard error."""
    told = estimates.prices(GOOD["own"])["new", 20]
    assert told.value == pytest.approx(0.05) and told.half == pytest.approx(0.00196)


def test_claims_hold_and_fail_with_the_rows():
    """A prior that helps gets yes, one that does not gets no.

    The one question about the paper's prior, on its coverage, is answered the other way round.
    """
    assert [claim.name for claim in question.claims(GOOD) if not claim.holds()] == ["holds_old"]
    told = {claim.name: claim.holds() for claim in question.claims(BAD)}
    of_others = {
        "holds_new",
        "holds_old",
        "mixture_saves",
        "units_own",
    }  # what the others cost; coverage that is as it was
    assert {name for name, holds in told.items() if holds} == of_others
    free = {claim.name: claim.holds() for claim in question.claims(FREE)}
    assert free["mixture_saves"] is free["units_own"] is free["holds_new"] is False


def test_what_rests_on_all_variants_is_drawn_where_they_are_there():
    """The few of laptop scale have no features."""
    few = {name: table[~table["method"].isin(set(variants.ALL) - {"new", "old"})] if "method" in table else table
           for name, table in GOOD.items()}  # fmt: skip
    assert set(question.draw(few)) == {"priors", "price"}


def test_a_part_waits_for_its_own_networks_alone():
    """One for each source that is left out and one for all, and those beside which it is put."""
    config = replace(question.SCALES["smoke"], rows=PAIR)
    assert len(question.needs(config, "new")) == 2 and len(question.needs(config, "measured")) == 5
