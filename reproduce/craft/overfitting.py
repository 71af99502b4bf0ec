"""What do regularisers do to the four learning curves of a network that overfits?

Each technique trains the same small network on a hundred digits, for the same number of steps: with a penalty on the weights
(L2, L1) or a limit to them (max-norm), with half of the hidden units dropped, with images shifted by a pixel, and with noise
on the pixels; shifted images also for the same number of epochs. They are judged by accuracy, and by the cost in which they
act. Stopping early needs no run of its own: it is a rule, applied to the curves of the network without any technique.
"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.ground.config import later
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.estimates import Estimates, by_mean, cells, leads
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.craft._digits import Digits, Split, digits, five_times
from reproduce.craft._runs import CURVES, Steps, curves, layers, train
from reproduce.pictures.panels import around, legend, panels

NONE, L2, L1, LIMIT, DROPOUT, SHIFTS, NOISE = TECHNIQUES = (
    "none", "L2", "L1", "max-norm", "dropout", "shifts", "noise",
)  # fmt: skip
LONGER = SHIFTS_LONGER, NONE_LONGER = "shifts-for-as-many-epochs", "none-for-as-many-steps"
TIMES = {SHIFTS: 0.2, NONE_LONGER: 5}  # as many epochs
STOPPED, NOT_STOPPED = "stopped early, judged on half of the test images", "not stopped, the same half"
HELP = {
    L2: "L2", L1: "L1", DROPOUT: "dropout of half of the hidden units", SHIFTS: "adding images shifted by a pixel",
    LIMIT: "a limit to the length of weights", NOISE: "noise on the pixels",
    SHIFTS_LONGER: "adding images shifted by a pixel, for as many epochs,",
}  # fmt: skip
SMALL = 1e-3  # a weight below it counts as gone
HALVES = ("stopping_accuracy", "judging_accuracy", "judging_cost")
TITLES = {  # of what is found by technique, with its form and factor in the table
    "test_accuracy": ("test accuracy", ".3f", 1), "test_cost": ("test cost", ".3f", 1),
    "lowest_cost": ("lowest test cost", ".3f", 1), "epoch": ("in epoch", ".0f", 1),
    "small_weights": ("weights below 0.001 (%)", ".1f", 100),
}  # fmt: skip
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
    patience: int = 20  # epochs without a better accuracy, until training stops
    longer: tuple[str, ...] = later(LONGER)


SCALES = {
    "smoke": Config(2, Training(images=40, hidden=6, epochs=10, longest=0.5), patience=3),
    "laptop": Config(1, Training(epochs=200), longer=()),
    "paper": Config(),
}
TABLES = {"rows": ("technique", "seed", "epoch", *CURVES, "small_weights", *HALVES)}


def parts(config: Config) -> list[str]:
    return [*TECHNIQUES, *config.longer]


def measure(config: Config, part: str) -> pd.DataFrame:
    runs = [run(config.training, part, seed).assign(seed=seed) for seed in range(config.seeds)]
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
    history = train(
        net, split, steps, seed, also=lambda net: measured(net, split.test), **changes(training, technique)
    )
    kept = history[history["epoch"] % max(times, 1) == 0]
    return kept.assign(epoch=(kept["epoch"] / times).astype(int))


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


@torch.no_grad()
def measured(net: nn.Module, test: Digits) -> dict[str, float]:
    """The share of small weights, and scores on the half of the test images that may stop and on that which judges."""
    size = torch.cat([w.flatten() for w in weights(net)]).abs()
    half = len(test.y) // 2
    both = curves(net, Split(Digits(test.x[:half], test.y[:half]), Digits(test.x[half:], test.y[half:])))
    scores = (both["train_accuracy"], both["test_accuracy"], both["test_cost"])
    return {"small_weights": (size < SMALL).float().mean().item()} | dict(zip(HALVES, scores, strict=True))


# ------------------------------------------------------------------------------------------------- estimates


def stopped(run: pd.DataFrame, patience: int) -> tuple[int, int]:
    """The epoch whose weights are kept, and that in which training ends; a tie is no better."""
    best = now = 0
    accuracies = run["stopping_accuracy"].tolist()
    for now, accuracy in enumerate(accuracies):
        if accuracy > accuracies[best]:
            best = now
        elif now - best >= patience:
            break
    return best, now


def judged(rows: pd.DataFrame, patience: int) -> dict[str, pd.DataFrame]:
    """Of the runs without any technique, a row for each seed: as they are kept by the rule, and at their end.

    One half of the test images stops; the other judges, since a maximum over epochs flatters the images that chose it.
    """
    runs = [run.sort_values("epoch").index for _, run in rows.groupby("seed")]
    kept = [run[stopped(rows.loc[run], patience)[0]] for run in runs]
    return {STOPPED: rows.loc[kept], NOT_STOPPED: rows.loc[[run[-1] for run in runs]]}


def ends(rows: pd.DataFrame, patience: int) -> pd.DataFrame:
    """A row for each technique and seed, after the last epoch; then for each seed what stopping early is judged by."""
    last = rows.loc[rows.groupby(["technique", "seed"])["epoch"].idxmax()].assign(epoch=math.nan)
    halves = [
        kept.assign(
            technique=name, test_accuracy=kept["judging_accuracy"], test_cost=kept["judging_cost"], small_weights=math.nan
        )
        for name, kept in judged(where(rows, technique=NONE), patience).items()
    ]  # fmt: skip
    return pd.concat([last, *halves], ignore_index=True)


def means(rows: pd.DataFrame, patience: int) -> Estimates:
    """By technique and column of TITLES: after the last epoch, and where the test cost was lowest."""
    lowest = rows.loc[rows.groupby(["technique", "seed"])["test_cost"].idxmin()]
    lowest = lowest[["technique", "epoch"]].assign(lowest_cost=lowest["test_cost"])
    every = pd.concat([ends(rows, patience), lowest]).melt("technique", [*TITLES])
    return by_mean(every.dropna(), ["technique", "variable"], "value", mean)


def mean(values: pd.Series) -> Interval:
    """Of a single seed the number alone, whose ends are not known."""
    return Interval.of_mean(values) or Interval(float(values.mean()), math.nan, math.nan)


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """The four curves, means over seeds."""
    titles = {"train_cost": "cost in training", "test_accuracy": "test accuracy", "test_cost": "test cost",
              "train_accuracy": "accuracy in training"}  # fmt: skip
    figure, axes = panels(titles.values(), (7.6, 5.4), columns=2, sharex=True)
    for axis, curve in zip(axes, titles, strict=True):
        for technique, (colour, dashes) in DRAWN.items():
            course = where(rows, technique=technique).groupby("epoch")[curve].mean()
            axis.plot(course.index, course, dashes, color=style.colour(colour), label=technique, lw=1.5)
        axis.set(**ENDS[curve])
    legend(figure, axes)
    around(figure, "epoch (shifts: as many steps, on five times as many images)")
    return {"curves": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> Rows:
    found, lines = means(rows, config.patience), []
    for technique in (*TECHNIQUES, *LONGER, STOPPED, NOT_STOPPED):
        line = {"technique": technique}
        for column, (title, form, times) in TITLES.items():
            line |= cells(found, technique, {column: title}, form, missing="", times=times)
        lines += [line] if (technique, "test_cost") in found else []
    return {"techniques": pd.DataFrame(lines)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    found, end = means(rows, config.patience), ends(rows, config.patience)
    accuracy, cost = (
        leads(end, "technique", NONE, column, "seed") for column in ("test_accuracy", "test_cost")
    )
    turn, stopping = found.get((NONE, "epoch")), leads(end, "technique", NOT_STOPPED, "test_accuracy", "seed")
    keys = {technique: technique.lower().replace("-", "_") for technique in HELP}
    return [
        Claim("turns_up", "Without any technique, is the test cost lowest in the first half of training?",
              turn and turn.times(1 / rows["epoch"].max()), Below(0.5), "%"),
        *(Claim(f"{keys[technique]}_helps", f"Does {words} raise the final test accuracy of a network that overfits?",
                accuracy.get(technique), Above(0), "%")
          for technique, words in HELP.items()),
        *(Claim(f"{keys[technique]}_lowers_cost", f"Does {words} lower the final test cost of a network that overfits?",
                cost.get(technique), Below(0), "nats")
          for technique, words in HELP.items()),
        Claim("stopping_helps", "Does stopping early raise the test accuracy of a network that overfits?",
              stopping.get(STOPPED), Above(0), "%"),
        Claim("l1_empties", "Does L1 leave more than half of the weights of the network below a thousandth?",
              found.get((L1, "small_weights")), Above(0.5), "%"),
        Claim("l2_keeps", "Does L2 leave less than half of the weights of the network below a thousandth?",
              found.get((L2, "small_weights")), Below(0.5), "%"),
    ]  # fmt: skip
