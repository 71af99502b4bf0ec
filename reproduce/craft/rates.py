"""Which learning rate?

The same network with three rates a factor of ten apart; the largest rate at which the cost falls from the first epoch on,
searched by factors of ten, and half of it; rates that change during training; and batches of other sizes, for as many epochs.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Below, Claim
from reproduce._press.estimates import Estimates, by_mean, leads, there
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.craft._digits import digits
from reproduce.craft._runs import CURVES, Steps, layers, train
from reproduce.pictures.panels import around, panels

CONSTANT, DROPS, COSINE = "constant", "drops", "cosine"
KEYS = ["rate", "schedule", "batch"]
SPAN = 5  # epochs before and after a drop that are compared


@dataclass(frozen=True)
class Training:
    epochs: int = 60
    hidden: int = 30
    images: int = 1_000
    warm_up: int = 5  # epochs, before the cosine has its full rate


@dataclass(frozen=True)
class Config:
    seeds: int = 5
    training: Training = Training()
    rates: tuple[float, float, float] = (0.05, 0.5, 5.0)
    batch: int = 10
    batches: tuple[int, ...] = (5, 20, 100)  # at the middle rate
    tried: tuple[float, ...] = (0.005, 0.05, 0.5, 5.0, 50.0)
    tried_for: int = 5  # epochs


SCALES = {
    "smoke": Config(2, Training(12, 6, 60, warm_up=2), batches=(20,), tried=(0.5, 50.0), tried_for=2),
    "laptop": Config(1, Training(20)),
    "paper": Config(),
}
TABLES = {"rows": (*KEYS, "seed", "epoch", *CURVES), "search": ("seed", "threshold")}


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> Rows:
    seed, (small, middle, large) = int(part.removeprefix("seed-")), config.rates
    limit = threshold(config.training, config.tried, config.tried_for, config.batch, seed)
    plans = [(rate, CONSTANT, config.batch) for rate in (small, middle, large, limit / 2)]
    plans += [(rate, schedule, config.batch) for rate in (middle, large) for schedule in (DROPS, COSINE)]
    plans += [(middle, CONSTANT, batch) for batch in config.batches]
    runs = pd.concat([run(config.training, *plan, seed) for plan in plans], ignore_index=True)
    return {"rows": runs, "search": pd.DataFrame([{"seed": seed, "threshold": limit}])}


def schedules(training: Training) -> dict[str, Callable[[int], float]]:
    """The share of the rate in an epoch, counted from 1: a tenth after half of them, a hundredth after three quarters."""
    last, warm = training.epochs, training.warm_up

    def cosine(epoch: int) -> float:
        done = max(0, epoch - warm) / (last - warm)
        return epoch / warm if epoch < warm else (1 + math.cos(math.pi * done)) / 2

    return {
        CONSTANT: lambda epoch: 1.0,
        DROPS: lambda epoch: 0.1 ** ((epoch > last // 2) + (epoch > 3 * last // 4)),
        COSINE: cosine,
    }


def run(training: Training, rate: float, schedule: str, batch: int, seed: int) -> pd.DataFrame:
    torch.manual_seed(seed)  # first weights
    net, steps = layers(training.hidden), Steps(training.epochs, batch, rate)
    share = schedules(training)[schedule]
    history = train(net, digits(seed, training.images), steps, seed, rate_of=share)
    return history.assign(rate=rate, schedule=schedule, batch=batch, seed=seed)


def threshold(training: Training, rates: Iterable[float], epochs: int, batch: int, seed: int) -> float:
    """The largest of these rates at which the cost in training falls in each of the first epochs; 0 if none does."""
    brief = replace(training, epochs=epochs)
    fall = [rate for rate in rates if rises(run(brief, rate, CONSTANT, batch, seed)["train_cost"]) == 0]
    return max(fall, default=0)


def size_of_rises(cost: pd.Series) -> float:
    """The mean rise of the cost in an epoch in which it rises; 0 where it never does."""
    steps = cost.diff()
    return float(steps[steps > 0].mean()) if (steps > 0).any() else 0.0


def rises(cost: pd.Series) -> int:
    """In how many epochs the cost was no lower than before; one that is not finite counts as a rise."""
    return int((~(cost.diff().iloc[1:] < 0)).sum())


# ------------------------------------------------------------------------------------------------- estimates


def trainings(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each: how often and how far its cost rose, and its last epoch."""
    named = [*KEYS, "seed"]
    each = rows.groupby(named)
    return each.tail(1).set_index(named).join(each["train_cost"].agg([rises, size_of_rises])).reset_index()


def at_drop(rows: pd.DataFrame, config: Config, rate: float) -> pd.DataFrame:
    """What the first drop does, by seed: the kink of its one epoch, how far the cost then falls until the next drop, and the
    noise of the test accuracy (standard deviation of its steps) in as many epochs before and after."""
    some = where(rows, batch=config.batch, rate=rate, schedule=DROPS)
    cost, accuracy = (
        some.pivot_table(index="epoch", columns="seed", values=c).reindex(range(config.training.epochs + 1))
        for c in ("train_cost", "test_accuracy")
    )
    first, second = config.training.epochs // 2, 3 * config.training.epochs // 4
    log, steps, span = np.log(cost), accuracy.diff(), second - first - 1
    before, after = steps.loc[first - span + 1 : first].std(), steps.loc[first + 2 : second].std()
    return pd.DataFrame({
        "kink": log.loc[first + 1] - log.loc[first] - (log.loc[first] - log.loc[first - SPAN]) / SPAN,
        "falls on": 1 - cost.loc[second] / cost.loc[first + 1],
        "noise before": before, "noise after": after, "quieter": before - after,
    })  # fmt: skip


