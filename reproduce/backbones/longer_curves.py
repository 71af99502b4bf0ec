"""What happens on curves that are longer than those of the training?

Networks that were trained on curves of 100 epochs read the first fifth of curves of up to 3,200 epochs from the same prior,
and forecast sixteen later epochs. They read in three ways: as they are, with epochs larger than in training; rescaled, so
that the last epoch is 100 again and points are denser than in training; and thinned to twenty points with rescaled epochs,
as in training.
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
from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where
from reproduce.backbones import _rows, _sweep, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.pictures.panels import around, legend, panels, ticks

TRAINED, SEEN, ASKED = 100, 20, 16  # epochs in training, points after thinning, forecast epochs
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
    "smoke": Config(seeds=2, parameters=4_000, curves=64, lengths=(100, 200), scored=4),
    "laptop": Config(("transformer, encoder", "LSTM"), 1, curves=3_008, lengths=(100, 200, 400), scored=200),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return _rows.parts(config.rows, config.seeds)


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    name, seed = _rows.of_part(part)
    setting = SETTINGS[_sweep.best(read[SWEEP], name)]
    done = _trainings.train(
        _trainings.training(_rows.reader(name, config.parameters), setting, config.curves, seed)
    )
    found = []
    for length in config.lengths:
        y = by_number.sample(
            PriorConfig(length=length), CURVES_SEED, torch.arange(config.scored)
        ).noisy.float()
        for way in WAYS:
            ll = likelihood(done.forecaster, y, way) if done else float("nan")
            found.append({"backbone": name, "seed": seed, "length": length, "way": way, "ll": round(ll, 4)})
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
        axis.set(xscale="log")
        ticks(axis, config.lengths, ",", rotation=60)
    axes[0].set_ylim(bottom=max(-1, axes[0].get_ylim()[0]))  # shared; a network of seconds may lie far below
    around(
        figure, "length of the curve in epochs, a fifth of them observed", "nats per point (higher is better)"
    )
    legend(figure, axes, 3)
    return {"longer": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    means = rows.groupby(["backbone", "way", "length"])["ll"].mean()
    lines = [
        {"backbone": name, "read": way} | {f"{length:,}": f"{means[name, way, length]:.2f}" for length in config.lengths}
        for name in config.rows for way in WAYS if (name, way, config.lengths[0]) in means.index
    ]  # fmt: skip
    return {"longer": pd.DataFrame(lines)}


def ahead(rows: pd.DataFrame, name: str, length: int, way: str, over: str) -> Interval | None:
    """The difference between two ways of reading, with an interval over seeds."""
    mine = where(rows, backbone=name, length=length)
    return Interval.of_mean(minus(mine, "way", way, over, "ll", by="seed"))


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    """`breaks` asks whether a network does without thinning: yes where reading a curve as it is costs little."""
    encoder = "encoder", "transformer, encoder", "a transformer encoder"
    decoder = "decoder", "transformer, decoder", "a transformer decoder"
    lstm, s4 = ("lstm", "LSTM", "an LSTM"), ("s4", "S4, HiPPO", "an S4 network")
    many, stated = max(config.lengths), []
    for length, when in ((4 * TRAINED, "four_times"), (many, "longest")):
        for part, name, words in (encoder, decoder, lstm, s4):
            asks = f"Trained on {TRAINED} epochs, does {words} read curves of {length:,} about as well as thinned ones?"
            found = ahead(rows, name, length, "thinned", "as it is")
            stated.append(Claim(f"{part}_breaks_at_{when}", asks, found, AtMost(0.1), "nats per point"))
    for part, name, words in (encoder, lstm, s4):
        asks = f"On rescaled curves of {many:,} epochs, does {words} score higher with all points than with twenty?"
        found = ahead(rows, name, many, "rescaled", "thinned")
        stated.append(Claim(f"{part}_gains_by_more_points", asks, found, Above(0), "nats per point"))
    return stated
