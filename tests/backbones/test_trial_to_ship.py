"""Guards reproduce/backbones/trial_to_ship.py: three networks alike but for what reads, in as much time."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from curvecast.networks.heads import SpreadHead
from curvecast.networks.query_network import parameters
from curvecast.training.gaps import GapConfig
from reproduce._press.contract import ROOT
from reproduce.backbones import _sweep, trial_to_ship
from reproduce.backbones._rows import PFN
from reproduce.backbones._trainings import USUAL
from reproduce.backbones.trial_to_ship import ATTENTION, BEST, SCALES, SHIPS, SMALL
from reproduce.practice._ship import TRAIN


def test_as_it_ships_is_what_ships_but_for_the_number_of_curves():
    found = trial_to_ship.training(SCALES["paper"], "", 0, "Muon")
    assert found.model == TRAIN.model and found.prior == TRAIN.prior and found.bars == TRAIN.bars
    assert (found.optimiser, found.lr, found.matrix_lr) == (TRAIN.optimiser, TRAIN.lr, TRAIN.matrix_lr)
    assert isinstance(found, GapConfig) and found.curves < TRAIN.curves


@pytest.mark.parametrize("backbone", [PFN, "CNN", "encoder–decoder"])
def test_another_backbone_is_as_large_and_reads_the_spread(backbone):
    ships, other = (trial_to_ship.training(SCALES["paper"], name, 0, "Muon") for name in ("", backbone))
    assert parameters(other.model) == pytest.approx(parameters(ships.model), rel=0.02)
    assert isinstance(other.network().head, SpreadHead)
    assert replace(other, model=ships.model) == ships


def test_a_step_of_a_network_beside_itself_costs_once_as_much():
    tiny = trial_to_ship.training(SCALES["smoke"], "", 0, "Muon")
    assert 0.3 < trial_to_ship.dearer(tiny, tiny) < 3


def test_the_best_other_is_taken_at_equal_time_and_is_never_the_attention():
    rows = pd.DataFrame(
        [("parameters", "LSTM", 3.0), ("parameters", "CNN", 1.0), ("time", PFN, 9.0), ("time", "LSTM", 1.0),
         ("time", "CNN", 2.0), ("", "Gaussian process", 8.0)], columns=["budget", "backbone", "ll"],
    )  # fmt: skip
    assert trial_to_ship.best_other(rows) == "CNN"
    assert trial_to_ship.best_other(rows[rows["budget"] != "time"]) == "LSTM"


def test_mingru_has_the_setting_with_which_it_learned_best():
    sweep = pd.read_csv(ROOT / "figures/more_rows/paper/sweep.minGRU.csv")
    assert _sweep.best(sweep, SMALL) == USUAL


@pytest.mark.parametrize(("every", "shown"), [(1, [1, 2, 3, 4, 5]), (3, [3])])
def test_what_was_logged_is_shown_and_all_that_comes_is_asked(every, shown):
    calls = []
    forecaster = SimpleNamespace(
        log_density=lambda x, y, x_query, y_query: calls.append((x, x_query)) or y_query
    )
    trial_to_ship.likelihood(forecaster, torch.rand(3, 9), 5, every)
    assert calls[0][0][0].tolist() == shown and calls[0][1][0].tolist() == [6, 7, 8, 9]


def test_claims_name_the_backbone_and_take_halves_apart():
    lls = {SHIPS: (1.0, 1.0), ATTENTION: (1.1, 1.1), BEST: (0.9, 1.3)}  # of the paper's prior, of laws
    rows = pd.DataFrame([
        {"network": network, "backbone": "CNN" if network == BEST else PFN, "seed": seed, "half": half,
         "ll": ll + 0.001 * seed}
        for seed in range(3) for network, both in lls.items()
        for half, ll in zip(trial_to_ship.HALVES, both, strict=True)
    ])  # fmt: skip
    stated = {one.name: one for one in trial_to_ship.claims(rows, SCALES["paper"])}
    assert (
        stated["beats_what_ships"].value == pytest.approx(0.1) and "“CNN”" in stated["beats_what_ships"].asks
    )
    assert (
        stated["beats_what_ships_on_laws"].holds() and stated["beats_what_ships_on_papers"].holds() is False
    )
