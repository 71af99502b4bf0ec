"""What models say of later epochs: sampled continuations of a language model beside the marginals of the other network.

The density of an epoch is the mean of the next-word densities over continuations (curvecast/language/continuations.py); the
mixture is half of each network's density.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.language.continuations import Continuations, continuations
from curvecast.networks.bars import Bars
from curvecast.scores import baselines, metrics
from curvecast.training.forecaster import Forecaster
from reproduce._press.where import where
from reproduce.language.language_models.trained import CUTOFFS
from reproduce.protocols import forecasters, scores_by_share
from reproduce.protocols.own_runs import OwnRun

SAMPLED, PFN, MIXED, LAST = "LSTM, sampled", "PFN", "half of each", "last value"
AT_ONCE = 20  # curves
HIGHEST = (10, 40)  # cutoffs after which the highest later value is forecast
RARE = 1e-3  # chosen on other curves: one word in a thousand is enough to be the highest of many


def after_cutoffs(
    language: Forecaster, pfn: Forecaster, noisy: Tensor, judged: pd.DataFrame, samples: int, seed: int
) -> dict[str, pd.DataFrame]:
    """By method and cutoff, on curves of which the exact posterior is known: scores of each later epoch by itself, and of
    the highest later value."""
    generator = torch.Generator().manual_seed(seed)
    tails, highest = [], []
    for cutoff in CUTOFFS:
        some = [_scores_of(language, pfn, y, cutoff, samples, generator) for y in noisy.split(AT_ONCE)]
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"]
        for name in (SAMPLED, PFN, MIXED, LAST):
            mean = torch.cat([one.ll[name] for one in some]).mean(1).numpy()  # of each curve
            known = [i for i in exact.index if i < len(mean)]
            cover = torch.cat([one.cover[name] for one in some]).mean().item()
            lost = float((exact[known].to_numpy() - mean[known]).mean()) if known else math.nan
            tails.append(
                {"method": name, "cutoff": cutoff, "ll": float(mean.mean()), "lost": lost, "cover": cover}
            )
        for name in some[0].top:
            crps = torch.cat([one.top[name] for one in some]).mean().item()
            highest.append({"method": name, "cutoff": cutoff, "crps": crps})
    return {"tails": pd.DataFrame(tails).round(4), "highest": pd.DataFrame(highest).round(5)}


class OfSome(NamedTuple):
    """Of some curves, by method."""

    ll: dict[str, Tensor]  # (B, Q)
    cover: dict[str, Tensor]  # (B, Q)
    top: dict[str, Tensor]  # (B,) CRPS of the highest later value


def _scores_of(
    language: Forecaster, pfn: Forecaster, y: Tensor, cutoff: int, samples: int, generator: torch.Generator
) -> OfSome:
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    seen, later = y[:, :cutoff], y[:, cutoff:]
    grown = continuations(language.model, seen, later.shape[1], samples, generator)
    theirs = pfn.predict(x[:, :cutoff], seen, x[:, cutoff:])
    last = baselines.forecast(LAST, x[0, :cutoff], seen, x[0, cutoff:])
    densities: dict[str, metrics.Density] = {SAMPLED: grown.marginals, PFN: theirs, LAST: last}
    ll = {
        name: one.log_density(later.double() if name == LAST else later).double()
        for name, one in densities.items()
    }
    ll[MIXED] = torch.logaddexp(ll[SAMPLED], ll[PFN]) - math.log(2)
    cover = {name: metrics.inside(one, later, 0.9) for name, one in densities.items()}
    cover[MIXED] = torch.full_like(ll[PFN], torch.nan)
    top = {}
    if cutoff in HIGHEST:
        sure = continuations(language.model, seen, later.shape[1], samples, generator, RARE)
        draws = {SAMPLED: drawn(language, sure, generator),
                 PFN: theirs.sample(samples, generator).transpose(0, 1)}  # fmt: skip
        top = {name: _crps(one.max(2).values, later.max(1).values) for name, one in draws.items()}
    return OfSome(ll, cover, top)


def drawn(language: Forecaster, grown: Continuations, generator: torch.Generator) -> Tensor:
    """Values within the buckets of sampled words.  (B, S, Q)"""
    shares = torch.rand(grown.words.shape, generator=generator).clamp(1e-6, 1 - 1e-6)
    return language.model.vocabulary.values(grown.words, shares)


def _crps(samples: Tensor, y: Tensor) -> Tensor:
    """Of an ensemble (B, S) and what came (B,), without bias: mean |X - y| - mean |X - X'| / 2."""
    ordered, S = samples.double().sort(1).values, samples.shape[1]
    weight = 2 * torch.arange(1, S + 1).double() - S - 1
    apart = (weight * ordered).sum(1) * 2 / max(1, S * (S - 1))
    return (ordered - y[:, None]).abs().mean(1) - apart / 2


def of_runs(
    language: Forecaster, pfn: Forecaster, runs: list[OwnRun], samples: int, seed: int
) -> pd.DataFrame:
    """On real runs that learn: by method, share seen and task."""
    generator = torch.Generator().manual_seed(seed)

    def sampled(y: Tensor, ahead: int) -> Bars:
        return continuations(language.model, y.float(), ahead, samples, generator).marginals

    asks: dict[str, Callable[[Tensor, int], Any]] = {
        SAMPLED: sampled, PFN: forecasters.network(pfn), LAST: forecasters.simple()["last"],
    }  # fmt: skip
    return scores_by_share.by_task(runs, asks)
