"""What do regularisers do to the four learning curves of a network that overfits?

Each technique trains the same small network on a hundred digits, for the same number of steps: with a penalty on the weights
(L2, L1) or a limit to them (max-norm), with half of the hidden units dropped, with images shifted by a pixel, and with noise
on the pixels; shifted images also for the same number of epochs. They are judged by accuracy, and by the cost in which they
act.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.ground.config import later
from presswork import Above, Below, Claim, Estimates, Interval, there, where
from presswork.estimates import leads
from reproduce.craft._runs import CURVES, Split, Steps, digits, five_times, layers, train
from reproduce.pictures.panels import legend, mean_lines, panels

NONE, L2, L1, LIMIT, DROPOUT, SHIFTS, NOISE = TECHNIQUES = (
    "none", "L2", "L1", "max-norm", "dropout", "shifts", "noise",
)  # fmt: skip
LONGER = SHIFTS_LONGER, NONE_LONGER = "shifts-for-as-many-epochs", "none-for-as-many-steps"
TIMES = {SHIFTS: 0.2, NONE_LONGER: 5}  # as many epochs
DRAWN = {NONE: ("oracle", "-"), L2: ("ours", "-"), DROPOUT: ("paper", "--"), SHIFTS: ("exact", "-.")}
ENDS: dict[str, Any] = {  # of the axes; the first epochs, in which all are alike, lie outside
    "train_cost": {"yscale": "log"}, "test_accuracy": {"ylim": (0.82, 0.94)},
    "test_cost": {"ylim": (0.2, 0.8)}, "train_accuracy": {"ylim": (0.92, 1.004)},
}  # fmt: skip


@dataclass(frozen=True)
class Training:
    images: int = 100  # so few that 30 units know all of them after a tenth of the epochs
    hidden: int = 30
    epochs: int = 400
    rate: float = 1.0
    # strengths with the lowest test cost for seeds 100 and 101, which judge nothing here
    decay: float = 3e-4
    l1: float = 3e-4
    longest: float = 4.0  # the length of the weights into a unit
    noise: float = 0.4  # standard deviation; pixels are 0 to 1


@dataclass(frozen=True)
class Config:
    seeds: int = 8
    training: Training = Training()
    longer: tuple[str, ...] = later(LONGER)


SCALES = {
    "smoke": Config(2, Training(images=40, hidden=6, epochs=10, longest=0.5)),
    "laptop": Config(1, Training(epochs=200), longer=()),
    "paper": Config(),
}
TABLES = {"rows": ("technique", "seed", "epoch", *CURVES)}

PARTS = (*TECHNIQUES, "{longer}")


def measure(config: Config, part: str) -> pd.DataFrame:
    runs = [run(config.training, part, seed) for seed in range(config.seeds)]
    return pd.concat(runs, ignore_index=True).assign(technique=part)


def run(training: Training, technique: str, seed: int) -> pd.DataFrame:
    """Where the number of epochs is another, `epoch` counts in the epochs of the other techniques."""
    split, times = digits(seed, training.images), TIMES.get(technique, 1)
    if technique in (SHIFTS, SHIFTS_LONGER):
        split = Split(five_times(split.train), split.test)
    torch.manual_seed(seed)  # first weights, and the units that are dropped
    net = layers(training.hidden)
    if technique == DROPOUT:
        net.insert(2, nn.Dropout(0.5))  # behind the sigmoid, since units are dropped and not what enters them
    steps = Steps(int(training.epochs * times), rate=training.rate, decay=training.decay * (technique == L2))
    history = train(net, split, steps, seed, **changes(training, technique))
    kept = history[history["epoch"] % max(times, 1) == 0]
    return kept.assign(epoch=(kept["epoch"] / times).astype(int), seed=seed)


def changes(training: Training, technique: str) -> dict[str, Any]:
    """What a technique changes in a step, if the optimiser and the network do not do it already."""

    @torch.no_grad()
    def limited(net: nn.Module) -> None:
        for w in weights(net):
            w.copy_(w.renorm(2, 0, training.longest))  # a row for each unit

    def noisy(x: Tensor, chance: torch.Generator) -> Tensor:
        return x + training.noise * torch.randn(x.shape, generator=chance)

    def absolute(net: nn.Module) -> Tensor:  # its gradient is lambda times the sign, so no factor of a half
        return training.l1 * torch.stack([w.abs().sum() for w in weights(net)]).sum()

    by: dict[str, Any] = {L1: {"penalty": absolute}, LIMIT: {"after_step": limited}, NOISE: {"inputs": noisy}}
    return by.get(technique, {})


def weights(net: nn.Module) -> list[Tensor]:
    """Without biases."""
    return [parameter for parameter in net.parameters() if parameter.ndim > 1]


def estimates(rows: pd.DataFrame) -> Estimates:
    """{(curve, technique): what it ends with above a training without any}, and when the cost turns, by its claim's name."""
    end = rows.loc[rows.groupby(["technique", "seed"])["epoch"].idxmax()]
    alone = where(rows, technique=NONE)
    lowest = alone.loc[alone.groupby("seed")["test_cost"].idxmin()].set_index("seed")
    found = {"turns_up": Interval.of_mean(lowest["epoch"] / rows["epoch"].max())}
    above = {curve: leads(end, "technique", NONE, curve, "seed") for curve in ("test_accuracy", "test_cost")}
    return there(found | {(curve, name): one for curve, own in above.items() for name, one in own.items()})


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """The four curves, means over seeds."""
    titles = {"train_cost": "cost in training", "test_accuracy": "test accuracy", "test_cost": "test cost",
              "train_accuracy": "accuracy in training"}  # fmt: skip
    across = "epoch (shifts: as many steps, on five times as many images)"
    figure, axes = panels(titles.values(), (7.6, 5.4), columns=2, across=across, sharex=True)
    for axis, curve in zip(axes, titles, strict=True):
        mean_lines(axis, rows, "epoch", curve, "technique", DRAWN, lw=1.5)
        axis.set(**ENDS[curve])
    legend(figure, axes)
    return {"curves": figure}


def claims() -> list[Claim]:
    does = "Does {} {} of a network that overfits?"
    return [
        Claim("turns_up", "Without any technique, is the test cost lowest in the first half of training?",
              "turns_up", Below(0.5), "%"),
        Claim("max_norm_helps", does.format("a limit to the length of weights", "raise the final test accuracy"),
              ("test_accuracy", LIMIT), Above(0), "%"),
        Claim("shifts_for_as_many_epochs_helps",
              does.format("adding images shifted by a pixel, for as many epochs,", "raise the final test accuracy"),
              ("test_accuracy", SHIFTS_LONGER), Above(0), "%"),
        Claim("l2_lowers_cost", does.format("L2", "lower the final test cost"),
              ("test_cost", L2), Below(0), "nats"),
        Claim("dropout_lowers_cost", does.format("dropout of half of the hidden units", "lower the final test cost"),
              ("test_cost", DROPOUT), Below(0), "nats"),
    ]  # fmt: skip
