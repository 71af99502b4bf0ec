"""Is it the recipe, the head or the data?

cells.py says what belongs to the head and what to the tuning.
"""

from dataclasses import dataclass
from functools import partial

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores import evaluate
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Above, Claim
from reproduce.reproduction.head_or_recipe import pictures
from reproduce.reproduction.head_or_recipe.cells import CELLS, ENDS, GAINS, training
from reproduce.reproduction.head_or_recipe.contrasts import contrast, lead, numbered
from reproduce.trainings import SMALL, TINY, TINY_PAPER

ON_REQUEST = "python -m reproduce run head_or_recipe --scale laptop"
STOPWATCHES = ("rows.seconds",)
_asks = partial(Claim, needs=Above(0), unit="nats per point")
TABLES = {
    "rows": ("cell", "curves", "seed", "cutoff", "lost", "seconds"),
    "each": ("cell", "curves", "seed", "lost"),
}


@dataclass(frozen=True)
class Config:
    authors: TrainConfig = TrainConfig.paper(128, 3, 1_000_000)
    ours: TrainConfig = SMALL["3x128"]
    lengths: tuple[tuple[int, int], ...] = ((49_152, 3), (196_608, 1))  # training curves, and seeds
    longest: int = 1_000_000  # training curves, for the two ENDS alone; 0: none
    curves: int = 2_500  # the last of the test set, since our recipe was chosen on the first
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)

    @property
    def trained_on(self) -> list[int]:
        return [n for n, _ in self.lengths] + [self.longest] * bool(self.longest)


SCALES = {
    "smoke": Config(TINY_PAPER, TINY["1x16"], ((320, 3), (640, 1)), 0, 20),
    # the authors' rate moves once in 100 steps of 100 curves: shorter trainings than these would not feel it move
    "laptop": Config(TrainConfig.paper(64, 1, 1_000_000), SMALL["1x64"], ((10_240, 1), (20_480, 1)), 0, 1000),
    "paper": Config(),
}


def runs(config: Config) -> dict[str, tuple[str, int, int]]:
    """Cell, curves and seed of each training, by the name of its part."""
    every = [(cell, n, seed) for n, seeds in config.lengths for seed in range(seeds) for cell in CELLS]
    every += [(cell, config.longest, 0) for cell in ENDS if config.longest]
    return {f"{cell}-{n}-seed{seed}": (cell, n, seed) for cell, n, seed in every}


def parts(config: Config) -> list[str]:
    return list(runs(config))


def models(config: Config) -> list[TrainConfig]:
    return [training(config.authors, config.ours, *run) for run in runs(config).values()]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [training(config.authors, config.ours, *runs(config)[part])]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    """Nats per point below the oracle, which knows the noise-free curve: by cutoff, and for each curve."""
    cell, n, seed = runs(config)[part]
    forecaster = trained(training(config.authors, config.ours, cell, n, seed))
    clean, noisy, sigma = (values[-config.curves :] for values in prior.test_set())
    found = {}
    for c in config.cutoffs:
        known = torch.distributions.Normal(clean[:, c:], sigma[:, None]).log_prob(noisy[:, c:]).mean(1)
        found[c] = (known - evaluate.likelihood(forecaster, noisy, c)).double()  # one number a curve
    about = {"cell": cell, "curves": n, "seed": seed}
    seconds = forecaster.history[-1]["seconds"]
    rows = [
        about | {"cutoff": c, "lost": lost.mean().item(), "seconds": seconds} for c, lost in found.items()
    ]
    mean = torch.stack(list(found.values())).mean(0)
    return {"rows": pd.DataFrame(rows), "each": pd.DataFrame({"lost": mean.numpy().round(3)}).assign(**about)}


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    return {"gains": pictures.gains(numbered(rows["each"]), config.trained_on)}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    return {
        "lost": pictures.lost(rows["rows"], config.trained_on, config.cutoffs),
        "gains": pictures.table_of_gains(numbered(rows["each"]), config.trained_on),
    }


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    each, stated = numbered(rows["each"]), []
    few, more = (n for n, _ in config.lengths)
    for name, (above, below, words) in GAINS.items():
        for key, n in (("few", few), ("more", more)):
            stated.append(_asks(f"{name}_{key}", _higher(words, n), lead(each, above, below, n)))
        lost = contrast(each, {(above, few): 1, (below, few): -1, (above, more): -1, (below, more): 1})
        less = f"Is the lead of {words.format('over')} smaller after {more:,} training curves than after {few:,}?"
        stated.append(_asks(f"{name}_shrinks", less, lost))
    return [*stated, *_longest(each, config)]


def _longest(each: pd.DataFrame, config: Config) -> list[Claim]:
    if not config.longest:
        return []
    (above, below, words), few, most = GAINS["both"], config.lengths[0][0], config.longest
    ahead = (
        f"Does our recipe with {few:,} training curves score higher than the paper’s recipe with {most:,}?"
    )
    return [
        _asks("both_most", _higher(words, most), lead(each, above, below, most)),
        _asks("ours_few_above_theirs_most", ahead, contrast(each, {(above, few): 1, (below, most): -1})),
    ]


def _higher(words: str, n: int) -> str:
    return f"After {n:,} training curves, does {words.format('score higher than')}?"
