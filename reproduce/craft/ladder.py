"""Does each rung of the book's ladder raise the accuracy?

Nielsen's book climbs from a fully connected network to a vote of five convolutional ones, an idea at a time, on 50,000 or
more images of 28 x 28 pixels. Here the same ideas are tried on 1,000 images of 8 x 8, each with the same number of steps;
that of shifted images also for as many epochs, beside as many steps without these images.
Kernels are 3 x 3 and borders padded, since the images are small. The accuracy is that after the last epoch.

Shapes: n = images, m = members of a vote.
"""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from presswork import Above, Claim, Estimates, Interval, Rows, style, there
from reproduce import printed
from reproduce.craft._runs import CLASSES, CURVES, SIDE, Split, Steps, digits, five_times, layers, train
from reproduce.pictures.panels import dots, panels, ticks

ADDS = {  # rung: what it adds to the one before
    "fully connected": "",
    "one convolution": "a convolution with pooling",
    "two convolutions": "a second convolution",
    "ReLU": "ReLU in place of the sigmoid",
    "shifted images": "training on shifted images as well, at equal steps,",
    "dropout": "dropout before the last layer",
    "vote of five": "a vote of five networks, compared with their mean,",
}
LONGER = {  # a rung that takes more steps than ReLU, with which it is compared
    "ReLU for as many steps": "five times as many steps without shifted images",
    "shifted images for as many epochs": "training on shifted images as well, for as many epochs,",
}
*TRAINED, VOTE = ADDS
BEFORE = dict(zip([*ADDS][1:], ADDS, strict=False)) | dict.fromkeys(LONGER, "ReLU")
SHIFTED = ("shifted images", "dropout")  # trained on five times as many images
OF = {longer: longer.split(" for ")[0] for longer in LONGER}  # the rung whose network they train
SIGMOID = TRAINED[:3]


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
TABLES = {"rows": ("seed", "rung", "member", "epoch", "step", *CURVES), "votes": ("seed", "accuracy")}
TOLERANCES = dict.fromkeys(
    ("rows.train_accuracy", "rows.test_accuracy", "votes.accuracy"),
    (0.05, "an image that looks like two digits may fall to either on another processor"),
)
PARTS = "seed-{seed}"


def measure(config: Config, seed: int) -> Rows:
    rows = []
    split = digits(seed, config.images)
    for rung in (*config.longer, *TRAINED):
        members = range(config.members if rung == TRAINED[-1] else 1)
        nets = [network(config, OF.get(rung, rung), seed=100 * seed + member) for member in members]
        for member, net in enumerate(nets):
            rows.append(climb(config, rung, net, split, seed).assign(rung=rung, member=member))
    right = vote(nets, split.test.x) == split.test.y  # of the last rung
    votes = [{"seed": seed, "accuracy": round(right.float().mean().item(), 6)}]
    return {"rows": pd.concat(rows), "votes": pd.DataFrame(votes)}


def network(config: Config, rung: str, seed: int) -> nn.Module:
    """From the second rung on a convolution for each number of maps, then two fully connected layers.  (n, 64) -> (n, 10)"""
    torch.manual_seed(seed)
    activation = nn.Sigmoid if rung in SIGMOID else nn.ReLU
    if rung == "fully connected":
        return with_first_weights(layers(config.hidden), activation)
    maps = config.maps[:1] if rung == "one convolution" else config.maps
    side = SIDE // 2 ** len(maps)  # pooling halves it
    net = nn.Sequential(
        nn.Unflatten(1, (1, SIDE, SIDE)),  # (n, 64) -> (n, 1, 8, 8)
        *(convolution(*pair, activation) for pair in zip((1, *maps), maps, strict=False)),
        nn.Flatten(),  # (n, maps, side, side) -> (n, maps * side * side)
        nn.Linear(maps[-1] * side * side, config.hidden),
        activation(),
        nn.Dropout(config.dropout if rung == "dropout" else 0.0),
        nn.Linear(config.hidden, CLASSES),
    )
    return with_first_weights(net, activation)


def convolution(maps: int, more: int, activation: type[nn.Module]) -> nn.Sequential:
    """A map looks at all places with the same weights; pooling keeps the largest of four neighbours."""
    return nn.Sequential(nn.Conv2d(maps, more, 3, padding="same"), activation(), nn.MaxPool2d(2))


