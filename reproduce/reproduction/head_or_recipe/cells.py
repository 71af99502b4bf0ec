"""The cells of the question: two heads times two tunings, and one in which free logits get plain features.

The *head* is how a density is written, and nothing else: one free logit a bucket, or ten Gaussians that are placed relative
to the curve's last level. The *tuning* is all the rest: optimiser, its rates and their schedule, the curves, cutoffs and
queries of a batch, the norm's place, dropout, attention heads, whether a query sees itself, the outer buckets, and the
features. Both have the same layers and widths.

Our features are relative to the curve's last level, as our Gaussians are; a free logit belongs to a bucket that is not. So
free logits are shown in our tuning a second time, with the epoch and the value as plain numbers, which is what they have
in the authors'. Of both, the better is what a mixture must beat.
"""

from dataclasses import replace
from typing import NamedTuple

from curvecast.training.train import TrainConfig


class Cell(NamedTuple):
    name: str  # for people
    tuning: str  # "authors" or "ours"
    model: dict[str, str]  # what it changes of the model that belongs to the tuning
    line: str


CELLS = {
    "authors-free": Cell("free logits, authors’ tuning", "authors", {"head": "bars"}, "-"),
    "authors-mixture": Cell("mixture, authors’ tuning", "authors", {"head": "mixture"}, "--"),
    "ours-free": Cell("free logits, our tuning", "ours", {"head": "bars"}, ":"),
    "ours-plain": Cell(
        "free logits, our tuning, plain features", "ours", {"head": "bars", "features": "paper"}, "-"
    ),
    "ours-mixture": Cell("mixture, our tuning", "ours", {"head": "mixture"}, "--"),
}
ENDS = ("authors-free", "ours-mixture")  # the paper's own recipe and ours

# the cell that should be above, the one below, and what lies between them
GAINS = {
    "head_authors": ("authors-mixture", "authors-free", "In the authors’ tuning a mixture is above free logits"),
    "head_ours": ("ours-mixture", "ours-free", "In our tuning a mixture is above free logits"),
    "head_ours_plain": ("ours-mixture", "ours-plain", "In our tuning a mixture is above free logits with plain features"),
    "tuning_free": ("ours-plain", "authors-free", "With free logits and plain features our tuning is above the authors’"),
    "tuning_mixture": ("ours-mixture", "authors-mixture", "With a mixture our tuning is above the authors’"),
    "both": ("ours-mixture", "authors-free", "Our recipe is above the paper’s own"),
}  # fmt: skip


def training(authors: TrainConfig, ours: TrainConfig, cell: str, curves: int, seed: int) -> TrainConfig:
    base = authors if CELLS[cell].tuning == "authors" else ours
    return replace(base, model=replace(base.model, **CELLS[cell].model), curves=curves, seed=seed)
