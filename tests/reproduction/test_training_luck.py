"""Guards reproduce/reproduction/training_luck.py: one recipe, and only its seed changes."""

from dataclasses import replace

import pandas as pd
import pytest

from reproduce.reproduction import training_luck
from reproduce.reproduction.training_luck import Config
from reproduce.trainings import SMALL


def test_trainings_differ_by_their_seed_alone():
    """The first is the network that the pages speak of, so that its weights are shared."""
    config = Config()
    assert training_luck.models(config)[0] == SMALL["3x128"]
    assert {replace(train, seed=0) for train in training_luck.models(config)} == {SMALL["3x128"]}
    assert [training_luck.needs(config, part) for part in training_luck.parts(config)] == [
        [train] for train in training_luck.models(config)
    ]


def rows(*scores: float) -> dict[str, pd.DataFrame]:
    seeds = range(len(scores))
    ll = pd.DataFrame({"seed": seeds, "cutoff": 10, "n": 9, "ll_even": scores, "ll_even_se": 0.01})
    held = pd.DataFrame(
        {"seed": seeds, "cutoff": 40, "held": [0.80 + s / 10 for s in scores], "held_se": 0.01}
    )
    return {"rows": ll, "beyond": held}


def claimed(found: dict[str, pd.DataFrame]) -> dict[str, object]:
    stated = training_luck.claims(found, Config(cutoffs=(10,), shares=(40,)))
    return {claim.name: claim for claim in stated}


def test_the_farthest_training_is_what_counts():
    found = claimed(rows(1.0, 1.0, 1.06))
    assert found["seeds_agree_at_10"].value == pytest.approx(0.04) and not found["seeds_agree_at_10"].holds()
    assert claimed(rows(1.0, 1.0, 1.006))["seeds_agree_at_10"].holds()


def test_bands_beyond_100_are_judged_over_trainings():
    """Their interval is of three numbers, one a training, however many curves there are."""
    found = claimed(rows(0.1, 0.2, 0.3))["beyond_100"]
    assert found.value == pytest.approx(0.82) and found.found.low == pytest.approx(
        0.82 - 4.303 * 0.01 / 3**0.5, abs=1e-4
    )
