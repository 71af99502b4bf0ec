"""Guards reproduce/reproduction/head_or_recipe/: one thing changes at a time, and the luck of a seed is counted."""

import math
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce.reproduction.head_or_recipe import question
from reproduce.reproduction.head_or_recipe.cells import CELLS, ENDS, GAINS, training
from reproduce.reproduction.head_or_recipe.contrasts import contrast, lead, numbered
from reproduce.trainings import SMALL

PAPER = question.SCALES["paper"]


def config(cell: str, curves: int = 49_152) -> TrainConfig:
    return training(PAPER.authors, PAPER.ours, cell, curves, 0)


def changed(one: TrainConfig, other: TrainConfig) -> set[str]:
    """The fields of the training and of its model in which two cells differ."""
    a, b = ({**asdict(c), **asdict(c.model), "model": None} for c in (one, other))
    return {field for field in a if a[field] != b[field]}


@pytest.mark.parametrize("name", [name for name in GAINS if name.startswith("head")])
def test_a_head_is_compared_where_nothing_else_changes(name: str):
    above, below, _ = GAINS[name]
    allowed = {"head", "features"} if name == "head_ours_plain" else {"head"}
    assert changed(config(above), config(below)) == allowed


def test_with_plain_features_the_tuning_is_all_that_sets_free_logits_apart():
    found = changed(config("ours-plain"), config("authors-free"))
    assert (
        "head" not in found and "features" not in found and {"optimiser", "batch", "norm", "dropout"} <= found
    )


def test_the_ends_are_the_papers_own_recipe_and_ours():
    """They are the same trainings as in the other questions, so that weights are shared."""
    assert config(ENDS[0], 1_000_000) == TrainConfig.paper(128, 3, 1_000_000)
    assert config(ENDS[1], 196_608) == SMALL["3x128"]
    assert isinstance(PAPER.ours.model, ModelConfig) and PAPER.ours.model.label == PAPER.authors.model.label


def test_every_cell_is_trained_at_every_length_and_the_ends_alone_at_the_last():
    lengths = pd.Series([n for _, n, _ in question.runs(PAPER).values()]).value_counts()
    assert lengths.to_dict() == {49_152: 3 * len(CELLS), 196_608: len(CELLS), 1_000_000: len(ENDS)}
    assert len(set(map(repr, question.models(PAPER)))) == len(question.parts(PAPER))


def each(levels: dict[tuple[str, int], list[float]]) -> pd.DataFrame:
    """What every curve loses: the level of its training plus the same noise for all."""
    noise = np.random.default_rng(0).normal(size=50)
    frames = [
        pd.DataFrame({"lost": level + noise}).assign(cell=cell, curves=n, seed=seed)
        for (cell, n), seeds in levels.items()
        for seed, level in enumerate(seeds)
    ]
    return numbered(pd.concat(frames, ignore_index=True))


LEVELS = {
    ("authors-mixture", 100): [0.4, 0.5, 0.6], ("authors-free", 100): [0.9, 1.0, 1.1],
    ("authors-mixture", 400): [0.3], ("authors-free", 400): [0.4],
}  # fmt: skip


def test_less_lost_is_above_and_curves_are_paired():
    found = lead(each(LEVELS), "authors-mixture", "authors-free", 100)
    assert found and found.value == pytest.approx(0.5)


def test_the_interval_holds_the_luck_of_the_seeds_of_both_cells():
    """Curves cancel here; what is left is t(2) times the error of a mean of three, twice, and later that of one."""
    few = lead(each(LEVELS), "authors-mixture", "authors-free", 100)
    more = lead(each(LEVELS), "authors-mixture", "authors-free", 400)
    assert few and few.half == pytest.approx(4.303 * 0.1 * math.sqrt(2 / 3), rel=1e-3)
    assert more and more.half == pytest.approx(4.303 * 0.1 * math.sqrt(2), rel=1e-3)


def test_one_seed_gives_a_number_without_a_verdict():
    levels = {key: seeds[:1] for key, seeds in LEVELS.items()}
    found = lead(each(levels), "authors-mixture", "authors-free", 100)
    assert found and found.value == pytest.approx(0.5) and math.isnan(found.half)


def test_what_was_not_trained_is_not_compared():
    assert contrast(each(LEVELS), {("ours-free", 100): 1, ("authors-free", 100): -1}) is None


def test_claims_say_by_how_much_a_lead_shrinks():
    rows = each(LEVELS).drop(columns="curve")
    short = replace(PAPER, lengths=((100, 3), (400, 1)), longest=0)
    stated = {one.name: one for one in question.claims({"each": rows}, short)}
    assert (
        stated["head_authors_shrinks"].value == pytest.approx(0.4) and stated["head_ours_few"].value is None
    )
    assert "both_most" not in stated
