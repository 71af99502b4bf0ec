"""What models say of later epochs: sampled continuations of a language model beside the marginals of the other network.

The density of an epoch is the mean of the next-word densities over continuations (curvecast/language/continuations.py); the
mixture is half of each network's density. The highest later value is forecast from whole futures, which a PFN has as well:
each drawn value is read before the next is drawn. All futures are drawn as words, by one rule.
"""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from curvecast.language.continuations import Continuations, continuations, draw
from curvecast.language.vocabulary import Vocabulary
from curvecast.networks.bars import Bars
from curvecast.scores import baselines, metrics
from curvecast.training.forecaster import Forecaster
from reproduce._press.where import where
from reproduce.language.language_models.trained import CUTOFFS
from reproduce.protocols import forecasters, scores_by_share
from reproduce.protocols.own_runs import OwnRun

SAMPLED, PFN, MIXED, LAST = "LSTM, sampled", "PFN", "half of each", "last value"
AT_ONCE = 20  # curves
Futures = Callable[[Tensor, int, float], Tensor]  # observed (B, T), epochs ahead, rarity -> values (B, S, Q)
HIGHEST = (10, 40)  # cutoffs after which the highest later value is forecast
FUTURES, ALONE, RELEASED = "PFN, sampled", "PFN, epochs alone", "released model, sampled"
TRIMMED, WHOLE = "trimmed", "all words"
RARE = {
    TRIMMED: 1e-3,
    WHOLE: 0.0,
}  # on other curves the first suits the LSTM; alike for all


def after_cutoffs(
    language: Forecaster, pfn: Forecaster, noisy: Tensor, judged: pd.DataFrame, samples: int, seed: int
) -> pd.DataFrame:
    """By method, cutoff and curve whose exact posterior is known: scores of each later epoch by itself."""
    generator, tails = torch.Generator().manual_seed(seed), []
    for cutoff in CUTOFFS:
        some = [_scores_of(language, pfn, y, cutoff, samples, generator) for y in noisy.split(AT_ONCE)]
        exact = where(judged, cutoff=cutoff).set_index("curve")["ll"].reindex(range(len(noisy))).to_numpy()
        for name in (SAMPLED, PFN, MIXED, LAST):
            ll, cover = (torch.cat([one[i][name] for one in some]).mean(1).numpy() for i in range(2))
            tails.append(pd.DataFrame({
                "method": name, "cutoff": cutoff, "curve": range(len(ll)), "ll": ll, "lost": exact - ll, "cover": cover,
            }))  # fmt: skip
    return pd.concat(tails).round(4)


def _scores_of(
    language: Forecaster, pfn: Forecaster, y: Tensor, cutoff: int, samples: int, generator: torch.Generator
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """By method, (B, Q): log-densities, and whether the 90 % interval has the point."""
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
    return ll, cover


def highest(futures: Futures, noisy: Tensor) -> pd.DataFrame:
    """CRPS of the highest later value, by cutoff, curve, and what is drawn."""
    found = []
    for cutoff in HIGHEST:
        for words, rare in RARE.items():
            some = [futures(y[:, :cutoff], y.shape[1] - cutoff, rare).amax(2) for y in noisy.split(AT_ONCE)]
            crps = _crps(torch.cat(some), noisy[:, cutoff:].amax(1)).numpy().round(5)
            found.append(
                pd.DataFrame({"cutoff": cutoff, "words": words, "curve": range(len(crps)), "crps": crps})
            )
    return pd.concat(found)


def of_language(
    net: Forecaster, samples: int, chance: torch.Generator, seen: Tensor, ahead: int, rare: float
) -> Tensor:
    return drawn(net, continuations(net.model, seen, ahead, samples, chance, rare), chance)


def of_pfn(
    pfn: Forecaster, vocabulary: Vocabulary, samples: int, chance: torch.Generator,
    seen: Tensor, ahead: int, rare: float, together: bool = True,
) -> Tensor:  # fmt: skip
    """Together: each drawn value is read before the next is drawn. Else all epochs are drawn by themselves."""
    T, y = seen.shape[1], seen.repeat_interleave(samples, 0)  # (B S, T)
    x = torch.arange(1.0, T + ahead + 1).expand(len(y), -1)
    for later in x[:, T:].split(1 if together else ahead, 1):
        p = word_masses(pfn.predict(x[:, : y.shape[1]], y, later), vocabulary)  # (B S, Q, K)
        words = draw(p.flatten(0, 1), rare, chance).view(later.shape)
        shares = torch.rand(words.shape, generator=chance).clamp(1e-6, 1 - 1e-6)
        y = torch.cat([y, vocabulary.values(words, shares)], 1)
    return y[:, T:].view(len(seen), samples, ahead)


def word_masses(density: Bars, words: Vocabulary) -> Tensor:
    """What a density gives each word, whatever its own buckets are.  (..., K)"""
    inner = words.borders[1:-1].contiguous()
    k, p = density.bucket(inner), density.log_p.exp()
    below = (p.cumsum(-1) - p)[..., k] + p[..., k] * density.share_below(inner, k)  # (..., K - 1)
    nothing = torch.zeros_like(below[..., :1])
    return torch.cat([nothing, below, nothing + 1], -1).diff(dim=-1).clamp(min=0)


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
