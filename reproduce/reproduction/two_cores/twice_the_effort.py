"""A network against a posterior with twice the bank and twice the steps.

Where the computed posterior is not quite exact, a loss against it is too small, and this shows by how much.
"""

from dataclasses import replace

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster
from reproduce._press.estimates import by_mean
from reproduce._press.intervals import in_cell

AT_ONCE = 10  # curves whose posteriors are computed together


def lost(forecaster: Forecaster, cutoff: int, curves: int, how: PosteriorConfig) -> pd.DataFrame:
    """On the first curves of the second test set: the posterior, what the network loses to it, and its effective size."""
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


def table(rows: pd.DataFrame) -> pd.DataFrame:
    found = by_mean(rows, "cutoff", "lost")
    return pd.DataFrame([
        {"observed epochs": c, "curves": len(mine), "exact posterior": f"{mine['exact'].mean():.3f}",
         "network below it": in_cell(found.get(c), ".3f", ""), "median": f"{mine['lost'].median():.3f}",
         "effective size": f"{mine['ess'].median():,.0f}"}
        for c, mine in rows.groupby("cutoff")
    ])  # fmt: skip
