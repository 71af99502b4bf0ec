"""What is trained, for ten seconds, a minute and up to an hour on two cores, and what it is compared with: a printed network,
a posterior that is computed with twice the effort, and recipes that lack one thing. How many training curves are enough: what
ten times as many bring, and what a recipe saves on the way to P2."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.networks.model import ModelConfig
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Interval, where
from presswork.intervals import means_again, named
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _lines, _method_scores
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.trainings import TINY, lent


class Trained(NamedTuple):
    train: TrainConfig
    seeds: int = 1  # trainings that differ by their seed alone
    printed: str = ""  # the paper's network that it is compared with
    near: float = 0.0  # how far below that network still counts as reaching it, in nats
    seconds: int = 0  # the longest that it may take

    @property
    def size(self) -> str:
        return self.train.model.label.replace("x", " × ")


def quick(width: int, layers: int, curves: int, stock: int, lr: float, matrix_lr: float) -> TrainConfig:
    """As `lent`, at higher rates: there is no time to settle."""
    model = ModelConfig(width, layers, width // 32)
    return replace(lent(curves), model=model, lr=lr, matrix_lr=matrix_lr, stock=stock)


LONGEST = 1_966_080  # curves
RUNGS = {f"rung{curves // 1024}k": Trained(lent(curves)) for curves in (30_720, 122_880, 491_520)}
NETWORKS = {
    "seconds": Trained(quick(64, 2, 16_384, 2_048, 2e-3, 0.015), 5, "P1", 0.0, 10),
    "minute": Trained(quick(96, 2, 81_920, 8_192, 1.5e-3, 0.012), 5, "P2", 0.0, 60),
    **RUNGS,
    "hour": Trained(lent(LONGEST), 1, "P3", 0.02, 3600),
}
LADDER = (*RUNGS, "hour")  # one recipe and size, ever longer
TINIEST = replace(TINY["1x16"], curves=640, draws="number", stock=256, early=2.0)
TINY_NETWORKS = {
    "seconds": Trained(replace(TINIEST, early=1.0), 2, "P1", 0.0, 10),
    "minute": Trained(replace(TINIEST, lr=2e-3), 1, "P2", 0.0, 60),
    "rung0k": Trained(TINIEST),
    "hour": Trained(replace(TINIEST, curves=1_280), 1, "P3", 0.02, 3600),
}
BASE = TrainConfig(ModelConfig(128, 3, 4), draws="number")
RECIPES = {  # each adds one thing to the one above it: until which length is each as good as P2?
    "before": BASE,
    "early": replace(BASE, early=2.0),
    "lent": replace(BASE, early=2.0, stock=32_768),
}
TINY_RECIPES = {
    name: replace(TINY["1x16"], draws="number", early=recipe.early, stock=recipe.stock and 256)
    for name, recipe in RECIPES.items()
}
BEFORE = {  # of exact_bayes: the recipe until then, by curves
    "3x128-12k": 12_288, "3x128-24k": 24_576, "3x128-48k": 49_152, "3x128-96k": 98_304, "3x128": 196_608,
}  # fmt: skip
AT_ONCE = 10  # curves whose posteriors are computed together
LEAST = 1e-3  # nats: a mean loss drawn anew may fall below 0, which has no logarithm


def lost_to_twice_the_effort(
    forecaster: Forecaster, cutoff: int, curves: int, how: PosteriorConfig
) -> pd.DataFrame:
    """On the first curves of the second test set: a posterior with twice the bank and steps, the network's loss to it, its
    effective size. Where the computed posterior is not quite exact, a loss against it is too small."""
    law, y = prior.PriorConfig(), prior.second_test_set(curves).noisy  # (curves, T)
    generator = torch.Generator().manual_seed(cutoff)
    bank = exact.bank(law, 2 * how.bank, generator)
    twice = replace(how, bank=2 * how.bank, steps=2 * how.steps, keep=2 * how.keep)
    exactly, ess = [], []
    for some in y.split(AT_ONCE):
        verdict = exact.exact_posterior(law, some[:, :cutoff], bank, generator, twice)
        exactly.append(verdict.cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1).double())
        ess.append(verdict.ess)
    ll = torch.cat(exactly)
    columns = {"exact": ll, "lost": ll - evaluate.likelihood(forecaster, y, cutoff), "ess": torch.cat(ess)}
    frame = pd.DataFrame({name: values.numpy() for name, values in columns.items()})
    return frame.round({"exact": 4, "lost": 4, "ess": 1}).assign(cutoff=cutoff, curve=range(len(y)))


# ---------------------------------------------------------------------------------- how many training curves are enough


def mean_score(train: TrainConfig, recipe: str, curves: int) -> pd.DataFrame:
    """Its mean score over the cutoffs of printed scores."""
    forecaster, fresh = trained(train), prior.second_test_set(curves)
    scores = pd.DataFrame(_method_scores.likelihoods(recipe, forecaster, fresh, CUTOFFS))["ll_even"]
    about = {"recipe": recipe, "seed": train.seed, "curves": train.curves}
    found = {"ll_even": np.mean(scores.to_list()), "seconds": forecaster.history[-1]["seconds"]}
    return pd.DataFrame([about | found])


def ten_times(rows: pd.DataFrame, names: list[str], cutoff: int) -> Interval | None:
    """By what ten times the curves divide the loss: a straight line through the logarithms; test curves are drawn anew, the
    same for all, and the interval counts seeds as well."""
    mine = where(rows, cutoff=cutoff)
    table = mine.pivot_table(index="curve", columns="network", values="lost").dropna(axis=1)
    curves = mine.groupby("network")["curves"].first()
    names = sorted((n for n in names if n in table), key=curves.__getitem__)
    if len(names) < 4:
        return None
    means = means_again(table[names].to_numpy())  # (1 + resamples, rungs)
    effort, over = {n: curves[n] for n in names}, named(table.index.name, len(table))
    return _lines.ten_times(effort, means.clip(min=LEAST), over)


def level() -> float:
    """The score that the paper prints for P2, as the mean over cutoffs."""
    return float(np.mean([log_likelihood("P2", c) or np.nan for c in CUTOFFS]))


def curves_until_p2(race: pd.DataFrame, recipe: str) -> dict[int, float]:
    """By seed: training curves until a recipe is as good as P2."""
    return {
        int(seed): _lines.enough(np.log(mine["curves"].to_numpy()), mine["ll_even"].to_numpy() - level())
        for seed, mine in where(race, recipe=recipe).sort_values("curves").groupby("seed")
        if len(mine) > 1
    }


def saving(race: pd.DataFrame, recipe: str, of: str) -> Interval | None:
    """How many times fewer curves a recipe needs than another, seed by seed; unknown where a seed never arrives."""
    ours, theirs = curves_until_p2(race, recipe), curves_until_p2(race, of)
    both = ours.keys() & theirs.keys()
    if any(np.isinf(side[seed]) for side in (ours, theirs) for seed in both):
        return None
    shares = pd.Series({seed: ours[seed] / theirs[seed] for seed in sorted(both)}, dtype=float)
    share = Interval.of_mean(shares.rename_axis("seed"))
    return share and share.inverse()
