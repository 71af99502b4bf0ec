"""Which learning rate, and how should it be searched with others?

The same network with three rates a factor of ten apart; the largest rate at which the cost falls from the first epoch on,
searched by factors of ten, and half of it; rates that change during training; and batches of other sizes, for as many epochs.

Then batch sizes by the clock, with a rate in proportion to them, and four hyperparameters at once, on a grid or at random.
There, of a thousand images some choose, by their cost, since accuracies of few images tie; the others train.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from scipy.special import comb

from presswork import Above, AtLeast, Below, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import leads
from reproduce.craft._runs import CURVES, Digits, Split, Steps, digits, layers, scores, train
from reproduce.pictures.panels import mean_lines, panels, ticks
from reproduce.protocols.timing import threads

CONSTANT, DROPS, COSINE = "constant", "drops", "cosine"
KEYS = ["rate", "schedule", "batch"]
SPAN = 5  # epochs before a drop, whose mean step the step after it is compared with
GRID, RANDOM = "grid", "random"
RANGES = {"rate": (0.01, 10.0), "decay": (1e-6, 1e-2), "hidden": (8, 128), "batch": (5, 80)}  # logarithmic
COLOURS = ("laws", "paper", "shipped", "exact", "ours", "new")


@dataclass(frozen=True)
class Training:
    epochs: int = 60
    hidden: int = 30
    images: int = 1_000
    warm_up: int = 5  # epochs, before the cosine has its full rate


@dataclass(frozen=True)
class Search:
    seeds: int = 8
    images: int = 1_000
    choose: int = 200  # of the images; the others train
    usual: tuple[float, float, int, int] = (0.5, 0.0, 30, 10)  # of RANGES
    batches: tuple[int, ...] = (1, 3, 10, 30, 100, 300)
    large: int = 100  # compared with the usual one
    epochs: int = 40  # of these batches
    goal: float = 0.95  # test accuracy
    levels: int = 3  # of each hyperparameter on the grid
    search_epochs: int = 10


@dataclass(frozen=True)
class Config:
    seeds: int = 5
    training: Training = Training()
    rates: tuple[float, float, float] = (0.05, 0.5, 5.0)
    batch: int = 10
    batches: tuple[int, ...] = (5, 20, 100)  # at the middle rate
    tried: tuple[float, ...] = (0.005, 0.05, 0.5, 5.0, 50.0)
    tried_for: int = 5  # epochs
    search: Search = Search()


SCALES = {
    "smoke": Config(
        2, Training(12, 6, 60, warm_up=2), batches=(20,), tried=(0.5, 50.0), tried_for=2,
        search=Search(2, 60, 20, (0.5, 0.0, 6, 5), (5, 10), 10, 4, 0.2, 2, 2),
    ),
    "laptop": Config(1, Training(20), search=Search(2, batches=(10, 30, 100), epochs=20, levels=2)),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    "rows": (*KEYS, "seed", "epoch", *CURVES),
    "search": ("seed", "threshold"),
    "ends": ("search", "seed", *RANGES, "validation_cost", "test_cost", "test_accuracy"),
    "batches": ("seed", "batch", "epoch", "seconds", "test_accuracy"),
}
STOPWATCHES = ("batches.seconds",)
TOLERANCES = dict.fromkeys(
    ("ends.validation_cost", "ends.test_cost", "ends.test_accuracy", "batches.test_accuracy"),
    ("chaotic", "at high rates a sum in another order gives another training, and an image more or less is a step"),
)  # fmt: skip


def parts(config: Config) -> dict[str, dict[str, int]]:
    courses = {f"seed-{n}": {"seed": n} for n in range(config.seeds)}
    return courses | {f"search-{n}": {"search": n} for n in range(config.search.seeds)}


def measure(config: Config, seed: int, search: int | None) -> Rows:
    return courses(config, seed) if search is None else searches(config.search, search)


def courses(config: Config, seed: int) -> Rows:
    """Rates and schedules, epoch by epoch."""
    small, middle, large = config.rates
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
    images = digits(seed, training.images)
    history = train(net, images, steps, seed, rate_of=schedules(training)[schedule])
    return history.assign(rate=rate, schedule=schedule, batch=batch, seed=seed)


def threshold(training: Training, rates: Iterable[float], epochs: int, batch: int, seed: int) -> float:
    """The largest of these rates at which the cost in training falls in each of the first epochs; 0 if none does. A cost that
    is not finite does not fall."""
    brief = replace(training, epochs=epochs)
    costs = {rate: run(brief, rate, CONSTANT, batch, seed)["train_cost"] for rate in rates}
    return max((rate for rate, cost in costs.items() if (cost.diff().iloc[1:] < 0).all()), default=0)


def searches(search: Search, seed: int) -> Rows:
    """What the trainings of both searches end with, and the course of each batch size."""
    usual = dict(zip(RANGES, search.usual, strict=True))
    ends = [
        tried(search, at, search.search_epochs, seed)[-1:].assign(search=how, **at)
        for how in (GRID, RANDOM) for at in settings(how, search.levels, seed)
    ]  # fmt: skip
    sizes = [usual | {"batch": n, "rate": usual["rate"] * n / usual["batch"]} for n in search.batches]
    courses = [tried(search, at, search.epochs, seed).assign(batch=at["batch"]) for at in sizes]
    frames = {"ends": pd.concat(ends), "batches": pd.concat(courses)}
    return {name: some.assign(seed=seed)[list(TABLES[name])] for name, some in frames.items()}


@threads()
def tried(search: Search, at: dict[str, Any], epochs: int, seed: int) -> pd.DataFrame:
    ((x, y), test), some = digits(seed, search.images), search.choose
    held, split = Digits(x[:some], y[:some]), Split(Digits(x[some:], y[some:]), test)
    torch.manual_seed(seed)
    net, steps = layers(at["hidden"]), Steps(epochs, at["batch"], at["rate"], decay=at["decay"])
    return train(net, split, steps, seed, also=lambda n: {"validation_cost": scores(n, held)[0]}, clock=True)


def settings(search: str, levels: int, seed: int) -> list[dict[str, Any]]:
    """As many at random as on the grid, whose levels are the middles of equal parts of each range."""
    places = np.array(list(product((np.arange(levels) + 0.5) / levels, repeat=len(RANGES))))
    if search == RANDOM:
        places = np.random.default_rng(seed).random(places.shape)
    low, high = np.array(list(RANGES.values())).T
    tried = low * (high / low) ** places  # (trainings, hyperparameters)
    return [{"rate": r, "decay": d, "hidden": round(h), "batch": round(b)} for r, d, h, b in tried.tolist()]


def expected_best(some: pd.DataFrame) -> pd.Series:
    """The test accuracy of the training with the lowest validation cost, of n drawn from these; a mean over all draws."""
    accuracy = some.sort_values("validation_cost")["test_accuracy"].to_numpy()
    place, n = np.arange(len(some)), np.arange(1, len(some) + 1)[:, None]
    chance = comb(len(some) - 1 - place, n - 1) / comb(len(some), n)  # that all others drawn lie behind it
    return pd.Series(chance @ accuracy, index=n[:, 0])


# ------------------------------------------------------------------------------------------------- estimates


def at_drop(rows: pd.DataFrame, config: Config, rate: float, schedule: str) -> pd.DataFrame:
    """What happens at the first drop, by seed: the kink of its one epoch, and how much quieter the test accuracy gets
    (standard deviation of its steps, in as many epochs before and after)."""
    some = where(rows, batch=config.batch, rate=rate, schedule=schedule)
    cost, accuracy = (
        some.pivot_table(index="epoch", columns="seed", values=c).reindex(range(config.training.epochs + 1))
        for c in ("train_cost", "test_accuracy")
    )
    first, second = config.training.epochs // 2, 3 * config.training.epochs // 4
    log, steps, span = np.log(cost), accuracy.diff(), second - first - 1
    before, after = steps.loc[first - span + 1 : first].std(), steps.loc[first + 2 : second].std()
    kink = log.loc[first + 1] - log.loc[first] - (log.loc[first] - log.loc[first - SPAN]) / SPAN
    return pd.DataFrame({"kink": kink, "quieter": before - after})


def estimates(rows: Rows, config: Config) -> Estimates:
    """By the names of the claims, and "cosine_from_largest"; over seeds."""
    _, middle, largest = config.rates
    drop, without = (at_drop(rows["rows"], config, middle, one) for one in (DROPS, CONSTANT))
    ends = where(rows["rows"], batch=config.batch, epoch=config.training.epochs)
    cosine = {
        rate: leads(where(ends, rate=rate), "schedule", CONSTANT, "test_accuracy", "seed").get(COSINE)
        for rate in (middle, largest)
    }
    there_yet = rows["batches"][rows["batches"]["test_accuracy"] >= config.search.goal]
    seconds = there_yet.groupby(["batch", "seed"])["seconds"].min().reset_index()
    logs = seconds.assign(log=np.log(seconds["seconds"].astype(float)))
    longer = leads(logs, "batch", config.search.large, "log", "seed").get(config.search.usual[-1])
    best = rows["ends"].loc[rows["ends"].groupby(["search", "seed"])["validation_cost"].idxmin()]
    return there({
        "kink_of_middle": Interval.of_mean(drop["kink"]),
        "quieter_of_middle": Interval.of_mean(drop["quieter"] - without["quieter"]),
        "cosine_as_good": cosine[middle], "cosine_from_largest": cosine[largest],
        "large_batches_are_faster": longer and longer.exp(),
        "random_beats_grid": leads(best, "search", GRID, "test_accuracy", "seed").get(RANDOM),
    })  # fmt: skip


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return {"rates": draw_rates(rows, config), "hyperparameters": draw_searches(rows, config.search)}


def draw_rates(rows: Rows, config: Config) -> Figure:
    """One seed, since a mean over seeds would smooth what oscillates."""
    runs = where(rows["rows"], batch=config.batch, seed=rows["rows"]["seed"].min())
    _, middle, large = config.rates
    titles = ["three constant rates", f"schedules from {middle:g}", f"schedules from {large:g}"]
    figure, (left, *others) = panels(titles, (8.4, 3.8), across="epoch", up="cost in training", sharey=True)
    constant = where(runs, schedule=CONSTANT)
    colours = dict(zip(config.rates, ("exact", "ours", "paper"), strict=True))
    mean_lines(left, constant, "epoch", "train_cost", "rate", colours, label="{:g}".format, linewidth=1.4)
    for axis, rate in zip(others, (middle, large), strict=True):
        looks = {CONSTANT: "last", DROPS: "ours", COSINE: "paper"}
        mean_lines(axis, where(runs, rate=rate), "epoch", "train_cost", "schedule", looks, linewidth=1.4)
        axis.axvline(config.training.epochs // 2, color=style.faint(), linestyle="--")  # the first drop
    left.set_yscale("log")
    for axis in (left, others[0]):
        axis.legend()
    return figure


def draw_searches(rows: Rows, search: Search) -> Figure:
    titles = ["batch size, by the clock", "a search of four hyperparameters"]
    figure, (left, right) = panels(titles, (7.6, 3.8), sharey=True)
    for batch, colour in zip(search.batches, COLOURS, strict=False):
        course = where(rows["batches"], batch=batch).groupby("epoch")[["seconds", "test_accuracy"]].mean()[1:]
        left.plot(*course.to_numpy().T, color=style.colour(colour), label=f"batch {batch}")
    for how, colour in ((GRID, "last"), (RANDOM, "ours")):
        courses = [expected_best(some) for _, some in where(rows["ends"], search=how).groupby("seed")]
        right.plot(pd.concat(courses, axis=1).mean(axis=1), color=style.colour(colour), label=how)
    left.axhline(search.goal, color=style.faint(), linewidth=1, zorder=0)
    left.set(xscale="log", xlabel="core seconds", ylabel="test accuracy", ylim=(0.6, 1))
    right.set(xscale="log", xlabel="trainings")
    ticks(left, (0.01, 0.1, 1, 10), "g")
    ticks(right, (1, 3, 10, 30, 81), "g")
    for axis in (left, right):
        axis.legend()
    return figure


def claims(config: Config) -> list[Claim]:
    small, large, percent = config.search.usual[-1], config.search.large, f"{100 * config.search.goal:.0f} %"
    stated = (
        ("kink_of_middle", "Does the cost fall faster in the one epoch after a drop of the middle rate than before?",
         Below(0), "nats"),
        ("quieter_of_middle", "Does a tenfold drop of the middle rate make the test accuracy less noisy than going on does?",
         Above(0), "%"),
        ("cosine_as_good", "From the middle rate, does a cosine with warm-up end at a test accuracy at least as high as a "
         "constant rate?", AtLeast(0), "%"),
        ("large_batches_are_faster",
         f"Do batches of {large} reach a test accuracy of {percent} in fewer core seconds than batches of {small}?",
         Above(1), "×"),
        ("random_beats_grid", "After as many trainings, has random search found a higher test accuracy than a grid?",
         Above(0), "%"),
    )  # fmt: skip
    return [Claim(name, asks, name, needs, unit) for name, asks, needs, unit in stated]
