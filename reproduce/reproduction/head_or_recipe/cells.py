"""The networks of this question: two heads times two tunings, and free logits with plain features.

The *head* writes the density: one free logit per bucket, or ten Gaussians placed relative to the curve's last level.
The *tuning* is everything else: optimiser, rates and their schedule, the curves, cutoffs and queries of a batch, the place of
the norm, dropout, attention heads, whether a query attends to itself, the outer buckets, and the features. All networks have
the same layers and widths.

Our features are relative to the curve's last level, as our Gaussians are; the bucket of a free logit is not. So our tuning
has free logits a second time, with the epoch and the value as plain numbers, as in the authors' tuning.
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
PLAIN = "plain features (epoch and value alone)"
ENDS = ("authors-free", "ours-mixture")  # the paper's own recipe and ours

# the cell that should score higher, the other one, and both in a claim's words
GAINS = {
    "head_authors": ("authors-mixture", "authors-free", "a mixture head {} free logits with the authors’ tuning"),
    "head_ours": ("ours-mixture", "ours-free", "a mixture head {} free logits with our tuning"),
    "head_ours_plain": ("ours-mixture", "ours-plain", f"a mixture head {{}} free logits on {PLAIN} with our tuning"),
    "tuning_free": ("ours-plain", "authors-free", f"our tuning of free logits on {PLAIN} {{}} the authors’ tuning"),
    "tuning_mixture": ("ours-mixture", "authors-mixture", "our tuning of a mixture head {} the authors’ tuning"),
    "both": ("ours-mixture", "authors-free", "our recipe {} the paper’s recipe"),
}  # fmt: skip


def training(authors: TrainConfig, ours: TrainConfig, cell: str, curves: int, seed: int) -> TrainConfig:
    base = authors if CELLS[cell].tuning == "authors" else ours
    return replace(base, model=replace(base.model, **CELLS[cell].model), curves=curves, seed=seed)
