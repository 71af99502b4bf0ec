"""What do regularisers do to the four learning curves of a network that overfits?

Each technique trains the same small network on a hundred digits, for the same number of steps; shifted images also for the
same number of epochs. They are judged by accuracy, and by the cost in which they act. Stopping early needs no run
of its own: it is a rule, applied to the curves of the network without any technique.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.ground.config import later
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import where
from reproduce.craft._runs import CURVES
from reproduce.craft.overfitting import techniques
from reproduce.craft.overfitting.stopping import judged
from reproduce.craft.overfitting.techniques import (
    DROPOUT,
    L1,
    L2,
    LIMIT,
    LONGER,
    NOISE,
    NONE,
    SHIFTS,
    SHIFTS_LONGER,
    TECHNIQUES,
)
from reproduce.pictures.panels import around, legend, panels

HELP = {
    L2: "L2", L1: "L1", DROPOUT: "dropout of half of the hidden units", SHIFTS: "adding images shifted by a pixel",
    LIMIT: "a limit to the length of weights", NOISE: "noise on the pixels",
    SHIFTS_LONGER: "adding images shifted by a pixel, for as many epochs,",
}  # fmt: skip
DRAWN = {NONE: ("oracle", "-"), L2: ("ours", "-"), DROPOUT: ("paper", "--"), SHIFTS: ("exact", "-.")}
ENDS: dict[str, Any] = {  # of the axes; the first epochs, in which all are alike, lie outside
    "train_cost": {"yscale": "log"}, "test_accuracy": {"ylim": (0.82, 0.94)},
    "test_cost": {"ylim": (0.2, 0.8)}, "train_accuracy": {"ylim": (0.92, 1.004)},
}  # fmt: skip
TABLES = {"rows": ("technique", "seed", "epoch", *CURVES, "small_weights", *techniques.HALVES)}


@dataclass(frozen=True)
class Config:
    seeds: int = 8
    training: techniques.Training = techniques.Training()
    patience: int = 20  # epochs without a better accuracy, until training stops
    longer: tuple[str, ...] = later(LONGER)


SCALES = {
    "smoke": Config(2, techniques.Training(images=40, hidden=6, epochs=10, longest=0.5), patience=3),
    "laptop": Config(1, techniques.Training(epochs=200), longer=()),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [*TECHNIQUES, *config.longer]


def measure(config: Config, part: str) -> pd.DataFrame:
    runs = [techniques.run(config.training, part, seed).assign(seed=seed) for seed in range(config.seeds)]
    return pd.concat(runs, ignore_index=True).assign(technique=part)


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """The four curves, means over seeds."""
    titles = {"train_cost": "cost in training", "test_accuracy": "test accuracy", "test_cost": "test cost",
              "train_accuracy": "accuracy in training"}  # fmt: skip
    figure, axes = panels(titles.values(), (7.6, 5.4), columns=2, sharex=True)
    for axis, curve in zip(axes, titles, strict=True):
        for technique, (colour, dashes) in DRAWN.items():
            mean = where(rows, technique=technique).groupby("epoch")[curve].mean()
            axis.plot(mean.index, mean, dashes, color=style.colour(colour), label=technique, lw=1.5)
        axis.set(**ENDS[curve])
    legend(figure, axes)
    around(figure, "epoch (shifts: as many steps, on five times as many images)")
    return {"curves": figure}


def last(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """After the last epoch: a line for each seed, a column for each technique."""
    ends = rows.loc[rows.groupby(["technique", "seed"])["epoch"].idxmax()]
    return ends.pivot(index="seed", columns="technique", values=column).reindex(
        columns=[*TECHNIQUES, *LONGER]
    )


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    """At the end of training, and where the test cost was lowest."""
    lines = []
    for technique in [name for name in (*TECHNIQUES, *LONGER) if name in set(rows["technique"])]:
        runs = where(rows, technique=technique)
        lowest = runs.loc[runs.groupby("seed")["test_cost"].idxmin()]
        lines.append({
            "technique": technique,
            "test accuracy": _mean(last(rows, "test_accuracy")[technique], ".3f"),
            "test cost": _mean(last(rows, "test_cost")[technique], ".3f"),
            "lowest test cost": _mean(lowest["test_cost"], ".3f"), "in epoch": _mean(lowest["epoch"], ".0f"),
            "weights below 0.001 (%)": _mean(100 * last(rows, "small_weights")[technique], ".1f"),
        })  # fmt: skip
    for name, kept in judged(where(rows, technique=NONE), config.patience).items():
        if len(kept):
            lines.append({
                "technique": name, "test accuracy": _mean(kept["judging_accuracy"], ".3f"),
                "test cost": _mean(kept["judging_cost"], ".3f"), "in epoch": _mean(kept["epoch"], ".0f"),
            })  # fmt: skip
    return {"techniques": pd.DataFrame(lines).fillna("")}


def _key(technique: str) -> str:
    return technique.lower().replace("-", "_")


def _mean(values: pd.Series, form: str) -> str:
    return in_cell(Interval.of_mean(values), form, missing=f"{values.mean():{form}}")


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    plain = where(rows, technique=NONE)
    accuracy, cost, small = (last(rows, column) for column in ("test_accuracy", "test_cost", "small_weights"))
    early, end = judged(plain, config.patience).values()
    gain = early["judging_accuracy"].to_numpy() - end["judging_accuracy"].to_numpy() if len(early) else ()
    turn = plain.loc[plain.groupby("seed")["test_cost"].idxmin(), "epoch"] / plain["epoch"].max()
    return [
        Claim("turns_up", "Without any technique, is the test cost lowest in the first half of training?",
              Interval.of_mean(turn), Below(0.5), "%"),
        *(Claim(f"{_key(technique)}_helps", f"Does {words} raise the final test accuracy of a network that overfits?",
                Interval.of_mean((accuracy[technique] - accuracy[NONE]).dropna()), Above(0), "%")
          for technique, words in HELP.items()),
        *(Claim(f"{_key(technique)}_lowers_cost", f"Does {words} lower the final test cost of a network that overfits?",
                Interval.of_mean((cost[technique] - cost[NONE]).dropna()), Below(0), "nats")
          for technique, words in HELP.items()),
        Claim("stopping_helps", "Does stopping early raise the test accuracy of a network that overfits?",
              Interval.of_mean(pd.Series(gain, dtype=float)), Above(0), "%"),
        Claim("l1_empties", "Does L1 leave more than half of the weights of the network below a thousandth?",
              Interval.of_mean(small[L1].dropna()), Above(0.5), "%"),
        Claim("l2_keeps", "Does L2 leave less than half of the weights of the network below a thousandth?",
              Interval.of_mean(small[L2].dropna()), Below(0.5), "%"),
    ]  # fmt: skip
