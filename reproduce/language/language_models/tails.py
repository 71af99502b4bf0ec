"""What models say of later epochs: sampled continuations of a language model beside the marginals of the other network.

The density of an epoch is the mean of the next-word densities over continuations (curvecast/language/continuations.py); the
mixture is half of each network's density.
"""

import math
from collections.abc import Callable
from typing import Any

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
        lines: dict[str, list[dict[str, Tensor]]] = {SAMPLED: [], PFN: [], MIXED: [], LAST: []}
        tops: dict[str, list[Tensor]] = {SAMPLED: [], PFN: []}
        for y in noisy.split(AT_ONCE):
            seen, later = y[:, :cutoff], y[:, cutoff:]
            grown = continuations(language.model, seen, later.shape[1], samples, generator)
            x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
            theirs = pfn.predict(x[:, :cutoff], seen, x[:, cutoff:])
            last = baselines.forecast(LAST, x[0, :cutoff], seen, x[0, cutoff:])
            for name, density in ((SAMPLED, grown.marginals), (PFN, theirs), (LAST, last)):
                ll = density.log_density(later.double() if name == LAST else later).double()
                lines[name].append({"ll": ll, "cover": metrics.inside(density, later, 0.9)})
            both = [lines[name][-1]["ll"] for name in (SAMPLED, PFN)]
            lines[MIXED].append(
                {"ll": torch.logaddexp(*both) - math.log(2), "cover": torch.full_like(both[0], torch.nan)}
            )
            if cutoff not in HIGHEST:
                continue
            top = later.max(1).values
            sure = continuations(language.model, seen, later.shape[1], samples, generator, RARE)
            tops[SAMPLED].append(_crps(drawn(language, sure, generator).max(2).values, top))
            tops[PFN].append(_crps(theirs.sample(samples, generator).transpose(0, 1).max(2).values, top))
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"]
        for name, parts in lines.items():
            mean = torch.cat([part["ll"] for part in parts]).mean(1).numpy()  # of each curve
            known = [i for i in exact.index if i < len(mean)]
            cover = torch.cat([part["cover"] for part in parts]).mean().item()
            lost = float((exact[known].to_numpy() - mean[known]).mean()) if known else math.nan
            tails.append(
                {"method": name, "cutoff": cutoff, "ll": float(mean.mean()), "lost": lost, "cover": cover}
            )
        for name, found in tops.items() if cutoff in HIGHEST else ():
            highest.append({"method": name, "cutoff": cutoff, "crps": torch.cat(found).mean().item()})
    return {"tails": pd.DataFrame(tails).round(4), "highest": pd.DataFrame(highest).round(5)}


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
