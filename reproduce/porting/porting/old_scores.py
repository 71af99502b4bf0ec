"""Forecasts of the blog's ports and of simpler methods, scored in the blog's unit and per point, curve by curve.

Shapes: n curves, c = cutoff; a forecast is one number for each later epoch, (n, T - c).
"""

import pandas as pd
import torch
from pandas import DataFrame
from torch import Tensor

from curvecast.curves.prior import Curves, PriorConfig, sample
from curvecast.networks.bars import Bars
from curvecast.scores import baselines, metrics
from curvecast.training.train import Forecaster
from reproduce.porting.porting import linear_rules

STEPS = 84  # over which the ports' loss is summed
NEAR_FAR = 10  # epochs at either end of the forecast
RULES_FROM = 10_000  # curves of the prior
FITS = ("last value", "pow3", "pow4")


def per_curve(told: Tensor, curves: Curves) -> dict[str, Tensor]:
    """Squared errors of a point, each a mean over the later epochs (n,)."""
    c = curves.noisy.shape[1] - told.shape[1]
    noisy, clean = curves.noisy[:, c:], curves.clean[:, c:]
    from_clean = (told - clean).square()
    return {
        "off": (told[:, :-1] - noisy[:, 1:]).square().mean(1),  # the forecast of one epoch beside the next one
        "noisy": (told - noisy).square().mean(1), "clean": from_clean.mean(1),
        "near": from_clean[:, :NEAR_FAR].mean(1), "far": from_clean[:, -NEAR_FAR:].mean(1),
    }  # fmt: skip


def rows(model: str, told: Tensor, curves: Curves) -> dict[str, DataFrame]:
    """Each curve's errors, and the error at each distance, without the noise."""
    c = curves.noisy.shape[1] - told.shape[1]
    each = DataFrame({name: values.double().numpy() for name, values in per_curve(told, curves).items()})
    by_distance = (told - curves.clean[:, c:]).square().mean(0)
    ahead = DataFrame({"ahead": range(1, told.shape[1] + 1), "clean": by_distance.numpy()})
    each.insert(0, "curve", range(len(told)))
    return {"each": each.assign(model=model), "ahead": ahead.assign(model=model)}


def simple(forecaster: Forecaster, curves: Curves, c: int) -> dict[str, DataFrame]:
    """LC-PFN on noisy curves and on clean ones, what needs no training, and densities where there are any."""
    T = curves.noisy.shape[1]
    x = torch.arange(1.0, T + 1)
    y = curves.noisy[:, :c]
    pure = Curves(curves.clean, curves.clean, curves.sigma)
    scored = [
        rows(name, torch.cat([_density(forecaster, part, x, c).mean() for part in _split(which)]), which)
        for name, which in (("lcpfn", curves), ("lcpfn-clean", pure))
    ]
    usual = sample(PriorConfig(), RULES_FROM, torch.Generator().manual_seed(0)).noisy.mean().item()
    flat = {"mean-of-five": y[:, -5:].mean(1, keepdim=True), "prior-mean": torch.full((len(y), 1), usual)}
    scored += [rows(name, value.expand(-1, T - c), curves) for name, value in flat.items()]
    scored += [rows(name, told, curves) for name, told in linear_rules.told(y, RULES_FROM).items()]
    densities = [_densities("lcpfn", _density(forecaster, part, x, c), part, c) for part in _split(curves)]
    for method in FITS:
        density = baselines.forecast(method, x[:c], y, x[c:])
        scored.append(rows(method.replace(" ", "-"), density.mean.float(), curves))
        densities.append(_densities(method.replace(" ", "-"), density, curves, c))
    tables = {
        name: pd.concat([some[name] for some in scored], ignore_index=True).assign(seed=0)
        for name in ("each", "ahead")
    }
    return tables | {"density": pd.concat(densities, ignore_index=True)}


def _split(curves: Curves, n: int = 50) -> list[Curves]:
    """A thousand buckets for each epoch should stay in the cache."""
    return [Curves(*parts) for parts in zip(*(array.split(n) for array in curves), strict=True)]


def _density(forecaster: Forecaster, curves: Curves, x: Tensor, c: int) -> Bars:
    epochs = x.expand(len(curves.noisy), -1)
    return forecaster.predict(epochs[:, :c], curves.noisy[:, :c], epochs[:, c:])


def _densities(model: str, density: metrics.Density, curves: Curves, c: int) -> DataFrame:
    scores = metrics.scores(density, curves.noisy[:, c:])
    return DataFrame({name: scores[name].numpy() for name in ("ll", "cover90")}).assign(model=model)
