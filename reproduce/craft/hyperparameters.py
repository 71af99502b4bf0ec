"""How should hyperparameters be searched?

Weight decay by factors of ten; the batch size by the clock, with a rate in proportion to it; four at once, on a grid or at
random. Of a thousand images some choose, by their cost, since accuracies of few images tie; the others train. What is
reported is measured on the test images.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from scipy.special import comb

from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.estimates import by_mean, cells, leads
from reproduce._press.where import Rows, where
from reproduce.craft._digits import Digits, Split, digits
from reproduce.craft._runs import Steps, layers, scores, train
from reproduce.pictures.panels import panels, ticks
from reproduce.protocols.timing import threads

DECAYS, GRID, RANDOM = "decays", "grid", "random"
PLAIN = "no decay"
RANGES = {"rate": (0.01, 10.0), "decay": (1e-6, 1e-2), "hidden": (8, 128), "batch": (5, 80)}  # logarithmic
COLOURS = ("laws", "paper", "shipped", "exact", "ours", "new")


@dataclass(frozen=True)
class Config:
    seeds: int = 8
    images: int = 1_000
    choose: int = 200  # of the images; the others train
    usual: tuple[float, float, int, int] = (0.5, 0.0, 30, 10)  # of RANGES
    decays: tuple[float, ...] = (0.0, 1e-5, 1e-4, 1e-3, 1e-2)
    batches: tuple[int, ...] = (1, 3, 10, 30, 100, 300)
    large: int = 100  # compared with the usual one
    epochs: int = 40
    goal: float = 0.95  # test accuracy
    levels: int = 3  # of each hyperparameter on the grid
    search_epochs: int = 10


SCALES = {
    "smoke": Config(2, 60, 20, (0.5, 0.0, 6, 5), (0.0, 1e-3), (5, 10), 10, 4, 0.2, 2, 2),
    "laptop": Config(2, batches=(10, 30, 100), epochs=20, levels=2),
    "paper": Config(),
}
TABLES = {
    "ends": ("search", "seed", *RANGES, "validation_cost", "test_cost", "test_accuracy"),
    "batches": ("seed", "batch", "epoch", "seconds", "test_accuracy"),
}
STOPWATCHES = ("batches.seconds",)
TOLERANCES = dict.fromkeys(
    ("ends.validation_cost", "ends.test_cost", "ends.test_accuracy", "batches.test_accuracy"),
    ("chaotic", "at high rates a sum in another order gives another training, and an image more or less is a step"),
)  # fmt: skip


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> Rows:
    seed, usual = int(part.removeprefix("seed-")), dict(zip(RANGES, config.usual, strict=True))
    searches = {search: settings(search, config.levels, seed) for search in (GRID, RANDOM)}
    searches[DECAYS] = [usual | {"decay": decay} for decay in config.decays]
    ends = [
        run(config, at, config.epochs if search == DECAYS else config.search_epochs, seed)[-1:].assign(search=search, **at)
        for search, tried in searches.items() for at in tried
    ]  # fmt: skip
    sizes = [usual | {"batch": n, "rate": usual["rate"] * n / usual["batch"]} for n in config.batches]
    courses = [run(config, at, config.epochs, seed).assign(batch=at["batch"]) for at in sizes]
    frames = {"ends": ends, "batches": courses}
    return {name: pd.concat(some).assign(seed=seed)[list(TABLES[name])] for name, some in frames.items()}


@threads()
def run(config: Config, at: dict[str, Any], epochs: int, seed: int) -> pd.DataFrame:
    ((x, y), test), some = digits(seed, config.images), config.choose
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


def chosen(ends: pd.DataFrame) -> pd.DataFrame:
    """The training with the lowest validation cost, of each search and seed."""
    return ends.loc[ends.groupby(["search", "seed"])["validation_cost"].idxmin()]


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    titles = ["batch size, by the clock", "a search of four hyperparameters"]
    figure, (left, right) = panels(titles, (7.6, 3.8), sharey=True)
    for batch, colour in zip(config.batches, COLOURS, strict=False):
        course = where(rows["batches"], batch=batch).groupby("epoch")[["seconds", "test_accuracy"]].mean()[1:]
        left.plot(*course.to_numpy().T, color=style.colour(colour), label=f"batch {batch}")
    for search, colour in ((GRID, "last"), (RANDOM, "ours")):
        courses = [expected_best(some) for _, some in where(rows["ends"], search=search).groupby("seed")]
        right.plot(pd.concat(courses, axis=1).mean(axis=1), color=style.colour(colour), label=search)
    left.axhline(config.goal, color=style.faint(), linewidth=1, zorder=0)
    left.set(xscale="log", xlabel="core seconds", ylabel="test accuracy", ylim=(0.6, 1))
    right.set(xscale="log", xlabel="trainings")
    ticks(left, (0.01, 0.1, 1, 10), "g")
    ticks(right, (1, 3, 10, 30, 81), "g")
    for axis in (left, right):
        axis.legend()
    return {"hyperparameters": figure}


def tabulate(rows: Rows) -> Rows:
    decays = where(rows["ends"], search=DECAYS)
    votes, lines = chosen(decays)["decay"].value_counts(), []
    titles = {"test_cost": "test cost", "test_accuracy": "test accuracy"}
    found = by_mean(decays.melt(["decay"], [*titles]), ["decay", "variable"], "value")
    for decay in sorted(decays["decay"].unique()):
        line = {"weight decay": f"{decay:g}"} | cells(found, decay, titles, ".3f", "…")
        lines.append(line | {"chosen by": f"{votes.get(decay, 0)} seeds"})
    return {"decays": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    best, plain = chosen(rows["ends"]), where(rows["ends"], search=DECAYS, decay=0).assign(search=PLAIN)
    decay = leads(pd.concat([plain, best]), "search", DECAYS, "test_cost", "seed").get(PLAIN)
    small, large, goal = str(config.usual[-1]), str(config.large), f"{100 * config.goal:.0f} %"
    there = rows["batches"][rows["batches"]["test_accuracy"] >= config.goal]
    seconds = there.groupby(["batch", "seed"])["seconds"].min().reset_index()
    logs = seconds.assign(batch=seconds["batch"].map(str), log=np.log(seconds["seconds"].astype(float)))
    longer = leads(logs, "batch", large, "log", "seed").get(small)
    return [
        Claim("decay_lowers_cost", "Does a weight decay that was chosen on validation images lower the test cost?",
              decay, Above(0), "nats"),
        Claim("large_batches_are_faster",
              f"Do batches of {large} reach a test accuracy of {goal} in fewer core seconds than batches of {small}?",
              longer and longer.exp(), Above(1), "×"),
        Claim("random_beats_grid", "After as many trainings, has random search found a higher test accuracy than a grid?",
              leads(best, "search", GRID, "test_accuracy", "seed").get(RANDOM), Above(0), "%"),
    ]  # fmt: skip
