"""Is it the recipe, the head, the data or the seed?

Two heads times two tunings, and free logits with plain features. The *head* writes the density: one free logit per
bucket, or ten Gaussians placed relative to the curve's last level. The *tuning* is everything else: optimiser, rates
and their schedule, the curves, cutoffs and queries of a batch, the place of the norm, dropout, attention heads, whether
a query attends to itself, the outer buckets, and the features. All networks have the same layers and widths.

Our features are relative to the curve's last level, as our Gaussians are; the bucket of a free logit is not. So our
tuning has free logits a second time, with the epoch and the value as plain numbers, as in the authors' tuning.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, there, where
from presswork.estimates import line, those_of
from presswork.intervals import drawn, fewest, student
from presswork.style import colour
from reproduce.protocols import asked
from reproduce.reproduction import _method_scores
from reproduce.reproduction._printed_scores import another_training, seed_to_seed
from reproduce.trainings import SMALL, TINY, TINY_PAPER

ON_REQUEST = "python -m reproduce run head_or_recipe --scale paper"
ANOTHER = "seed-to-seed variation, 95 %"
BEYOND = "every epoch, asked beyond 100"
LABEL_FREE = {"seeds_agree_at_10": "the spread of all seeds, whichever they are"}
NATS = "nats per point"


class Cell(NamedTuple):
    name: str  # for people
    tuning: str  # "authors" or "ours"
    model: dict[str, str]  # what it changes of the model that belongs to the tuning
    line: str


PLAIN = {"head": "bars", "features": "paper"}
CELLS = {
    "authors-free": Cell("free logits, authors’ tuning", "authors", {"head": "bars"}, "-"),
    "authors-mixture": Cell("mixture, authors’ tuning", "authors", {"head": "mixture"}, "--"),
    "ours-free": Cell("free logits, our tuning", "ours", {"head": "bars"}, ":"),
    "ours-plain": Cell("free logits, our tuning, plain features", "ours", PLAIN, "-"),
    "ours-mixture": Cell("mixture, our tuning", "ours", {"head": "mixture"}, "--"),
}
ENDS = ("authors-free", "ours-mixture")  # the paper's own recipe and ours

# the cell that should score higher, the other one, and both in a claim's words
GAINS = {
    "head_ours": ("ours-mixture", "ours-free", "a mixture head score higher than free logits with our tuning"),
    "tuning_mixture": (
        "ours-mixture", "authors-mixture", "our tuning of a mixture head score higher than the authors’ tuning",
    ),
}  # fmt: skip
# vertical offset of each label in the figure, in points
BESIDE = {"authors-free": 3, "authors-mixture": -14, "ours-free": -22, "ours-plain": 4, "ours-mixture": -13}


@dataclass(frozen=True)
class Config:
    authors: TrainConfig = TrainConfig.paper(128, 3, 1_000_000)
    ours: TrainConfig = SMALL["3x128"]
    lengths: tuple[tuple[int, int], ...] = ((49_152, 3), (196_608, 1))  # training curves, and seeds
    longest: int = 1_000_000  # training curves, for the two ENDS alone; 0: none
    curves: int = 2_500  # the last of the test set, since our recipe was chosen on the first
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)
    seeds: tuple[int, ...] = (0, 1, 2)  # of our recipe, trained on the most curves of `lengths`
    second: int = 10_000  # curves of the second test set
    several: int = 500  # curves of 400 epochs, as many as on the page Limitations
    shares: tuple[int, ...] = (10, 20, 40)  # of them, in percent

    @property
    def trained_on(self) -> list[int]:
        return [n for n, _ in self.lengths] + [self.longest] * bool(self.longest)


PAPERS = TrainConfig.paper(64, 1, 1_000_000)
SCALES = {
    "smoke": Config(TINY_PAPER, TINY["1x16"], ((320, 3), (640, 1)), 0, 20, second=20, several=12),
    # the authors' rate moves once in 100 steps of 100 curves: shorter trainings than these would not feel it move
    "laptop": Config(PAPERS, SMALL["1x64"], ((10_240, 1), (20_480, 1)), 0, 1000, second=2000),
    "paper": Config(),
}

TABLES = {
    "rows": ("cell", "curves", "seed", "cutoff", "lost", "seconds"),
    "each": ("cell", "curves", "seed", "lost"),
    "seeds": ("seed", "method", "cutoff", "n", "ll", "ll_se", "ll_even", "ll_even_se"),
    "beyond": ("seed", "cutoff", "held", "held_se"),
}
STOPWATCHES = ("rows.seconds",)


def training(authors: TrainConfig, ours: TrainConfig, cell: str, curves: int, seed: int) -> TrainConfig:
    base = authors if CELLS[cell].tuning == "authors" else ours
    return replace(base, model=replace(base.model, **CELLS[cell].model), curves=curves, seed=seed)


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Cells, each after several lengths of training, and our recipe with further seeds."""
    every = [(cell, n, seed) for n, seeds in config.lengths for seed in range(seeds) for cell in CELLS]
    every += [(cell, config.longest, 0) for cell in ENDS if config.longest]
    most = replace(config.ours, curves=config.lengths[-1][0])
    jobs: dict[str, dict[str, Any]] = {}
    for cell, n, seed in every:
        train = training(config.authors, config.ours, cell, n, seed)
        jobs[f"{cell}-{n}-seed{seed}"] = {"cell": cell, "train": train}
    return jobs | {f"seed{seed}": {"train": replace(most, seed=seed)} for seed in config.seeds}


