"""How good one method is at one cutoff: a row of means, and the log-likelihood of each curve."""

import math

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.curves.prior import Curves
from curvecast.scores import baselines, evaluate, metrics
from curvecast.scores.baselines import sum_of_families
from curvecast.training.train import Forecaster
from presswork.estimates import of_each_end
from presswork.intervals import Interval

Row = dict[str, object]


def network(method: str, net: Forecaster, curves: Curves, cutoff: int, detailed: int) -> tuple[Row, Tensor]:
    """The likelihood on all curves; what needs quantiles on the first `detailed`."""
    ll = evaluate.likelihood(net, curves.noisy, cutoff)
    scores = evaluate.score(net, curves.noisy[:detailed], curves.clean[:detailed], cutoff)
    size = sum(p.numel() for p in net.model.parameters())
    return row(method, cutoff, curves, scores | {"ll": ll}) | {"parameters": size}, ll


def likelihoods(method: str, forecaster: Forecaster, curves: Curves, cutoffs: tuple[int, ...]) -> list[Row]:
    """A row for each cutoff, of the likelihood alone."""
    return [row(method, c, curves, {"ll": evaluate.likelihood(forecaster, curves.noisy, c)}) for c in cutoffs]


def simple(method: str, curves: Curves, cutoff: int, detailed: int) -> tuple[Row, Tensor]:
    """A method without training, or "oracle": the clean curve and its noise, which nobody knows. The likelihood is that on
    all curves, all else on those that networks get as well."""
    x = torch.arange(1, curves.noisy.shape[1] + 1).double()
    y, clean = curves.noisy.double(), curves.clean.double()[:, cutoff:]
    if method == "oracle":
        density = baselines.Gaussian(clean, curves.sigma.double()[:, None].expand_as(clean))
    elif method == "sum":
        density = sum_of_families(prior.PriorConfig(), y[:, :cutoff], y.shape[1] - cutoff)
    else:
        density = baselines.forecast(method, x[:cutoff], y[:, :cutoff], x[cutoff:])
    scores = metrics.scores(density, y[:, cutoff:], clean)
    few = {name: values[:detailed] for name, values in scores.items()}
    return row(method, cutoff, curves, few | {"ll": scores["ll"]}), scores["ll"]


def row(method: str, cutoff: int, curves: Curves, scores: dict[str, Tensor]) -> Row:
    """Means with their standard errors, and the likelihood without the sampling variation of these curves' noise."""
    sigma = curves.sigma.double()[:, None]
    z = (curves.noisy - curves.clean)[:, cutoff:].double() / sigma
    oracle = (-0.5 * z.square() - sigma.log() - 0.5 * math.log(2 * math.pi)).mean(1)
    even = metrics.against_oracle(scores["ll"], oracle, prior.ORACLE_LL)
    numbers: Row = {"method": method, "cutoff": cutoff, "n": len(oracle)}
    numbers |= {"ll_even": even.value, "ll_even_se": even.se}
    for name, values in scores.items():
        numbers[name], numbers[f"{name}_se"] = metrics.estimate(values)
    return numbers


def above_each(each: pd.DataFrame, method: str, others: tuple[str, ...], cutoff: int) -> Interval | None:
    """Above the one that is hardest to beat at this cutoff, paired by curve: slow fits have the first curves alone."""
    ours, *theirs = (f"{name}@{cutoff}" for name in (method, *others))
    curve = each.groupby("part").cumcount().rename("curve")
    by_curve = each.reindex(columns=[ours, *theirs]).groupby(curve).first()
    leads = [Interval.of_many((by_curve[ours] - by_curve[name]).dropna()) for name in theirs]
    return None if None in leads else of_each_end(min, filter(None, leads))