def with_first_weights(net: nn.Sequential, activation: type[nn.Module]) -> nn.Sequential:
    """Those of Glorot: a gain of 4 makes up for a sigmoid's slope of at most 1/4.

    With torch's own, which are smaller, two convolutions with sigmoids stay at chance for thousands of steps.
    """
    gain = 4.0 if activation is nn.Sigmoid else nn.init.calculate_gain("relu")
    for part in net.modules():
        if isinstance(part, nn.Conv2d | nn.Linear):
            nn.init.xavier_normal_(part.weight, gain)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
    return net


def climb(config: Config, rung: str, net: nn.Module, split: Split, seed: int) -> pd.DataFrame:
    """As many steps for each rung, or five times as many for those of LONGER."""
    rate = config.sigmoid_rate if rung in SIGMOID else config.relu_rate
    epochs = config.epochs * (5 if rung in LONGER else 1)  # of the plain images
    if OF.get(rung, rung) in SHIFTED:
        split, epochs = Split(five_times(split.train), split.test), epochs // 5
    steps = Steps(epochs, rate=rate)
    frame = train(net, split, steps, seed)
    return frame.assign(seed=seed, step=frame["epoch"] * (len(split.train.y) // steps.batch))


@torch.no_grad()
def vote(members: list[nn.Module], x: Tensor) -> Tensor:
    """The digit that most members name; of digits with equally many votes, the smallest.  (n, 64) -> (n,)"""
    return torch.stack([net(x).argmax(1) for net in members]).mode(0).values  # (m, n) -> (n,)


# ------------------------------------------------------------------------------------------------- estimates


def accuracies(rows: Rows) -> pd.DataFrame:
    """Seeds x rungs, after the last epoch; of dropout, the mean over the members of the vote."""
    ends = rows["rows"].groupby(["seed", "rung", "member"])["test_accuracy"].last()
    votes = rows["votes"].set_index("seed")["accuracy"]
    table = ends.groupby(["seed", "rung"]).mean().unstack().assign(**{VOTE: votes})
    return table.reindex(columns=[*ADDS, *LONGER])


def estimates(rows: Rows) -> Estimates:
    """{rung: errors on test images in %}, and {(rung, that before it): gain of accuracy, paired by seed}"""
    right = accuracies(rows)
    pairs = [*BEFORE.items(), (VOTE, [*LONGER][-1])]  # a vote takes as many steps as its members together
    gains = {pair: Interval.of_mean(right[pair[0]] - right[pair[1]]) for pair in pairs}
    return there({rung: Interval.of_mean(100 * (1 - values)) for rung, values in right.items()} | gains)


def book() -> pd.Series:
    """The accuracies that it prints, by rung."""
    return pd.read_csv(Path(printed.__file__).with_name("ladder.csv")).set_index("rung")["accuracy"]


def draw(found: Estimates) -> dict[str, Figure]:
    """Error rates on an axis of logarithms, the first rung at the bottom."""
    figure, (axis,) = panels([""], (7.0, 3.6))
    dots(axis, [(rung, found.get(rung)) for rung in ADDS], fmt="o", color=style.colour("ours"),
         label="here: 8 × 8 pixels, 1,000 images")  # fmt: skip
    theirs = "the book: 28 × 28 pixels, 50,000 images"
    axis.plot(100 * (1 - book()), list(ADDS), "D--", color=style.colour("paper"), label=theirs)
    # intervals of few seeds may reach below zero, where logarithms end
    axis.set(xscale="log", xlim=(0.25, 25), xlabel="errors on test images (%)")
    ticks(axis, (0.3, 0.5, 1, 2, 3, 5, 10, 20), "g")
    figure.legend(loc="outside upper center", ncols=2)
    return {"ladder": figure}


def claims() -> list[Claim]:
    """Above the rung before, or above what a rung of more steps is compared with, paired by seed. A ladder that does not rise
    is none, so that zero is not enough."""
    printed_gains = {rung: round(gain, 4) for rung, gain in book().diff().items()}
    return [
        Claim(rung.replace(" ", "_"), f"On the 8 × 8 digits, does {(ADDS | LONGER)[rung]} raise the test accuracy?",
              (rung, BEFORE[rung]), Above(0), "%", printed_gains.get(rung))
        for rung in ("one convolution", VOTE, "shifted images for as many epochs")
    ]  # fmt: skip
