"""At which rates does each backbone learn best?

Six settings of the optimiser, the same for all, on 12,032 curves, with a seed that is used for nothing else. Other questions
train each backbone with the setting that is best here, on curves of the prior that are used for nothing else. Two rows that
joined when the others had been compared have their rates from the same trainings; no claim and no figure counts them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.networks.heads import parameters
from presswork import Above, Claim, Estimates, Interval, style, there
from presswork.estimates import cells
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._rows import COMPARED, LATER
from reproduce.backbones._trainings import SETTINGS, best

SEED = 100  # of these trainings alone
CURVES_SEED = 5_150  # of the curves that choose
MARKERS = dict(zip(SETTINGS, "v^sv^s", strict=True))  # rising rates, of either optimiser
STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": ("backbone", "setting", "width", "parameters", "ll", "seconds")}
LABEL_FREE = {"settings_matter": "the worst and the best of all settings, whatever these are called"}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = (*COMPARED, *LATER)
    settings: tuple[str, ...] = tuple(SETTINGS)
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    scored: int = 2_000


SCALES = {
    "smoke": Config(settings=("Adam, 1e-3", "Muon"), parameters=2_000, curves=64, scored=2),
    "laptop": Config(_rows.TELLING, ("Adam, 1e-3", "Muon", "Muon, twice"), curves=1_024, scored=500),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {"settings": "others differ in their rates alone, and 29 backbones with each take long"}
PARTS = "{row}"


def measure(config: Config, row: str) -> Iterator[dict[str, object]]:
    """A training with each setting."""
    model = _rows.reader(row, config.parameters)
    y = by_number.sample(PriorConfig(), CURVES_SEED, torch.arange(config.scored)).noisy.float()
    for setting in config.settings:
        done = _trainings.train(_trainings.training(model, SETTINGS[setting], config.curves, SEED))
        each = _trainings.likelihoods(done.forecaster, y) if done else {}
        yield {
            "backbone": row, "setting": setting, "width": model.width, "parameters": parameters(model),
            "ll": round(float(torch.stack(list(each.values())).mean()), 4) if each else float("nan"),
            "seconds": round(done.seconds, 1) if done else float("nan"),
        }  # fmt: skip


def estimates(rows: pd.DataFrame, config: Config) -> Estimates:
    """{("settings", backbone, setting): nats per point of one training}, and by claim, over backbones."""
    compared, all_six = rows[rows["backbone"].isin(COMPARED)], len(config.settings) == len(SETTINGS)
    names = compared["backbone"].unique()
    muon = {name: float(SETTINGS[best(rows, name)].optimiser == "muon") for name in names}
    share = Interval.of_mean(pd.Series(muon, dtype=float).rename_axis("backbone"))
    far = compared.groupby("backbone")["ll"].agg(lambda ll: ll.max() - ll.min())
    matter = Interval.of_mean(far) if all_six else None
    each = rows[["backbone", "setting", "ll"]].dropna().itertuples(index=False)
    found = {("settings", *which): Interval.without_ends(ll) for *which, ll in each}
    return found | there({"muon_is_best": share and share.of_share(), "settings_matter": matter})


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    """How far each setting is below the best of its backbone."""
    table = rows.pivot_table(index="backbone", columns="setting", values="ll")
    names = [name for name in COMPARED if name in table.index][::-1]
    figure, axis = plt.subplots(figsize=(8, 0.9 + 0.27 * len(names)))
    for setting in config.settings:
        lost = [table.loc[name].max() - table.loc[name].get(setting, float("nan")) for name in names]
        colour, fill = ("ours", "full") if SETTINGS[setting].optimiser == "muon" else ("large", "none")
        look: dict[str, Any] = {"color": style.colour(colour), "fillstyle": fill, "linestyle": ""}
        axis.plot(lost, range(len(names)), marker=MARKERS[setting], label=setting, **look)
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("nats per point below the best of the six settings (left is better)")
    figure.legend(loc="outside upper center", ncols=3)
    return {"settings": figure}


def tabulate(rows: pd.DataFrame, found: Estimates) -> dict[str, pd.DataFrame]:
    lines = []
    for name, mine in rows.groupby("backbone", sort=False):
        first, nats = mine.iloc[0], cells(found, ("settings", name), mine["setting"], ".3f", missing="nan")
        size = {"width": first["width"], "parameters": f"{first['parameters']:,}"}
        lines.append({"backbone": name} | size | nats | {"best": best(mine, str(name))})
    return {"settings": pd.DataFrame(lines)}


def claims() -> list[Claim]:
    return [
        Claim("muon_is_best", "Do most backbones learn best with Muon, which orthogonalises the updates of matrices?",
              "muon_is_best", Above(0.5), "%"),
        Claim("settings_matter", "Averaged over backbones, is the worst of six optimiser settings far below the best?",
              "settings_matter", Above(0.1), "nats per point"),
    ]  # fmt: skip