def drops(rows: pd.DataFrame, config: Config) -> Estimates:
    """By rate and what the drop does."""
    found = {rate: at_drop(rows, config, rate) for rate in config.rates[1:]}
    effects = {(rate, name): some[name] for rate, some in found.items() for name in some}
    return there({key: Interval.of_mean(values) for key, values in effects.items()})


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """One seed, since a mean over seeds would smooth what oscillates."""
    runs = where(rows["rows"], batch=config.batch, seed=rows["rows"]["seed"].min())
    _, middle, large = config.rates
    titles = ["three constant rates", f"schedules from {middle:g}", f"schedules from {large:g}"]
    figure, (left, *others) = panels(titles, (8.4, 3.8), sharey=True)
    for rate, colour in zip(config.rates, ("exact", "ours", "paper"), strict=True):
        draw_cost(left, where(runs, rate=rate, schedule=CONSTANT), colour, f"{rate:g}")
    for axis, rate in zip(others, (middle, large), strict=True):
        for schedule, colour in zip((CONSTANT, DROPS, COSINE), ("last", "ours", "paper"), strict=True):
            draw_cost(axis, where(runs, rate=rate, schedule=schedule), colour, schedule)
        axis.axvline(config.training.epochs // 2, color=style.faint(), linestyle="--")  # the first drop
    left.set_yscale("log")
    for axis in (left, others[0]):
        axis.legend()
    around(figure, "epoch", "cost in training")
    return {"rates": figure}


def draw_cost(axis: Axes, one: pd.DataFrame, colour: str, label: str) -> None:
    axis.plot(one["epoch"], one["train_cost"], color=style.colour(colour), label=label, linewidth=1.4)


def tabulate(rows: Rows, config: Config) -> Rows:
    runs, dropped, lines, kinks = trainings(rows["rows"]), drops(rows["rows"], config), [], []
    accuracy = by_mean(runs, KEYS, "test_accuracy")
    for key, some in runs.groupby(KEYS):
        rate, schedule, batch = key
        mean, half = some.mean(numeric_only=True), where(rows["search"], threshold=2 * rate)
        lines.append({
            "rate": f"{rate:g}" + (f" (half of the threshold, seeds: {len(half)})" if len(half) else ""),
            "schedule": schedule, "batch": f"{batch}", "epochs in which the cost rose": f"{mean['rises']:.1f}",
            "mean rise": f"{mean['size_of_rises']:.2g}", "cost in training": f"{mean['train_cost']:.2g}",
            "test accuracy": in_cell(accuracy.get(key), ".3f", f"{mean['test_accuracy']:.3f}"),
        })  # fmt: skip
    for rate in config.rates[1:]:
        noise, falls_on = at_drop(rows["rows"], config, rate).mean(), dropped.get((rate, "falls on"))
        before, after = noise["noise before"], noise["noise after"]
        kinks.append({
            "rate": f"{rate:g}", "kink in one epoch (nats)": in_cell(dropped.get((rate, "kink")), "+.2f"),
            "then the cost falls on by (%)": in_cell(falls_on and falls_on.times(100), ".0f"),
            "noise before": f"{before:.4f}", "after": f"{after:.4f}",
            "times": f"{before / after:.0f}" if after else "–",
        })  # fmt: skip
    return {"rates": pd.DataFrame(lines), "drops": pd.DataFrame(kinks)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    runs, dropped = where(trainings(rows["rows"]), batch=config.batch), drops(rows["rows"], config)
    _, middle, large = config.rates
    constant = where(runs, schedule=CONSTANT).replace({"rate": {middle: "middle", large: "large"}})
    rises_further = leads(constant, "rate", "middle", "size_of_rises", "seed").get("large")
    cosine = leads(where(runs, rate=middle), "schedule", CONSTANT, "test_accuracy", "seed").get(COSINE)
    return [
        Claim("large_jumps", "Where the cost in training rises, does it rise further at the largest rate than at the middle?",
              rises_further, Above(0), "nats"),
        *(Claim(f"{name.replace(' ', '_')}_of_{short}", asks, dropped.get((rate, name)), needs, unit)
          for short, words, rate in (("middle", "the middle rate", middle), ("large", "the largest rate", large))
          for name, asks, needs, unit in (
              ("kink", f"Does the cost fall faster in the one epoch after a drop of {words} than before?",
               Below(0), "nats"),
              ("falls on", f"Does the cost in training fall on after the first epoch at a tenth of {words}?",
               Above(0), "%"),
              ("quieter", f"Is the test accuracy less noisy after a tenfold drop of {words} than before?",
               Above(0), "%"))),
        Claim("cosine_as_good", "Does a cosine with warm-up end at a test accuracy at least as high as a constant rate?",
              cosine, AtLeast(0), "%"),
    ]  # fmt: skip
