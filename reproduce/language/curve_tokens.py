"""Are curves shorter as a text of merged changes, and is such a text easier to foresee?

Values are rounded to the mean of their bucket and written as changes of level. Frequent pairs are merged on one half of the
curves; lengths and n-grams are judged on the other. Then inputs of all kinds are written and read again, bit by bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.language import pair_merges
from curvecast.language.changes import Changes
from curvecast.language.counts import NGrams
from curvecast.language.vocabulary import Vocabulary
from curvecast.networks.bars import BarsConfig, make_borders
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.estimates import by_mean, leads
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import around, panels
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import trial_of

Array = np.ndarray
NAMES = {"prior": "the paper’s prior", "runs": "our own runs"}  # of the sources of curves
COLOURS = {"prior": "ours", "runs": "laws"}
SEED = 5_200  # of the curves, which no training sees
DISCOUNTS = (0.3, 0.5, 0.7, 0.9)  # chosen on a quarter of the learning half
OWN = "own_curves/laptop"


@dataclass(frozen=True)
class Config:
    seeds: int = 3
    buckets: int = 256
    curves: int = 4_000
    merges: tuple[int, ...] = (0, 10, 30, 100, 300)
    orders: tuple[int, ...] = (1, 2, 3)
    inputs: int = 100_000  # written and read again, over all seeds
    runs: int = 1_000  # at most


SCALES = {
    "smoke": Config(1, 16, 40, (0, 5), (1, 2), 200, 20),
    "laptop": Config(2, curves=1_000, merges=(0, 10, 100), inputs=10_000, runs=400),
    "paper": Config(),
}
TABLES = {
    "rows": ("source", "seed", "merges", "symbols", "order", "nats"),
    "inputs": ("seed", "inputs", "same"),
}


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def reads(config: Config) -> list[str]:
    return [OWN]


def measure(config: Config, part: str, read: dict[str, Any]) -> Rows:
    seed = int(part.removeprefix("seed-"))
    vocabulary = Vocabulary(make_borders(BarsConfig(buckets=config.buckets), PriorConfig()))
    levels = Changes(vocabulary.centres().double().numpy())
    drawn = by_number.sample(PriorConfig(), SEED + seed, torch.arange(config.curves)).noisy.numpy()
    curves = {
        "prior": list(drawn),
        "runs": task_by_task(own_runs(read[OWN], ("accuracy",)), config.runs, seed),
    }
    frames = [_rows(config, vocabulary, levels, curves[name]).assign(source=name) for name in NAMES]
    number = config.inputs // config.seeds
    same = same_again(levels, list(inputs_of_all_kinds(levels, number, seed)))
    inputs = pd.DataFrame([{"seed": seed, "inputs": number, "same": same}])
    return {"rows": pd.concat(frames).assign(seed=seed), "inputs": inputs}


def task_by_task(runs: list[OwnRun], number: int, seed: int) -> list[Array]:
    """Tasks in random order, so that the half which merges are learnt on shares at most one task with the other."""
    random, by_task = np.random.default_rng(seed), dict[str, list[Array]]()
    for run in runs:
        if trial := trial_of(run):
            by_task.setdefault(run.task, []).append(trial.seen)
    each = -(-number // len(by_task))
    return [by_task[task][i] for task in random.permutation(list(by_task))
            for i in random.permutation(len(by_task[task]))[:each]][:number]  # fmt: skip


def _rows(config: Config, vocabulary: Vocabulary, levels: Changes, curves: list[Array]) -> pd.DataFrame:
    """By number of merges and order: symbols per point, and nats per point on the half that chose nothing."""
    half = len(curves) // 2
    rounded = [vocabulary.words(torch.from_numpy(curve).float()).numpy() for curve in curves]
    texts = [levels.encode(levels.levels[words]) for words in rounded]
    values = torch.from_numpy(np.concatenate(curves[half:])).float()
    within = float(vocabulary.within(values, vocabulary.words(values)).mean())
    most = pair_merges.learn(pair_merges.joined(texts[:half]), levels.symbols, max(config.merges))
    rows = []
    for count in config.merges:
        merges = pair_merges.PairMerges(levels.symbols, most.pairs[:count])
        written = pair_merges.parted(merges.encode(pair_merges.joined(texts)))
        learnt, judged, quarter = written[:half], written[half:], 3 * half // 4
        size = levels.symbols + len(most.pairs)  # of all rows, so that what never occurs costs them alike
        for order in config.orders:
            model = NGrams(learnt[:quarter], order, size)
            best = max(DISCOUNTS, key=lambda discount: model.log_p(learnt[quarter:], discount).sum())
            nats = NGrams(learnt, order, size).log_p(judged, best).sum() / len(values) + within
            symbols = sum(map(len, judged)) / len(values)
            rows.append({"merges": count, "symbols": symbols, "order": order, "nats": float(nats)})
    return pd.DataFrame(rows)


def inputs_of_all_kinds(levels: Changes, number: int, seed: int) -> Iterator[Array]:
    """Up to twelve values each: levels, random bits (which may be NaN or infinite), and values near a level or far out."""
    random = np.random.default_rng([seed, 7])
    odd = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 1.7e308])
    for _ in range(number):
        n = int(random.integers(13))
        bits = random.integers(-(2**63), 2**63 - 1, n, np.int64).view(np.float64)
        kinds = (random.choice(levels.levels, n), bits, random.normal(0.5, 2, n), random.choice(odd, n))
        yield np.choose(random.choice(4, n, p=(0.7, 0.1, 0.1, 0.1)), kinds)


def same_again(levels: Changes, inputs: list[Array], at_once: int = 2_000) -> int:
    """How many come back bit by bit through changes and merges."""
    merges = pair_merges.learn(pair_merges.joined(map(levels.encode, inputs[:at_once])), levels.symbols, 50)
    same = 0
    for i in range(0, len(inputs), at_once):
        some = inputs[i : i + at_once]
        back = merges.decode(merges.encode(pair_merges.joined(map(levels.encode, some))))
        texts = zip(pair_merges.parted(back), some, strict=True)
        same += sum(levels.decode(text).tobytes() == one.tobytes() for text, one in texts)
    return same


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    figure, axes = panels(["length of the text", "n-grams on curves of the prior"], (8.4, 3.5))

    def plot(axis: Axes, value: str, colour: str, name: str, **of: object) -> None:
        mean = where(rows["rows"], **of).groupby("merges")[value].mean()
        axis.plot(mean.index, mean, "o-", color=style.colour(colour), label=name)

    for source, name in NAMES.items():
        plot(axes[0], "symbols", COLOURS[source], name, source=source)
    for order, colour in zip(config.orders, ("last", "exact", "paper"), strict=False):
        plot(axes[1], "nats", colour, f"{order} symbol{'s' * (order > 1)}", source="prior", order=order)
    axes[0].set(ylabel="symbols per point (lower is shorter)", ylim=(0, 1.05))
    axes[1].set_ylabel("nats per point (higher is better)")
    for axis in axes:
        axis.set_xscale("symlog", linthresh=10)
        axis.set_xticks(config.merges, map(str, config.merges))
        axis.set_xlim(-1, 1.3 * max(config.merges))
        axis.minorticks_off()
        axis.legend()
    around(figure, "merges")
    return {"merges": figure}


def tabulate(rows: Rows) -> Rows:
    number, same = rows["inputs"][["inputs", "same"]].sum()
    return {"inputs": pd.DataFrame([{"inputs": f"{number:,.0f}", "the same again": f"{same:,.0f}"}])}


def claims(rows: Rows, config: Config) -> list[Claim]:
    """Seeds vary. A text is as long for n-grams of all orders."""
    table, most = rows["rows"], max(config.merges)
    lengths = by_mean(where(table, order=1), ["source", "merges"], "symbols")

    def gain(order: int) -> Interval | None:
        return leads(where(table, source="prior", order=order), "merges", 0, "nats", "seed").get(most)

    return [
        *(Claim(f"{source}_shorter", f"Do merges halve the text of curves of {name}?",
                lengths.get((source, most)), Below(0.5))
          for source, name in NAMES.items()),
        Claim("merges_help_one", "Do merges raise the score of a model that counts single symbols, on curves of the prior?",
              gain(1), Above(0), "nats per point"),
        Claim("merges_help_longest", "Do merges raise the score of the longest n-gram, on curves of the prior?",
              gain(max(config.orders)), Above(0), "nats per point"),
    ]  # fmt: skip