def models(config: Config) -> list[TrainConfig]:
    """What parts need, but the training that is a cell and a seed is named twice, as when the settings were hashed."""
    return [job["train"] for job in parts(config).values()]


def needs(train: TrainConfig) -> list[TrainConfig]:
    return [train]


def measure(config: Config, cell: str | None, train: TrainConfig) -> Rows:
    """Nats per point below the oracle, which knows the noise-free curve: by cutoff, and for each curve."""
    forecaster = trained(train)
    if not cell:
        return another_seed(config, train.seed, forecaster)
    clean, noisy, sigma = (values[-config.curves :] for values in prior.test_set())
    losses = {}
    for c in config.cutoffs:
        known = torch.distributions.Normal(clean[:, c:], sigma[:, None]).log_prob(noisy[:, c:]).mean(1)
        losses[c] = (known - evaluate.likelihood(forecaster, noisy, c)).double()  # one number a curve
    about = {"cell": cell, "curves": train.curves, "seed": train.seed}
    mean = torch.stack(list(losses.values())).mean(0)
    rows = pd.DataFrame(about | {"cutoff": c, "lost": lost.mean().item()} for c, lost in losses.items())
    rows["seconds"] = forecaster.history[-1]["seconds"]
    return {"rows": rows, "each": pd.DataFrame({"lost": mean.numpy().round(3)}).assign(**about)}


def another_seed(config: Config, seed: int, forecaster: Forecaster) -> Rows:
    curves = prior.second_test_set(config.second)
    rows = _method_scores.likelihoods(f"seed{seed}", forecaster, curves, config.cutoffs)
    generator = torch.Generator().manual_seed(0)  # the same curves as on the page Limitations
    long = where(asked.long(forecaster, config.several, config.shares, generator), case=BEYOND)
    held = long.groupby("cutoff")["cover90"].agg(held="mean", held_se="sem").reset_index()
    return {"seeds": pd.DataFrame(rows).assign(seed=seed), "beyond": held.assign(seed=seed)}


# ------------------------------------------------------------------------------------------------- estimates

Scored = tuple[str, int]  # a cell, and its training curves


