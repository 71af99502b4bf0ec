"""Are curves shorter as a text of merged changes, and do words for near values keep the same company?

Values are rounded to the mean of their bucket and written as changes of level. Frequent pairs are merged on one half of the
curves; lengths and n-grams are judged on the other.

Skip-gram: the vector of each word (a bucket of values) is learnt from the words within two epochs of it, and from nothing
else. Nobody tells it which bucket is next to which.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.language.model import Vocabulary
from curvecast.language.skip_gram import first_component, nearest, neighbours, word_vectors
from curvecast.language.symbols import Changes, NGrams, PairMerges, joined, learn, parted
from curvecast.networks.bars import BarsConfig, make_borders
from presswork import AtLeast, Below, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import by_mean
from reproduce.pictures.panels import mean_lines, panels, ticks
from reproduce.protocols.own_runs import OwnRun, own_runs
from reproduce.protocols.real_curve import trial_of

Array = np.ndarray
NAMES = {"prior": "the paper’s prior", "runs": "our own runs"}  # of the sources of curves
COLOURS = {"prior": "ours", "runs": "laws"}
SEED = 5_200  # of the curves, which no training sees
DISCOUNTS = (0.3, 0.5, 0.7, 0.9)  # chosen on a quarter of the learning half
OWN = "own_curves/laptop"
COMPANY_SEED = 5_300  # of other curves
NEAR = 2  # buckets


@dataclass(frozen=True)
class Company:
    seeds: int = 5
    buckets: int = 256
    curves: int = 20_000
    reach: int = 2
    width: int = 16
    steps: int = 1_000
    rate: float = 0.03


@dataclass(frozen=True)
class Config:
    seeds: int = 3
    buckets: int = 256
    curves: int = 4_000
    merges: tuple[int, ...] = (0, 10, 30, 100, 300)
    orders: tuple[int, ...] = (1, 2, 3)
    runs: int = 1_000  # at most
    company: Company = Company()


SCALES = {
    "smoke": Config(1, 16, 40, (0, 5), (1, 2), 20, Company(1, 16, 40, width=4, steps=5)),
    "laptop": Config(2, 256, 1_000, (0, 10, 100), runs=400, company=Company(2, curves=10_000, steps=500)),
    "paper": Config(),
}
TABLES = {
    "rows": ("source", "seed", "merges", "symbols", "order", "nats"),
    "company": ("seed", "word", "value", "nearest", "component"),
}
ALMOST = "of two vectors that are almost as near, another may win on another processor"
TOLERANCES = {"company.nearest": ("chaotic", ALMOST)}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    seeds = {"seed": config.seeds, "company": config.company.seeds}
    each = [(what, seed) for what, count in seeds.items() for seed in range(count)]
    return {f"{what}-{seed}": {"what": what, "seed": seed} for what, seed in each}


def reads(config: Config) -> list[str]:
    return [OWN]


def measure(config: Config, what: str, seed: int, read: dict[str, Any]) -> Rows:
    if what == "company":
        return {"company": company(config.company, seed)}
    vocabulary = Vocabulary(make_borders(BarsConfig(buckets=config.buckets), PriorConfig()))
    levels = Changes(vocabulary.centres().double().numpy())
    drawn = by_number.sample(PriorConfig(), SEED + seed, torch.arange(config.curves)).noisy.numpy()
    runs = task_by_task(own_runs(read[OWN], ("accuracy",)), config.runs, seed)
    curves = {"prior": list(drawn), "runs": runs}
    frames = [_rows(config, vocabulary, levels, curves[name]).assign(source=name) for name in NAMES]
    return {"rows": pd.concat(frames).assign(seed=seed)}


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
    most = learn(joined(texts[:half]), levels.symbols, max(config.merges))
    rows = []
    for count in config.merges:
        merges = PairMerges(levels.symbols, most.pairs[:count])
        written = parted(merges.encode(joined(texts)))
        learnt, judged, quarter = written[:half], written[half:], 3 * half // 4
        size = levels.symbols + len(most.pairs)  # of all rows, so that what never occurs costs them alike
        for order in config.orders:
            model = NGrams(learnt[:quarter], order, size)
            best = max(DISCOUNTS, key=lambda discount: model.log_p(learnt[quarter:], discount).sum())
            nats = NGrams(learnt, order, size).log_p(judged, best).sum() / len(values) + within
            symbols = sum(map(len, judged)) / len(values)
            rows.append({"merges": count, "symbols": symbols, "order": order, "nats": float(nats)})
    return pd.DataFrame(rows)


def company(config: Company, seed: int) -> pd.DataFrame:
    """For each word the nearest vector, and its place along the first principal component of all vectors."""
    vocabulary = Vocabulary(make_borders(BarsConfig(buckets=config.buckets), PriorConfig()))
    y = by_number.sample(PriorConfig(), COMPANY_SEED + seed, torch.arange(config.curves)).noisy.float()
    counted = neighbours(vocabulary.words(y), vocabulary.size, config.reach)
    generator = torch.Generator().manual_seed(seed)
    vectors = word_vectors(counted, config.width, config.steps, config.rate, generator)
    along = first_component(vectors)
    along = along * torch.sign(along[-1] - along[0])  # an axis has no direction of its own
    columns = {"word": torch.arange(vocabulary.size), "value": vocabulary.centres()}
    return pd.DataFrame({"seed": seed, **columns, "nearest": nearest(vectors), "component": along})


def estimates(rows: Rows) -> Estimates:
    """{(source, merges): symbols per point}, the same for n-grams of all orders, and by claim a share; seeds vary."""
    words = rows["company"]
    near = (words["nearest"] - words["word"]).abs().le(NEAR).groupby(words["seed"]).mean()
    lengths = by_mean(where(rows["rows"], order=1), ["source", "merges"], "symbols")
    return lengths | there({"neighbours_are_near": Interval.of_mean(near)})


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    company = draw_company(rows["company"], config.company)
    return {"merges": draw_merges(rows["rows"], config), "company": company}


def draw_merges(rows: pd.DataFrame, config: Config) -> Figure:
    titles = ["length of the text", "n-grams on curves of the prior"]
    figure, axes = panels(titles, (8.4, 3.5), across="merges")
    mean_lines(axes[0], rows, "merges", "symbols", "source", COLOURS, "o-", NAMES.get)
    colours = dict(zip(config.orders, ("last", "exact", "paper"), strict=False))
    symbols = {order: f"{order} symbol{'s' * (order > 1)}" for order in colours}
    mean_lines(axes[1], where(rows, source="prior"), "merges", "nats", "order", colours, "o-", symbols.get)
    axes[0].set(ylabel="symbols per point (lower is shorter)", ylim=(0, 1.05))
    axes[1].set_ylabel("nats per point (higher is better)")
    for axis in axes:
        axis.set_xscale("symlog", linthresh=10)
        axis.set_xlim(-1, 1.3 * max(config.merges))
        ticks(axis, config.merges)
        axis.legend()
    return figure


def draw_company(rows: pd.DataFrame, config: Company) -> Figure:
    one = where(rows, seed=rows["seed"].min())
    figure, (left, right) = panels(["which vector is nearest", "first principal component"], (8.4, 3.6))
    left.plot([0, config.buckets], [0, config.buckets], color=style.faint(), zorder=0)
    left.plot(one["word"], one["nearest"], ".", color=style.colour("ours"), markersize=4)
    left.set(xlabel="word (bucket of values)", ylabel="nearest word")
    right.plot(one["word"], one["component"], ".", color=style.colour("ours"), markersize=4)
    right.set(xlabel="word (bucket of values)", ylabel="place along the component")
    return figure


def claims(config: Config) -> list[Claim]:
    return [
        *(Claim(f"{source}_shorter", f"Do merges halve the text of curves of {name}?",
                (source, max(config.merges)), Below(0.5))
          for source, name in NAMES.items()),
        Claim("neighbours_are_near", "Is the nearest vector that of a value at most two buckets away, for nine words in ten?",
              "neighbours_are_near", AtLeast(0.9), "%"),
    ]  # fmt: skip
