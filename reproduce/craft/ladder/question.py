"""Does each rung of the book's ladder raise the accuracy?

Nielsen's book climbs from a fully connected network to a vote of five convolutional ones, an idea at a time, on 50,000 or
more images of 28 x 28 pixels. Here the same ideas are tried on 1,000 images of 8 x 8, each with the same number of steps;
that of shifted images also for as many epochs, beside as many steps without these images.
Kernels are 3 x 3 and borders padded, since the images are small. The accuracy is that after the last epoch.
"""

from dataclasses import dataclass

import pandas as pd
import torch
from torch import nn

from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce.craft._digits import Split, digits, five_times
from reproduce.craft._runs import CURVES, Steps, train
from reproduce.craft.ladder import figure_and_table
from reproduce.craft.ladder.figure_and_table import ADDS, LONGER, accuracies, book, gains
from reproduce.craft.ladder.networks import convolutional, fully_connected, vote

TABLES = {"rows": ("seed", "rung", "member", "epoch", "step", *CURVES), "votes": ("seed", "accuracy")}
TOLERANCES = dict.fromkeys(
    ("rows.train_accuracy", "rows.test_accuracy", "votes.accuracy"),
    (0.05, "an image that looks like two digits may fall to either on another processor"),
)
TRAINED = list(ADDS)[:-1]
SHIFTED = ("shifted images", "dropout")  # trained on five times as many images
OF = {longer: longer.split(" for ")[0] for longer in LONGER}  # the rung whose network they train
SIGMOID = ("fully connected", "one convolution", "two convolutions")


@dataclass(frozen=True)
class Config:
    seeds: int = 5  # each with other images
    images: int = 1_000
    epochs: int = 30
    sigmoid_rate: float = 0.5
    relu_rate: float = 0.1
    maps: tuple[int, int] = (12, 24)
    hidden: int = 100
    dropout: float = 0.5
    members: int = 5  # of the vote, which are networks of the rung before it
    longer: tuple[str, ...] = tuple(LONGER)


SCALES = {
    "smoke": Config(2, 100, 5, 0.5, 0.1, (2, 3), 10, 0.5, 3),
    "laptop": Config(seeds=2, epochs=10, longer=()),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    rows, seed = [], int(part.removeprefix("seed-"))
    split = digits(seed, config.images)
    for rung in (*config.longer, *TRAINED):
        members = range(config.members if rung == TRAINED[-1] else 1)
        nets = [network(config, OF.get(rung, rung), seed=100 * seed + member) for member in members]
        for member, net in enumerate(nets):
            rows.append(climb(config, rung, net, split, seed).assign(seed=seed, rung=rung, member=member))
    right = vote(nets, split.test.x) == split.test.y  # of the last rung
    votes = [{"seed": seed, "accuracy": round(right.float().mean().item(), 6)}]
    return {"rows": pd.concat(rows), "votes": pd.DataFrame(votes)}


def network(config: Config, rung: str, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    if rung == "fully connected":
        return fully_connected(config.hidden)
    maps = config.maps[:1] if rung == "one convolution" else config.maps
    activation = nn.Sigmoid if rung in SIGMOID else nn.ReLU
    return convolutional(maps, config.hidden, activation, config.dropout if rung == "dropout" else 0.0)


def climb(config: Config, rung: str, net: nn.Module, split: Split, seed: int) -> pd.DataFrame:
    """As many steps for each rung, or five times as many for those of LONGER."""
    rate = config.sigmoid_rate if rung in SIGMOID else config.relu_rate
    epochs = config.epochs * (5 if rung in LONGER else 1)  # of the plain images
    if OF.get(rung, rung) in SHIFTED:
        split, epochs = Split(five_times(split.train), split.test), epochs // 5
    steps = Steps(epochs, rate=rate)
    frame = train(net, split, steps, seed)
    return frame.assign(step=frame["epoch"] * (len(split.train.y) // steps.batch))


draw, tabulate = figure_and_table.draw, figure_and_table.tabulate


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    """A rung beside the one before, paired by seed. A ladder that does not rise is none, so that zero is not enough."""
    above, printed_gains = gains(accuracies(rows)), book().diff()
    return [
        *(Claim(rung.replace(" ", "_"), f"On the 8 × 8 digits, does {added} raise the test accuracy?",
                Interval.of_mean(above[rung]), Above(0), "%", round(float(printed_gains[rung]), 4))
          for rung, added in ADDS.items() if added),
        *(Claim(rung.replace(" ", "_"), f"On the 8 × 8 digits, does {words} raise the test accuracy?",
                Interval.of_mean(above[rung].dropna()), Above(0), "%")
          for rung, words in zip(LONGER, ("five times as many steps without shifted images",
                                          "training on shifted images as well, for as many epochs,"), strict=True)),
    ]  # fmt: skip