def compared(config: Config) -> dict[str, tuple[Scored, Scored, str]]:
    """By claim: what should score higher, what should not, and the question."""
    few, more = (n for n, _ in config.lengths)
    most, found = config.longest or more, {}
    settled = ("head_ours", "few", few), ("head_ours", "more", more), ("tuning_mixture", "more", more)
    for name, key, n in settled:
        above, below, words = GAINS[name]
        found[f"{name}_{key}"] = (above, n), (below, n), f"After {n:,} training curves, does {words}?"
    asks = f"Does our recipe with {few:,} training curves score higher than the paper’s recipe with {most:,}?"
    return found | {"ours_few_above_theirs_most": (("ours-mixture", few), ("authors-free", most), asks)}


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(cell, training curves): nats per point below the oracle}, {(ANOTHER, cutoff): how far the score of one more seed may
    lie}, and claims by their names."""
    each, seeds, luck = rows["each"], rows["seeds"], seed_to_seed(rows["seeds"])
    # by the number of the curve trainings are paired
    each = each.assign(curve=each.groupby(["cell", "curves", "seed"]).cumcount())
    found = {(cell, n): contrast(each, {(cell, n): -1}) for cell in CELLS for n in config.trained_on}
    found |= {(ANOTHER, c): another_training(luck, c) for c in luck["cutoff"]}
    leads = {name: contrast(each, {one: 1, other: -1}) for name, (one, other, _) in compared(config).items()}
    spread = Interval.of_spread(where(seeds, cutoff=10).set_index("seed")["ll_even"])
    return there(found | leads | {"seeds_agree_at_10": spread})


def contrast(each: pd.DataFrame, signs: dict[Scored, int]) -> Interval | None:
    """Scores of some cells after some numbers of curves, the mean of their seeds, added with these signs.

    The interval counts test curves and seed-to-seed variation. That is known at the shortest length alone, and only roughly
    (Student's t); longer trainings are taken to vary as much. With fewer than three seeds its ends are unknown.
    """
    total, variance, known = pd.Series(0.0, index=sorted(set(each["curve"]))), 0.0, []
    for (cell, n), sign in signs.items():
        mine = where(each, cell=cell, curves=n).pivot_table(index="curve", columns="seed", values="lost")
        if not mine.size:
            return None
        total = total - sign * mine.mean(axis=1)  # a smaller loss is a higher score
        known.append(between_seeds(each, cell))
        variance += known[-1].half ** 2 / mine.shape[1]
    over = fewest(*known) + drawn(total.rename_axis("curve"))
    return Interval.around(total.mean(), math.hypot(1.96 * total.sem(), math.sqrt(variance)), over)


def between_seeds(each: pd.DataFrame, cell: str) -> Interval:
    """By how much one training of this cell differs."""
    mine = where(each, cell=cell)
    seeds = where(mine, curves=mine["curves"].min()).groupby("seed")["lost"].mean()
    half = student(len(seeds)) * float(seeds.std()) if len(seeds) > 2 else math.nan
    return Interval.around(0.0, half, drawn(seeds))


def draw(found: Estimates, config: Config) -> dict[str, Figure]:
    """Nats per point below the oracle; hollow: free logits. Labels stand beside the shortest training."""
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    for name, cell in CELLS.items():
        if not (mine := those_of(found, name)):
            continue
        hue = colour("paper" if cell.tuning == "authors" else "ours")
        full = "full" if cell.model["head"] == "mixture" else "none"
        heights = line(axis, mine, color=hue, marker="o", markersize=6, fillstyle=full, linestyle=cell.line,
                       elinewidth=0.7)  # fmt: skip
        axis.annotate(cell.name, (next(iter(mine)), heights[0]), xytext=(9, BESIDE[name]), textcoords="offset points",
                      color=hue, fontsize=9)  # fmt: skip
    axis.set(xscale="log", xlabel="training curves", ylim=(0, None))
    axis.set_ylabel("nats per point below the oracle (lower is better)")
    axis.set_xticks(config.trained_on, [f"{n / 1000:,.0f}k" for n in config.trained_on])
    axis.minorticks_off()
    axis.margins(x=0.12)
    return {"gains": figure}


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """What another seed changes: scores, and coverage beyond epoch 100."""
    lines = []
    for seed, mine in rows["seeds"].groupby("seed"):
        held = where(rows["beyond"], seed=seed)
        cells = {f"{r.cutoff} %": f"{r.ll_even:.3f}" for r in mine.itertuples()}
        beyond = {f"coverage > 100, after {r.cutoff} %": f"{100 * r.held:.1f} %" for r in held.itertuples()}
        lines.append({"training": f"seed {seed}"} | cells | beyond)
    luck = {f"{c} %": f"{one.half:.3f}" for c, one in those_of(found, ANOTHER).items()}
    return {"seeds": pd.DataFrame([*lines, {"training": ANOTHER} | luck]).fillna("")}


def claims(config: Config) -> list[Claim]:
    asks = "After 10 % of the epochs, do scores of trainings that differ only in their seed have a small standard deviation?"
    leads = {name: asks for name, (*_, asks) in compared(config).items()}
    return [
        *(Claim(name, asks, name, Above(0), NATS) for name, asks in leads.items()),
        Claim("seeds_agree_at_10", asks, "seeds_agree_at_10", AtMost(0.02), NATS),
    ]
