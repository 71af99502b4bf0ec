"""What happens on curves that are longer than those of the training?

Networks that were trained on curves of 100 epochs read the first fifth of curves of up to 3,200 epochs from the same prior,
and forecast sixteen later epochs. They read in three ways: as they are, with epochs larger than in training; rescaled, so
that the last epoch is 100 again and points are denser than in training; and thinned to twenty points with rescaled epochs,
as in training. Others are trained on longer curves, with rescaled epochs, and read curves of that length.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.training.train import Forecaster
from reproduce._press import style
from reproduce._press.claim import Claim
from reproduce._press.where import where
from reproduce.backbones import _rows, _sweep, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.backbones.longer_curves import stated
from reproduce.backbones.longer_curves.rescaled import LONGER, TRAINED, on_curves_of
from reproduce.backbones.longer_curves.stated import ON_IT
from reproduce.pictures.panels import around, legend, panels, ticks

SEEN, ASKED = 20, 16  # points after thinning, forecast epochs
CURVES_SEED = 6_400  # of the curves that score
WAYS = {"as it is": ":", "rescaled": "--", "thinned": "-"}
SWEEP = "backbone_rates/paper"
TABLES = {"rows": ("backbone", "seed", "length", "way", "ll")}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = (
        "transformer, encoder", "transformer, decoder", "LSTM", "S4, HiPPO", "Mamba-2", "linear attention",
    )  # fmt: skip
    seeds: int = 3
    parameters: int = _rows.PARAMETERS
    curves: int = 12_032
    lengths: tuple[int, ...] = (100, 200, 400, 800, 1_600, 3_200)
    scored: int = 400


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, lengths=(100, 400), scored=4),
    "laptop": Config(("transformer, encoder", "LSTM"), 1, curves=3_008, lengths=(100, 200, 400), scored=200),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    """A training each: "LSTM-0" on curves of 100 epochs, "LSTM-0.on_400" on longer ones."""
    usual = _rows.parts(config.rows, config.seeds)
    return usual + [f"{one}.on_{length}" for length in LONGER if length in config.lengths for one in usual]


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    of_usual, _, longer = part.partition(".on_")
    name, seed = _rows.of_part(of_usual)
    setting = SETTINGS[_sweep.best(read[SWEEP], name)]
    training = _trainings.training(_rows.reader(name, config.parameters), setting, config.curves, seed)
    lengths, ways = config.lengths, {way: way for way in WAYS}
    if longer:
        training, lengths, ways = on_curves_of(int(longer), training), (int(longer),), {ON_IT: "rescaled"}
    done, found = _trainings.train(training), []
    for length in lengths:
        y = by_number.sample(
            PriorConfig(length=length), CURVES_SEED, torch.arange(config.scored)
        ).noisy.float()
        for said, way in ways.items():
            ll = likelihood(done.forecaster, y, way) if done else float("nan")
            found.append({"backbone": name, "seed": seed, "length": length, "way": said, "ll": round(ll, 4)})
    return pd.DataFrame(found)


def likelihood(forecaster: Forecaster, y: Tensor, way: str) -> float:
    """Mean log-density of the forecast epochs, for curves (n, T)."""
    T = y.shape[1]
    x = torch.arange(1.0, T + 1)
    given = x if way == "as it is" else x * TRAINED / T
    return float(_trainings.log_density(forecaster, y, *places(T, thin=way == "thinned"), 50, given).mean())


def places(T: int, thin: bool) -> tuple[Tensor, Tensor]:
    """Indices of the observed epochs, in the first fifth, and of the forecast ones, evenly spread over the rest."""
    first = T * SEEN // TRAINED
    shown = torch.arange(first)[T // TRAINED - 1 :: T // TRAINED] if thin else torch.arange(first)
    asked = first + (torch.arange(1, ASKED + 1) * (T - first)) // ASKED - 1
    return shown, asked


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    names = [name for name in config.rows if name in set(rows["backbone"])]
    wide = min(3, len(names))
    figure, axes = panels(names, (3.3 * wide, 2.7 * -(-len(names) // wide)), wide, sharex=True, sharey=True)
    for axis, name in zip(axes, names, strict=True):
        for way, dashes in WAYS.items():
            middle = where(rows, backbone=name, way=way).groupby("length")["ll"].mean()
            axis.plot(middle.index, middle, dashes, marker=".", color=style.colour("ours"), label=way)
        middle = where(rows, backbone=name, way=ON_IT).groupby("length")["ll"].mean()
        axis.plot(middle.index, middle, "D", markersize=5, color=style.colour("large"), label=ON_IT)
        axis.set(xscale="log")
        ticks(axis, config.lengths, ",", rotation=60)
    axes[0].set_ylim(bottom=max(-1, axes[0].get_ylim()[0]))  # shared; a network of seconds may lie far below
    around(
        figure, "length of the curve in epochs, a fifth of them observed", "nats per point (higher is better)"
    )
    legend(figure, axes, 4)
    return {"longer": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    means = rows.groupby(["backbone", "way", "length"])["ll"].mean()
    lines = [
        {"backbone": name, "read": way} | {f"{one:,}": in_cell(means.get((name, way, one))) for one in config.lengths}
        for name in config.rows for way in (*WAYS, ON_IT) if (name, way) in means.index
    ]  # fmt: skip
    return {"longer": pd.DataFrame(lines)}


def in_cell(ll: float | None) -> str:
    return "" if ll is None else f"{ll:.2f}"


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    return stated.claims(rows, config.lengths)
