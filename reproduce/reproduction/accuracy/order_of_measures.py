"""Does the better method depend on the measure? Squared error and likelihood of two simple methods on the same curves."""

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.scores import baselines, metrics
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where

PAIR = ("last value", "pow4")
CUTOFFS = (5, 10, 20)
MEASURES = {"mse_clean": "squared error × 1,000", "ll": "log-likelihood"}


def scores(size: int) -> pd.DataFrame:
    """A row for each method, and one for the second minus the first, curve by curve."""
    curves, found = prior.test_set(size), []
    x, y, clean = torch.arange(1, 101).double(), curves.noisy.double(), curves.clean.double()
    for cutoff in CUTOFFS:
        of = {
            m: metrics.scores(
                baselines.forecast(m, x[:cutoff], y[:, :cutoff], x[cutoff:]), y[:, cutoff:], clean[:, cutoff:]
            )
            for m in PAIR
        }
        for measure in MEASURES:
            one, other = (of[m][measure] for m in PAIR)
            estimates = {
                PAIR[0]: metrics.estimate(one),
                PAIR[1]: metrics.estimate(other),
                "gap": metrics.paired(other, one),
            }
            found += [
                {"method": m, "cutoff": cutoff, "measure": measure, "n": size, "value": e.value, "se": e.se}
                for m, e in estimates.items()
            ]
    return pd.DataFrame(found)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """One line for each measure and method."""
    found = []
    for measure, name in MEASURES.items():
        factor, form = (1000, ".2f") if measure == "mse_clean" else (1, ".3f")
        for method in PAIR:
            mine = where(rows, measure=measure, method=method)
            cells = {
                f"{int(row['cutoff'])} %": Interval.with_error(
                    factor * row["value"], factor * row["se"]
                ).plus_minus(form)
                for _, row in mine.iterrows()
            }
            found.append({"measure": f"{name}, {method}"} | cells)
    return pd.DataFrame(found)


def claims(rows: pd.DataFrame, cutoff: int = 10) -> list[Claim]:
    asked = {
        "mse_clean": ("pow4_errs_more", "larger squared error", ""),
        "ll": ("pow4_is_likelier", "higher log-likelihood", "nats per point"),
    }
    stated = []
    for measure, (name, which, unit) in asked.items():
        gap = where(rows, method="gap", measure=measure, cutoff=cutoff) if len(rows) else rows
        found = Interval.with_error(gap["value"].iloc[0], gap["se"].iloc[0]) if len(gap) else None
        question = (
            f"After {cutoff} % of the epochs, does a power law with four parameters, fitted by least squares (pow4), have a "
            f"{which} than repeating the last value?"
        )
        stated.append(Claim(name, question, found, Above(0), unit))
    return stated
