"""How many training curves are enough: what ten times as many bring, and what a recipe saves on the way to P2."""

import numpy as np
import pandas as pd

from curvecast.curves import prior
from curvecast.training.train import TrainConfig, trained
from presswork import Interval, where
from presswork.intervals import means_again, named
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _lines, _method_scores
from reproduce.reproduction._lines import enough
from reproduce.reproduction._printed_scores import CUTOFFS

LEAST = 1e-3  # nats: a mean loss drawn anew may fall below 0, which has no logarithm


def measure(train: TrainConfig, recipe: str, curves: int) -> pd.DataFrame:
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
        int(seed): enough(np.log(mine["curves"].to_numpy()), mine["ll_even"].to_numpy() - level())
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
