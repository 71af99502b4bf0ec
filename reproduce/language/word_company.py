"""Do words that stand for near values keep the same company?

Skip-gram: the vector of each word (a bucket of values) is learnt from the words within two epochs of it, and from nothing
else. Nobody tells it which bucket is next to which.
"""

from dataclasses import dataclass

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.language.skip_gram import first_component, nearest, neighbours, word_vectors
from curvecast.language.vocabulary import Vocabulary
from curvecast.networks.bars import BarsConfig, make_borders
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.pictures.panels import panels

SEED = 5_300  # of the curves
NEAR = 2  # buckets


@dataclass(frozen=True)
class Config:
    seeds: int = 5
    buckets: int = 256
    curves: int = 20_000
    reach: int = 2
    width: int = 16
    steps: int = 1_000
    rate: float = 0.03


SCALES = {
    "smoke": Config(1, 16, 40, width=4, steps=5),
    "laptop": Config(2, curves=10_000, steps=500),
    "paper": Config(),
}
TABLES = {"rows": ("seed", "word", "value", "nearest", "component")}
ALMOST = "of two vectors that are almost as near, another may win on another processor"
TOLERANCES = {"rows.nearest": ("chaotic", ALMOST)}


def parts(config: Config) -> list[str]:
    return [f"seed-{seed}" for seed in range(config.seeds)]


def measure(config: Config, part: str) -> pd.DataFrame:
    seed = int(part.removeprefix("seed-"))
    vocabulary = Vocabulary(make_borders(BarsConfig(buckets=config.buckets), PriorConfig()))
    y = by_number.sample(PriorConfig(), SEED + seed, torch.arange(config.curves)).noisy.float()
    counted = neighbours(vocabulary.words(y), vocabulary.size, config.reach)
    generator = torch.Generator().manual_seed(seed)
    vectors = word_vectors(counted, config.width, config.steps, config.rate, generator)
    along = first_component(vectors)
    along = along * torch.sign(along[-1] - along[0])  # an axis has no direction of its own
    words = torch.arange(vocabulary.size)
    return pd.DataFrame({
        "seed": seed, "word": words, "value": vocabulary.centres(), "nearest": nearest(vectors), "component": along,
    })  # fmt: skip


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    one = where(rows, seed=rows["seed"].min())
    figure, (left, right) = panels(["which vector is nearest", "first principal component"], (8.4, 3.6))
    left.plot([0, config.buckets], [0, config.buckets], color=style.faint(), zorder=0)
    left.plot(one["word"], one["nearest"], ".", color=style.colour("ours"), markersize=4)
    left.set(xlabel="word (bucket of values)", ylabel="nearest word")
    right.plot(one["word"], one["component"], ".", color=style.colour("ours"), markersize=4)
    right.set(xlabel="word (bucket of values)", ylabel="place along the component")
    return {"company": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {}


def claims(rows: pd.DataFrame) -> list[Claim]:
    near = (rows["nearest"] - rows["word"]).abs().le(NEAR).groupby(rows["seed"]).mean()
    order = {seed: one["value"].corr(one["component"], "spearman") for seed, one in rows.groupby("seed")}
    return [
        Claim("neighbours_are_near", "Is the nearest vector that of a value at most two buckets away, for nine words in ten?",
              Interval.of_mean(near), AtLeast(0.9), "%"),
        Claim("component_is_the_value", "Does the first principal component of the vectors rise with the value (Spearman)?",
              Interval.of_mean(pd.Series(order, dtype=float)), Above(0.9)),
    ]  # fmt: skip
