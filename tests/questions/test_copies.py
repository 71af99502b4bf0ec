"""Guards what stands twice: where one question repeats the settings of another, both say the same."""

from dataclasses import replace

import pandas as pd
import pytest

from curvecast.training.gaps import with_holes
from reproduce._press.contract import ROOT
from reproduce.backbones import _rows, _sweep, _trainings, architectures, state_and_seconds, trial_to_ship
from reproduce.backbones._block_variants import BLOCK
from reproduce.backbones._trainings import SETTINGS, USUAL
from reproduce.language.language_models.trained import PFN, Trainings
from reproduce.practice import _ship
from reproduce.reproduction._grid_cells import whole_grid
from reproduce.trainings import LARGE

AS_IT_SHIPS = trial_to_ship.training(trial_to_ship.SCALES["paper"], "", 0, "Muon")
AS_CURVES_READ = Trainings().config(PFN, 0)  # beside the models of language
LATER_SWEEP = pd.read_csv(ROOT / "figures/more_rows/paper/sweep.minGRU.csv")


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        (AS_IT_SHIPS, replace(with_holes(_ship.TRAIN), curves=AS_IT_SHIPS.curves, draws=AS_IT_SHIPS.draws)),
        (
            AS_CURVES_READ,
            _trainings.training(_rows.reader(_rows.PFN), SETTINGS[USUAL], AS_CURVES_READ.curves, 0),
        ),
        (replace(BLOCK, name=_rows.FAMILIES[_rows.PFN].name), _rows.FAMILIES[_rows.PFN]),
        ([*whole_grid().values()][: len(LARGE)], [*LARGE.values()]),
        (USUAL, _sweep.best(LATER_SWEEP, trial_to_ship.SMALL)),
    ],
    ids=["as it ships", "PFN beside language", "plain block", "first of the grid", "setting of minGRU"],
)
def test_a_copy_says_what_its_original_says(copy, original):
    assert copy == original


@pytest.mark.parametrize(
    "chose", [architectures, state_and_seconds], ids=["architectures", "state and seconds"]
)
def test_fresh_seeds_are_none_of_those_that_chose(chose):
    assert chose.SCALES["paper"].seeds <= _rows.FIRST_FRESH_SEED
