"""At which rates does each backbone learn best?

Six settings of the optimiser, the same for all, on 12,032 curves, with a seed that is used for nothing else. Other questions
train each backbone with the setting that is best here, on curves of the prior that are used for nothing else.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce.backbones import _rows, _sweep
from reproduce.backbones._sweep import best
from reproduce.backbones._trainings import SETTINGS

MARKERS = dict(zip(SETTINGS, "v^sv^s", strict=True))  # rising rates, of either optimiser
STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": _sweep.COLUMNS}
LABEL_FREE = {"settings_matter": "the worst and the best of all settings, whatever these are called"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = _rows.COMPARED
    settings: tuple[str, ...] = tuple(SETTINGS)
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    scored: int = 2_000


SCALES = {
    "smoke": Config(settings=("Adam, 1e-3", "Muon"), parameters=2_000, curves=64, scored=2),
    "laptop": Config(_rows.TELLING, ("Adam, 1e-3", "Muon", "Muon, twice"), curves=1_024, scored=500),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {
    "settings": "the others differ in their rates alone, and 27 backbones with each take long"
}


def parts(config: Config) -> list[str]:
    return [_rows.part(name) for name in config.rows]


def measure(config: Config, part: str) -> pd.DataFrame:
    return _sweep.swept(_rows.named(part), config.settings, config.parameters, config.curves, config.scored)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    """How far each setting is below the best of its backbone."""
    table = rows.pivot_table(index="backbone", columns="setting", values="ll")
    names = [name for name in config.rows if name in table.index][::-1]
    figure, axis = plt.subplots(figsize=(8, 0.9 + 0.27 * len(names)))
    for setting in config.settings:
        lost = [table.loc[name].max() - table.loc[name].get(setting, float("nan")) for name in names]
        muon = SETTINGS[setting].optimiser == "muon"
        axis.plot(
            lost, range(len(names)), linestyle="", marker=MARKERS[setting], label=setting,
            color=style.colour("ours" if muon else "large"), fillstyle="full" if muon else "none",
        )  # fmt: skip
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("nats per point below the best of the six settings (left is better)")
    figure.legend(loc="outside upper center", ncols=3)
    return {"settings": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    return {"settings": _sweep.table(rows, config.rows)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    names = [name for name in config.rows if name in set(rows["backbone"])]
    muon = pd.Series([float(SETTINGS[best(rows, name)].optimiser == "muon") for name in names], dtype=float)
    far = rows.groupby("backbone")["ll"].agg(lambda ll: ll.max() - ll.min())
    all_six = len(config.settings) == len(SETTINGS)
    share = Interval.of_mean(muon)
    return [
        Claim("muon_is_best", "Do most backbones learn best with Muon, which orthogonalises the updates of matrices?",
              share and share.of_share(), Above(0.5), "%"),
        Claim("settings_matter", "Averaged over backbones, is the worst of six optimiser settings far below the best?",
              Interval.of_mean(far) if all_six else None, Above(0.1), "nats per point"),
    ]  # fmt: skip
