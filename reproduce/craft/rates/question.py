"""Which learning rate?

The same network with three rates a factor of ten apart; the largest rate at which the cost falls from the first epoch on,
searched by factors of ten, and half of it; rates that change during training; and batches of other sizes, for as many epochs.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Below, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import where
from reproduce.craft._runs import CURVES
from reproduce.craft.rates.trained import (
    CONSTANT,
    COSINE,
    DROPS,
    Training,
    rises,
    run,
    size_of_rises,
    threshold,
)
from reproduce.pictures.panels import around, panels

KEYS = ["rate", "schedule", "batch"]
TABLES = {"rows": (*KEYS, "seed", "epoch", *CURVES), "search": ("seed", "threshold")}
WORDS = {"middle": "the middle rate", "large": "the largest rate"}
SPAN = 5  # epochs before and after a drop that are compared


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


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    seed, (small, middle, large) = int(part.removeprefix("seed-")), config.rates
    found = threshold(config.training, config.tried, config.tried_for, config.batch, seed)
    plans = [(rate, CONSTANT, config.batch) for rate in (small, middle, large, found / 2)]
    plans += [(rate, schedule, config.batch) for rate in (middle, large) for schedule in (DROPS, COSINE)]
    plans += [(middle, CONSTANT, batch) for batch in config.batches]
    runs = pd.concat([run(config.training, *plan, seed) for plan in plans], ignore_index=True)
    return {"rows": runs, "search": pd.DataFrame([{"seed": seed, "threshold": found}])}


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    """One seed, since a mean over seeds would smooth what oscillates."""
    runs = where(rows["rows"], batch=config.batch, seed=rows["rows"]["seed"].min())
    _, middle, large = config.rates
    titles = ["three constant rates", f"schedules from {middle:g}", f"schedules from {large:g}"]
    figure, (left, *others) = panels(titles, (8.4, 3.8), sharey=True)
    for rate, colour in zip(config.rates, ("exact", "ours", "paper"), strict=True):
        _line(left, where(runs, rate=rate, schedule=CONSTANT), colour, f"{rate:g}")
    for axis, rate in zip(others, (middle, large), strict=True):
        for schedule, colour in zip((CONSTANT, DROPS, COSINE), ("last", "ours", "paper"), strict=True):
            _line(axis, where(runs, rate=rate, schedule=schedule), colour, schedule)
        axis.axvline(config.training.epochs // 2, color=style.faint(), linestyle="--")  # the first drop
    left.set_yscale("log")
    for axis in (left, others[0]):
        axis.legend()
    around(figure, "epoch", "cost in training")
    return {"rates": figure}


def _line(axis: Axes, one: pd.DataFrame, colour: str, label: str) -> None:
    axis.plot(one["epoch"], one["train_cost"], color=style.colour(colour), label=label, linewidth=1.4)


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    lines, drops = [], []
    for (rate, schedule, batch), some in rows["rows"].groupby(KEYS):
        ends, half = some[some["epoch"] == some["epoch"].max()], where(rows["search"], threshold=2 * rate)
        rose, accuracy = some.groupby("seed")["train_cost"].agg([rises, size_of_rises]), ends["test_accuracy"]
        lines.append({
            "rate": f"{rate:g}" + (f" (half of the threshold, seeds: {len(half)})" if len(half) else ""),
            "schedule": schedule, "batch": f"{batch}", "epochs in which the cost rose": f"{rose['rises'].mean():.1f}",
            "mean rise": f"{rose['size_of_rises'].mean():.2g}",
            "cost in training": f"{ends['train_cost'].mean():.2g}",
            "test accuracy": in_cell(Interval.of_mean(accuracy), ".3f", f"{accuracy.mean():.3f}"),
        })  # fmt: skip
    for rate in config.rates[1:]:
        found = at_drop(rows["rows"], config, rate)
        before, after = found["noise before"].mean(), found["noise after"].mean()
        drops.append({
            "rate": f"{rate:g}", "kink in one epoch (nats)": in_cell(Interval.of_mean(found["kink"]), "+.2f"),
            "then the cost falls on by (%)": in_cell(Interval.of_mean(100 * found["falls on"]), ".0f"),
            "noise before": f"{before:.4f}", "after": f"{after:.4f}",
            "times": f"{before / after:.0f}" if after else "–",
        })  # fmt: skip
    return {"rates": pd.DataFrame(lines), "drops": pd.DataFrame(drops)}


def at_drop(rows: pd.DataFrame, config: Config, rate: float) -> pd.DataFrame:
    """What the first drop does, by seed: the kink of its one epoch, how far the cost then falls until the next drop, and the
    noise of the test accuracy (standard deviation of its steps) in as many epochs before and after."""
    some = where(rows, batch=config.batch, rate=rate, schedule=DROPS)
    cost, accuracy = (
        some.pivot_table(index="epoch", columns="seed", values=c) for c in ("train_cost", "test_accuracy")
    )
    first, second = config.training.epochs // 2, 3 * config.training.epochs // 4
    log, steps, span = np.log(cost), accuracy.diff(), second - first - 1
    return pd.DataFrame({
        "kink": log.loc[first + 1] - log.loc[first] - (log.loc[first] - log.loc[first - SPAN]) / SPAN,
        "falls on": 1 - cost.loc[second] / cost.loc[first + 1],
        "noise before": steps.loc[first - span + 1 : first].std(),
        "noise after": steps.loc[first + 2 : second].std(),
    }) if len(cost) else pd.DataFrame(columns=["kink", "falls on", "noise before", "noise after"], dtype=float)  # fmt: skip


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    runs = where(rows["rows"], batch=config.batch)
    _, middle, large = config.rates

    def by_seed(curve: str, rate: float, schedule: str = CONSTANT) -> pd.DataFrame:
        some = where(runs, rate=rate, schedule=schedule)
        return some.pivot_table(index="epoch", columns="seed", values=curve)

    rose = {rate: by_seed("train_cost", rate).agg(size_of_rises) for rate in (middle, large)}
    drops = {name: at_drop(runs, config, rate) for name, rate in (("middle", middle), ("large", large))}
    ends = {name: by_seed("test_accuracy", middle, name).iloc[-1] for name in (COSINE, CONSTANT)}
    return [
        Claim("large_jumps", "Where the cost in training rises, does it rise further at the largest rate than at the middle?",
              Interval.of_mean(rose[large] - rose[middle]), Above(0), "nats"),
        *(Claim(f"{short}_of_{name}", asks, Interval.of_mean(found), needs, unit)
          for name, drop in drops.items() for short, asks, found, needs, unit in (
              ("kink", f"Does the cost fall faster in the one epoch after a drop of {WORDS[name]} than before?",
               drop["kink"], Below(0), "nats"),
              ("falls_on", f"Does the cost in training fall on after the first epoch at a tenth of {WORDS[name]}?",
               drop["falls on"], Above(0), "%"),
              ("quieter", f"Is the test accuracy less noisy after a tenfold drop of {WORDS[name]} than before?",
               drop["noise before"] - drop["noise after"], Above(0), "%"))),
        Claim("cosine_as_good", "Does a cosine with warm-up end at a test accuracy at least as high as a constant rate?",
              Interval.of_mean(ends[COSINE] - ends[CONSTANT]), AtLeast(0), "%"),
    ]  # fmt: skip
