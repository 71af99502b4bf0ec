"""One row of settings for each run, drawn from one seed: the same plan on every machine.

A run depends only on its number, so a shorter plan is the beginning of a longer one. Every fifth run of a learner repeats
the previous settings with another seed; both have the same `group`. The highest rates make many networks diverge and the
smallest initial weights delay learning, so that such curves occur too.
"""

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from curvecast.ground.config import plain
from reproduce.new_data._run_bank import Member, Schedule, Shape
from reproduce.new_data._run_tasks import TASKS

Settings = dict[str, Any]

STEPS = 100  # epochs or trees
SIZES = ("naive_bayes", "nearest_1", "nearest_5", "tree", "small_tree", "discriminant", "bernoulli", "forest")
SMALL = ("cancer", "wine", "diabetes_median", "diabetes_thirds", "digits_3_8")  # a few hundred training rows


@dataclass(frozen=True)
class Run:
    name: str
    learner: str
    task: str
    group: str  # runs that differ only in the seed
    seed: int
    x: str  # what a step is: epoch, tree or rows
    settings: Settings
    steps: int = STEPS  # at most; learner "sizes" has as many sizes as fit


class Dice:
    """Random settings drawn by key: the result depends only on the words and numbers of the key."""

    def __init__(self, *key: str | int) -> None:
        self._next = np.random.default_rng([zlib.crc32(str(part).encode()) for part in key]).random

    def between(self, low: float, high: float) -> float:
        return short(low + (high - low) * self._next())

    def log(self, low: float, high: float) -> float:
        return short(math.exp(math.log(low) + math.log(high / low) * self._next()))

    def whole(self, low: int, high: int) -> int:
        return low + int(self._next() * (high + 1 - low))

    def one_of(self, *choices: Any) -> Any:
        return choices[self.whole(0, len(choices) - 1)]

    def chance(self, share: float) -> bool:
        return self._next() < share

    def seed(self) -> int:
        return self.whole(0, 2**31 - 1)


def short(number: float) -> float:
    return float(f"{number:.4g}")


