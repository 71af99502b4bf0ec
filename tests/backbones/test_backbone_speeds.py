"""Guards reproduce/backbones/backbone_speeds.py: what is timed, what is counted, and which ratio is claimed."""

import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.training.steps import Training
from reproduce.backbones import _rows, _trainings, backbone_speeds
from reproduce.backbones._trainings import SETTINGS
from reproduce.backbones.backbone_speeds import Runner


def rows(**steps: list[float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"backbone": name, "round": i, "step": one, "forecast": one / 100, "kept": 2_000_000}
        for name, found in steps.items() for i, one in enumerate(found)
    ])  # fmt: skip


def test_ratios_are_of_the_same_round():
    """A round in which everything was slow says the same as the others."""
    found = rows(**{"Mamba": [2.0, 20.0, 2.0], "Mamba-2": [1.0, 10.0, 1.0]})
    stated = {claim.name: claim.found for claim in backbone_speeds.claims(found)}
    assert stated["mamba_takes_longer"].value == pytest.approx(2) and stated["lstm_takes_longer"] is None


def test_what_is_kept_grows_with_depth_and_leaves_weights_out():
    """Four layers keep more than one, of as many parameters; at least the tokens themselves are kept."""
    y = prior.test_set(16).noisy
    x = torch.arange(1.0, 101).expand(y.shape)
    found = []
    for name in ("Elman", "Elman, stacked"):
        config = _trainings.training(_rows.reader(name, 4_000), SETTINGS["Muon"], 6_400, 0)
        found.append(backbone_speeds.kept_by(Runner(Training(config, config.network()), x, y, x[:, 50:])))
    assert found[1] > found[0] > 16 * 50 * 4
