"""Guards settings: where they stand twice, both say the same; where two trainings are compared, one thing changes."""

from dataclasses import asdict, fields, replace

import pytest

from curvecast.training.gaps import with_holes
from curvecast.training.train import TrainConfig
from reproduce.backbones import _rows, _trainings, architectures, state_and_seconds, trial_to_ship
from reproduce.backbones._trainings import SETTINGS, USUAL
from reproduce.backbones.block_switches import BLOCK, PLAIN, VARIANTS
from reproduce.language.language_models.trained import PFN, Trainings
from reproduce.practice import _ship
from reproduce.reproduction import head_or_recipe
from reproduce.reproduction._grid_cells import whole_grid
from reproduce.reproduction.head_or_recipe import ENDS, GAINS
from reproduce.trainings import LARGE, SMALL

AS_IT_SHIPS = trial_to_ship.training(trial_to_ship.SCALES["paper"], "", 0, "Muon")
AS_CURVES_READ = Trainings().config(PFN, 0)  # beside the models of language


@pytest.mark.parametrize(("copy", "original"), [
    (AS_IT_SHIPS, replace(with_holes(_ship.TRAIN), curves=AS_IT_SHIPS.curves, draws=AS_IT_SHIPS.draws)),
    (AS_CURVES_READ, _trainings.training(_rows.reader(_rows.PFN), SETTINGS[USUAL], AS_CURVES_READ.curves, 0)),
    (replace(BLOCK, name=_rows.FAMILIES[_rows.PFN].name), _rows.FAMILIES[_rows.PFN]),
    ([*whole_grid().values()][: len(LARGE)], [*LARGE.values()]),
], ids=["as it ships", "PFN beside language", "plain block", "first of the grid"])  # fmt: skip
def test_a_copy_says_what_its_original_says(copy, original):
    assert copy == original


@pytest.mark.parametrize(
    "chose", [architectures, state_and_seconds], ids=["architectures", "state and seconds"]
)
def test_fresh_seeds_are_none_of_those_that_chose(chose):
    assert chose.SCALES["paper"].seeds <= _rows.FIRST_FRESH_SEED


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != PLAIN])
def test_each_variant_of_the_block_differs_in_one_switch(name):
    changed = {
        field.name
        for field in fields(BLOCK)
        if getattr(VARIANTS[name], field.name) != getattr(BLOCK, field.name)
    }
    assert len(changed) == 2 and "name" in changed  # the name of its weights, and the switch


def of_cell(cell: str, curves: int = 49_152) -> TrainConfig:
    config = head_or_recipe.SCALES["paper"]
    return head_or_recipe.training(config.authors, config.ours, cell, curves, 0)


def changed_fields(one: TrainConfig, other: TrainConfig) -> set[str]:
    """Of the training and of its model."""
    a, b = ({**asdict(config), **asdict(config.model), "model": None} for config in (one, other))
    return {field for field in a if a[field] != b[field]}


def test_heads_or_tunings_are_compared_and_the_ends_are_the_papers_own_recipe_and_ours():
    heads, tunings = (
        changed_fields(*map(of_cell, GAINS[name][:2])) for name in ("head_ours", "tuning_mixture")
    )
    assert heads == {"head"}
    assert "head" not in tunings and {"optimiser", "batch", "norm", "dropout", "features"} <= tunings
    assert of_cell(ENDS[0], 1_000_000) == TrainConfig.paper(128, 3, 1_000_000)
    assert of_cell(ENDS[1], 196_608) == SMALL["3x128"]