def _setting(number: int) -> tuple[int, str]:
    """The number of a run's settings, and the suffix of its name if it repeats them."""
    return 4 * (number // 5) + min(number % 5, 3), "b" if number % 5 == 4 else ""


# -------------------------------------------------------------------------------------------- networks in banks


def networks(task: str, banks: int, abreast: int, seed: int, epochs: int = STEPS) -> list[list[Run]]:
    """The first networks of the first banks of a task."""
    return [[_network(task, bank, i, seed, epochs) for i in range(abreast)] for bank in range(banks)]


def _network(task: str, bank: int, number: int, seed: int, epochs: int) -> Run:
    setting, suffix = _setting(number)
    group = f"networks-{task}-{bank}-{setting:02d}"
    shared, with_dropout = _shape(Dice(seed, "bank", task, bank), task, epochs)
    member = _member(Dice(seed, group), shared, with_dropout)
    settings = plain(shared) | plain(member)
    for field in ("task", "seed", "epochs"):  # they are fields of the run
        del settings[field]
    run_seed = Dice(seed, group, suffix, "seed").seed()
    return Run(group + suffix, "networks", task, group, run_seed, "epoch", settings, epochs)


def _shape(dice: Dice, task: str, epochs: int) -> tuple[Shape, bool]:
    layers, units = dice.whole(1, 3), round(dice.log(8, 96))
    activation = "relu" if dice.chance(0.7) else "tanh"
    batch = dice.one_of(16, 32, 64) if task in SMALL else dice.one_of(32, 64, 128)
    share = 1.0 if dice.chance(0.5) else dice.log(0.1, 1)
    shape = Shape(task, (units,) * layers, activation, batch, dice.chance(0.4), share, epochs)
    return shape, dice.chance(0.35)


def _member(dice: Dice, shape: Shape, with_dropout: bool) -> Member:
    momentum = 0.0 if shape.adam or dice.chance(0.5) else dice.one_of(0.5, 0.9, 0.95)
    rate = dice.log(3e-4, 0.3) if shape.adam else short(dice.log(1e-3, 10) * (1 - momentum))
    return Member(
        seed=0,
        rate=rate,
        schedule=_schedule(dice, shape.epochs),
        momentum=momentum,
        weight_decay=0.0 if dice.chance(0.5) else dice.log(1e-6, 1e-1),
        dropout=dice.between(0.05, 0.6) if with_dropout else 0.0,
        wrong=_wrong(dice),
        start=_start(dice),
    )


def _schedule(dice: Dice, epochs: int) -> Schedule:
    kind = dice.one_of(*["constant"] * 6, *["drops"] * 5, *["warm"] * 2, *["cosine"] * 4, *["linear"] * 3)
    if kind == "constant":
        return Schedule()
    warm_up = dice.whole(1, max(1, epochs // 5)) if kind == "warm" or dice.chance(0.3) else 0
    if kind == "drops":
        places = [dice.whole(epochs // 10, 9 * epochs // 10) for _ in range(dice.whole(1, 2))]
        return Schedule("drops", warm_up, tuple(sorted(places)), dice.log(0.03, 0.5))
    return Schedule("constant" if kind == "warm" else kind, warm_up)


def _wrong(dice: Dice) -> float:
    return 0.0 if dice.chance(0.7) else float(dice.one_of(0.1, 0.2, 0.4))


def _start(dice: Dice) -> float:
    """Small initial weights delay learning; large ones begin with confident errors."""
    kind = dice.one_of(*["fair"] * 6, "small", "small", "small", "large")
    return 1.0 if kind == "fair" else dice.log(0.01, 0.3) if kind == "small" else dice.log(1.5, 8)


# ----------------------------------------------------------------------------------------------- scikit-learn


def single_runs(learner: str, count: int, seed: int, steps: int = STEPS) -> list[Run]:
    """The first runs of a learner that is trained run by run; the tasks take turns."""
    runs, x = [], "epoch" if learner in ("sgd", "mlp") else "tree"
    for number in range(count):
        setting, suffix = _setting(number)
        group, task = f"{learner}-{setting:02d}", list(TASKS)[setting % len(TASKS)]
        dice = Dice(seed, group)
        settings = {"wrong": _wrong(dice)} | SETTINGS[learner](dice)
        run_seed = Dice(seed, group, suffix, "seed").seed()
        runs.append(Run(group + suffix, learner, task, group, run_seed, x, settings, steps))
    return runs


def _mlp(dice: Dice) -> Settings:
    solver, units = dice.one_of("sgd", "adam"), round(dice.log(16, 64))
    return {
        "hidden_layer_sizes": [units] * dice.whole(1, 2),
        "activation": dice.one_of("logistic", "tanh", "relu"),
        "solver": solver,
        "learning_rate_init": dice.log(1e-4, 0.1) if solver == "adam" else dice.log(1e-3, 1),
        "alpha": dice.log(1e-6, 1e-1),
        "batch_size": dice.one_of(32, 64),
        "momentum": dice.one_of(0.1, 0.5, 0.9, 0.99),
    }


SETTINGS: dict[str, Callable[[Dice], Settings]] = {  # the dice fall in the order of the settings
    "sgd": lambda dice: {
        "learning_rate": dice.one_of("constant", "constant", "invscaling", "optimal"),
        "eta0": dice.log(1e-4, 1),
        "alpha": dice.log(1e-6, 1e-1),
        "power_t": 0.25,
        "average": dice.chance(0.25),
    },
    "mlp": _mlp,
    "histogram": lambda dice: {
        "learning_rate": dice.log(0.01, 1),
        "max_leaf_nodes": round(dice.log(4, 16)),
        "l2_regularization": dice.log(1e-3, 10),
    },
    "boosting": lambda dice: {
        "learning_rate": dice.log(0.01, 1),
        "max_depth": dice.whole(1, 4),
        "subsample": dice.between(0.3, 1),
        "max_features": "sqrt",
    },
    "ada": lambda dice: {"learning_rate": dice.log(0.05, 2), "depth": dice.whole(1, 3)},
    "forest": lambda dice: {
        "max_depth": round(dice.log(1, 12)),
        "max_features": dice.between(0.1, 1),
        "random_cuts": dice.chance(0.3),
    },
}


# ------------------------------------------------------------------------------------------- sizes of training


def sizes(count: int, seed: int, seeds: int = 5) -> list[Run]:
    """The first curves over the number of training rows: all tasks for one learner, then the next learner."""
    pairs = [(learner, task) for learner in SIZES for task in TASKS][:count]
    return [
        Run(name, "sizes", task, name, Dice(seed, name).seed(), "rows", {"model": learner, "seeds": seeds})
        for learner, task in pairs
        for name in [f"sizes-{learner}-{task}"]
    ]
