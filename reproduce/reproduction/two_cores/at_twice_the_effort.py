"""The network of an hour on new test curves, against a posterior computed with twice the effort.

Where the computed posterior is not quite exact, a loss against it is too small; twice the bank and twice the steps show by
how much.
"""

from dataclasses import replace

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster
from reproduce._press.intervals import Interval
from reproduce._press.where import where

COLUMNS = ("cutoff", "curve", "exact", "lost", "ess")
AT_ONCE = 10  # curves whose posteriors are computed together
LOSES_MOST = {5: 0.03, 10: 0.03, 20: 0.02, 40: 0.02, 70: 0.02}  # nats per point, by observed epochs


def doubled(how: PosteriorConfig) -> PosteriorConfig:
    return replace(how, bank=2 * how.bank, steps=2 * how.steps, keep=2 * how.keep)


def rows(forecaster: Forecaster, cutoff: int, curves: int, how: PosteriorConfig) -> pd.DataFrame:
    """On the first curves of the second test set."""
    generator = torch.Generator().manual_seed(cutoff)
    config, y = prior.PriorConfig(), prior.second_test_set(curves).noisy  # (curves, T)
    bank, twice = exact.bank(config, 2 * how.bank, generator), doubled(how)
    exactly, ess = [], []
    for some in y.split(AT_ONCE):
        verdict = exact.exact_posterior(config, some[:, :cutoff], bank, generator, twice)
        exactly.append(verdict.cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1).double())
        ess.append(verdict.ess)
    ll = torch.cat(exactly)
    lost = ll - evaluate.likelihood(forecaster, y, cutoff)
    found = {
        "exact": ll.numpy().round(4),
        "lost": lost.numpy().round(4),
        "ess": torch.cat(ess).numpy().round(1),
    }
    return pd.DataFrame(found).assign(cutoff=cutoff, curve=range(curves))


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each number of observed epochs."""
    lines = []
    for cutoff in sorted(set(rows["cutoff"])):
        mine = where(rows, cutoff=cutoff)
        lost = Interval.of_mean(mine["lost"])
        lines.append({
            "observed epochs": cutoff, "curves": len(mine), "exact posterior": f"{mine['exact'].mean():.3f}",
            "network below it": lost.plus_minus(".3f") if lost else "", "median": f"{mine['lost'].median():.3f}",
            "effective size": f"{mine['ess'].median():,.0f}",
        })  # fmt: skip
    return pd.DataFrame(lines)
