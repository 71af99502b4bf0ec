"""What happens on curves that are longer than those of the training?

Networks that were trained on curves of 100 epochs read the first fifth of curves of up to 3,200 epochs from the same prior,
and forecast sixteen later epochs. They read in three ways: as they are, with epochs larger than in training; rescaled, so
that the last epoch is 100 again and points are denser than in training; and thinned to twenty points with rescaled epochs,
as in training. Others are trained on longer curves, with rescaled epochs, and read curves of that length.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.training.batches import Batch, TrainConfig
from curvecast.training.train import Forecaster
from presswork import Above, AtMost, Claim, Estimates, where
from presswork.estimates import leads
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import SETTINGS
from reproduce.pictures.panels import legend, mean_lines, panels, ticks

TRAINED = 100  # epochs of a curve in most trainings
LONGER = (400, 1_600)  # in the others
SEEN, ASKED = 20, 16  # points after thinning, forecast epochs
CURVES_SEED = 6_400  # of the curves that score
WAYS = {
    "as it is": ("ours", ".:"),
    "rescaled": ("ours", ".--"),
    "thinned": ("ours", ".-"),
}  # of reading, and their looks
ON_IT = "trained on this length"
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

    @property
    def longer(self) -> list[int]:
        return [length for length in LONGER if length in self.lengths]


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, lengths=(100, 400), scored=4),
    "laptop": Config(("transformer, encoder", "LSTM"), 1, curves=1_024, lengths=(100, 200, 400), scored=200),
    "paper": Config(),
}
# a training each, on curves of 100 epochs or on longer ones
PARTS = ("{row}-{seed}", "{row}-{seed}.on_{longer}")


def reads(config: Config) -> list[str]:
    return [SWEEP]


def measure(
    config: Config, row: str, seed: int, longer: int | None, read: Any
) -> Iterator[dict[str, object]]:
    setting = SETTINGS[_trainings.best(read[SWEEP], row)]
    training = _trainings.training(_rows.reader(row, config.parameters), setting, config.curves, seed)
    lengths, ways = config.lengths, {way: way for way in WAYS}
    if longer:
        training, lengths, ways = on_curves_of(longer, training), (longer,), {ON_IT: "rescaled"}
    done, numbers = _trainings.train(training), torch.arange(config.scored)
    for length in lengths:
        y = by_number.sample(PriorConfig(length=length), CURVES_SEED, numbers).noisy.float()
        for said, way in ways.items():
            ll = likelihood(done.forecaster, y, way) if done else float("nan")
            yield {"backbone": row, "seed": seed, "length": length, "way": said, "ll": round(ll, 4)}


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


class RescaledConfig(TrainConfig):
    """Curves of any length, with epochs that are divided so that they end at 100.

    As many points are read as in a training on 100 epochs, in as many steps: a batch has fewer curves where these are longer,
    and so fewer forecast targets. Its rates are those that suit the larger batches.
    """

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        share = TRAINED / self.prior.length
        for group in super().batches(step, device):
            yield group._replace(x=group.x * share, x_query=group.x_query * share)


def on_curves_of(length: int, training: TrainConfig) -> RescaledConfig:
    batch = training.batch * TRAINED // length
    curves, cutoffs = training.curves * batch // training.batch, min(training.cutoffs, batch)
    new = {"prior": PriorConfig(length=length), "batch": batch, "cutoffs": cutoffs, "curves": curves}
    return RescaledConfig(**vars(training) | new)


def estimates(rows: pd.DataFrame) -> Estimates:
    """{(backbone, length, way of reading or of training): nats per point over thinned curves}"""
    return {
        (*key, way): one
        for key, own in rows.groupby(["backbone", "length"])
        for way, one in leads(own, "way", "thinned", "ll", paired="seed").items()
    }


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    names = [name for name in config.rows if name in set(rows["backbone"])]
    wide = min(3, len(names))
    size = 3.3 * wide, 2.7 * -(-len(names) // wide)
    across = "length of the curve in epochs, a fifth of them observed"
    up = "nats per point (higher is better)"
    figure, axes = panels(names, size, wide, across, up, sharex=True, sharey=True)
    for axis, name in zip(axes, names, strict=True):
        mine = where(rows, backbone=name)
        mean_lines(axis, mine, "length", "ll", "way", WAYS)
        mean_lines(axis, mine, "length", "ll", "way", {ON_IT: "large"}, "D", markersize=5)
        axis.set(xscale="log")
        ticks(axis, config.lengths, ",", rotation=60)
    axes[0].set_ylim(bottom=max(-1, axes[0].get_ylim()[0]))  # shared; a network of seconds may lie far below
    legend(figure, axes, 4)
    return {"longer": figure}


def claims(found: Estimates, config: Config) -> list[Claim]:
    """`breaks` asks whether a network does without thinning: yes where reading a curve as it is costs little."""
    four, many, unit = 4 * TRAINED, max(config.lengths), "nats per point"
    breaks = (
        ("encoder_breaks_at_four_times", "transformer, encoder", "a transformer encoder", four),
        ("encoder_breaks_at_longest", "transformer, encoder", "a transformer encoder", many),
        ("lstm_breaks_at_longest", "LSTM", "an LSTM", many),
        ("s4_breaks_at_longest", "S4, HiPPO", "an S4 network", many),
    )
    below = {key: one.negated() for key, one in found.items()}
    return [
        *(Claim(name, f"Trained on {TRAINED} epochs, does {words} read curves of {length:,} about as well as thinned ones?",
                below.get((backbone, length, "as it is")), AtMost(0.1), unit) for name, backbone, words, length in breaks),
        Claim("mamba_2_gains_by_more_points", f"On rescaled curves of {many:,} epochs, does a Mamba-2 network score higher "
              "with all points than with twenty?", ("Mamba-2", many, "rescaled"), Above(0), unit),
        Claim("lstm_gains_by_training_on_400", f"On curves of {LONGER[0]:,} epochs, does an LSTM that was trained on this "
              f"length score higher than one that was trained on {TRAINED} epochs and reads twenty points?",
              ("LSTM", LONGER[0], ON_IT), Above(0), unit),
    ]  # fmt: skip
