"""Guards reproduce/backbones/backbone_rates.py: what is said of it."""

import pandas as pd

from reproduce.backbones import backbone_rates
from reproduce.backbones.backbone_rates import Config


def rows(**ll: dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"backbone": name, "setting": setting, "width": 64, "parameters": 101_000, "ll": value, "seconds": 1.0}
        for name, settings in ll.items() for setting, value in settings.items()
    ])  # fmt: skip


def test_claims_count_backbones_and_not_settings():
    found = rows(
        LSTM={"Adam, 1e-3": 1.0, "Muon": 1.2}, GRU={"Adam, 1e-3": 1.0, "Muon": 1.1},
        Elman={"Adam, 1e-3": 1.0, "Muon": 0.8},
    )  # fmt: skip
    stated = {one.name: one for one in backbone_rates.claims(found, Config())}
    assert round(stated["muon_is_best"].value, 3) == 0.667
    assert round(stated["settings_matter"].value, 3) == 0.167
