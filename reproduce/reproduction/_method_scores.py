"""How good one method is at one cutoff: a row of means, and the log-likelihood of each curve."""

import math

import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.curves.prior import Curves
from curvecast.scores import baselines, evaluate, metrics
from curvecast.scores.sum_of_families import sum_of_families
from curvecast.training.train import Forecaster

Row = dict[str, object]


def network(
    method: str, forecaster: Forecaster, curves: Curves, cutoff: int, detailed: int
) -> tuple[Row, Tensor]:
    """The likelihood on all curves; what needs quantiles on the first `detailed`."""
    ll = evaluate.likelihood(forecaster, curves.noisy, cutoff)
    scores = evaluate.score(forecaster, curves.noisy[:detailed], curves.clean[:detailed], cutoff)
    size = sum(p.numel() for p in forecaster.model.parameters())
    return row(method, cutoff, curves, scores | {"ll": ll}) | {"parameters": size}, ll


def likelihoods(method: str, forecaster: Forecaster, curves: Curves, cutoffs: tuple[int, ...]) -> list[Row]:
    """A row for each cutoff, of the likelihood alone."""
    return [row(method, c, curves, {"ll": evaluate.likelihood(forecaster, curves.noisy, c)}) for c in cutoffs]


def simple(method: str, curves: Curves, cutoff: int, detailed: int) -> tuple[Row, Tensor]:
    """A method without training, or "oracle": the clean curve and its noise, which nobody knows."""
    x = torch.arange(1, curves.noisy.shape[1] + 1).double()
    y, clean = curves.noisy.double(), curves.clean.double()[:, cutoff:]
    if method == "oracle":
        sd = curves.sigma.double()[:, None].expand_as(clean)
        density = baselines.Gaussian(clean, sd)
    elif method == "sum":
        density = sum_of_families(prior.PriorConfig(), y[:, :cutoff], y.shape[1] - cutoff)
    else:
        density = baselines.forecast(method, x[:cutoff], y[:, :cutoff], x[cutoff:])
    scores = metrics.scores(density, y[:, cutoff:], clean)
    ll = scores["ll"]
    same = {name: values[:detailed] for name, values in scores.items()} | {"ll": ll}  # on networks' curves
    return row(method, cutoff, curves, same), ll


def row(method: str, cutoff: int, curves: Curves, scores: dict[str, Tensor]) -> Row:
    """Means with their standard errors, and the likelihood without the sampling variation of these curves' noise."""
    sigma = curves.sigma.double()[:, None]
    z = (curves.noisy - curves.clean)[:, cutoff:].double() / sigma
    oracle = (-0.5 * z.square() - sigma.log() - 0.5 * math.log(2 * math.pi)).mean(1)
    even = metrics.against_oracle(scores["ll"], oracle, prior.ORACLE_LL)
    found: Row = {"method": method, "cutoff": cutoff, "n": len(oracle)}
    found |= {"ll_even": even.value, "ll_even_se": even.se}
    for name, values in scores.items():
        found[name], found[f"{name}_se"] = metrics.estimate(values)
    return found
