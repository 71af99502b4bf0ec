"""At which rates a backbone learns best: the same settings and curves for all, which nothing else uses."""

import pandas as pd
import torch

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.networks.query_network import parameters
from reproduce._press.where import where
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import SETTINGS

SEED = 100  # of these trainings alone
CURVES_SEED = 5_150  # of the curves that choose
COLUMNS = ("backbone", "setting", "width", "parameters", "ll", "seconds")


def swept(name: str, settings: tuple[str, ...], size: int, curves: int, scored: int) -> pd.DataFrame:
    """A training of this many parameters and curves with each setting."""
    model = _rows.reader(name, size)
    y = by_number.sample(PriorConfig(), CURVES_SEED, torch.arange(scored)).noisy.float()
    rows = []
    for setting in settings:
        done = _trainings.train(_trainings.training(model, SETTINGS[setting], curves, SEED))
        each = _trainings.likelihoods(done.forecaster, y) if done else {}
        rows.append({
            "backbone": name, "setting": setting, "width": model.width, "parameters": parameters(model),
            "ll": round(float(torch.stack(list(each.values())).mean()), 4) if each else float("nan"),
            "seconds": round(done.seconds, 1) if done else float("nan"),
        })  # fmt: skip
    return pd.DataFrame(rows)


def best(sweep: pd.DataFrame, name: str) -> str:
    """The best setting of this backbone; never one whose loss became NaN."""
    mine = where(sweep, backbone=name)
    return str(mine.loc[mine["ll"].idxmax(), "setting"])


def table(sweep: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    lines = []
    for name in names:
        if (mine := where(sweep, backbone=name)).empty:
            continue
        cells = {s: f"{ll:.3f}" for s, ll in zip(mine["setting"], mine["ll"], strict=True)}
        first = mine.iloc[0]
        size = {"width": first["width"], "parameters": f"{first['parameters']:,}"}
        lines.append({"backbone": name} | size | cells | {"best": best(sweep, name)})
    return pd.DataFrame(lines)
