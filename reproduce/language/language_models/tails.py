"""What models say of later epochs: sampled continuations of a language model beside the marginals of the other network.

The density of an epoch is the mean of the next-word densities over continuations (curvecast/language/continuations.py); the
mixture is half of each network's density. The highest later value is forecast from whole futures, which a PFN has as well:
each drawn value is read before the next is drawn. All futures are drawn as words, by one rule.
"""

import math
from collections.abc import Callable, Mapping
from itertools import product

import pandas as pd
import torch
from matplotlib.axes import Axes
from torch import Tensor

from curvecast.language.continuations import continuations, draw
from curvecast.language.model import Vocabulary
from curvecast.networks.bars import Bars
from curvecast.scores import baselines, metrics
from curvecast.training.train import Forecaster
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, style, there, where
from reproduce.language.language_models.trained import CUTOFFS, NATS, PFN
from reproduce.pictures.panels import mean_lines, ticks

SAMPLED, MIXED, LAST = "LSTM, sampled", "half of each", "last value"
AHEAD = {LAST: "last", SAMPLED: "recurrent", PFN: "ours", MIXED: "new"}  # and their colours
AT_ONCE = 20  # curves
Futures = Callable[[Tensor, int, float], Tensor]  # observed (B, T), epochs ahead, rarity -> values (B, S, Q)
HIGHEST = (10, 40)  # cutoffs after which the highest later value is forecast
FUTURES, ALONE, RELEASED = "PFN, sampled", "PFN, epochs alone", "released model, sampled"
TRIMMED, WHOLE = "trimmed", "all words"
RARE = {TRIMMED: 1e-3, WHOLE: 0.0}  # on other curves the first suits the LSTM; alike for all


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


def highest(futures: Mapping[str, Futures], noisy: Tensor) -> pd.DataFrame:
    """CRPS of the highest later value, by method, cutoff, curve, and what is drawn."""
    frames = []
    for (method, draw_some), cutoff, words in product(futures.items(), HIGHEST, RARE):
        ahead, rare = noisy.shape[1] - cutoff, RARE[words]
        some = [draw_some(y[:, :cutoff], ahead, rare).amax(2) for y in noisy.split(AT_ONCE)]
        crps = _crps(torch.cat(some), noisy[:, cutoff:].amax(1)).numpy().round(5)
        scored = pd.DataFrame({"cutoff": cutoff, "words": words, "curve": range(len(crps)), "crps": crps})
        frames.append(scored.assign(method=method))
    return pd.concat(frames)


def of_language(
    net: Forecaster, samples: int, chance: torch.Generator, seen: Tensor, ahead: int, rare: float
) -> Tensor:
    """Values within the buckets of sampled words.  (B, S, Q)"""
    words = continuations(net.model, seen, ahead, samples, chance, rare).words
    shares = torch.rand(words.shape, generator=chance).clamp(1e-6, 1 - 1e-6)
    return net.model.vocabulary.values(words, shares)


@torch.no_grad()
def of_pfn(
    pfn: Forecaster, vocabulary: Vocabulary, samples: int, chance: torch.Generator,
    seen: Tensor, ahead: int, rare: float, together: bool = True,
) -> Tensor:  # fmt: skip
    """Together: each drawn value is read before the next is drawn. Else all epochs are drawn by themselves."""
    T, y = seen.shape[1], seen.repeat_interleave(samples, 0)  # (B S, T)
    x = torch.arange(1.0, T + ahead + 1).expand(len(y), -1)
    for later in x[:, T:].split(1 if together else ahead, 1):
        masses = Bars(pfn.model.borders, pfn.model(x[:, : y.shape[1]], y, later))
        p = word_masses(masses, vocabulary)  # (B S, Q, K)
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


def _crps(samples: Tensor, y: Tensor) -> Tensor:
    """Of an ensemble (B, S) and what came (B,), without bias: mean |X - y| - mean |X - X'| / 2."""
    ordered, S = samples.double().sort(1).values, samples.shape[1]
    weight = 2 * torch.arange(1, S + 1).double() - S - 1
    apart = (weight * ordered).sum(1) * 2 / max(1, S * (S - 1))
    return (ordered - y[:, None]).abs().mean(1) - apart / 2


# ------------------------------------------------------------------------------------------------- estimates


def by_curve(rows: pd.DataFrame, value: str = "ll", **of: object) -> pd.DataFrame:
    """(seeds, curves), means over cutoffs"""
    return where(rows, **of).pivot_table(index="seed", columns="curve", values=value)


def above(rows: pd.DataFrame, column: str, one: str, other: str) -> Interval | None:
    """By how much one scores higher than the other, curve by curve."""
    mine, theirs = (by_curve(rows, **{column: name}) for name in (one, other))
    return Interval.of_seeds_and_curves((mine - theirs).dropna())


def times(these: pd.DataFrame, those: pd.DataFrame) -> Interval | None:
    """The ratio of two means of values (seeds, curves), with the error of its linear part. One training meets all seeds."""
    if 1 not in (len(these), len(those)):
        these, those = these.align(those, join="inner", axis=0)
    if not these.size or not those.size:
        return None
    own, rival = these.to_numpy(), those.to_numpy()
    ratio, more = own.mean() / rival.mean(), max(these, those, key=len)
    linear = ratio + (own - ratio * rival) / rival.mean()
    return Interval.of_seeds_and_curves(pd.DataFrame(linear, more.index, more.columns))


def estimates(rows: Rows) -> Estimates:
    """{(SAMPLED, other method): nats per point above the other}, and of the highest later value {(method, cutoff): how many
    times the CRPS of SAMPLED}"""

    def crps(method: str, cutoff: int) -> pd.DataFrame:
        return by_curve(rows["highest"], "crps", method=method, cutoff=cutoff, words=TRIMMED)

    nats = {(SAMPLED, other): above(rows["tails"], "method", SAMPLED, other) for other in (LAST, PFN)}
    ratios = {
        (rival, cutoff): times(crps(rival, cutoff), crps(SAMPLED, cutoff))
        for rival, cutoff in product((ALONE, FUTURES, RELEASED), HIGHEST)
    }
    return there({**nats, **ratios})


# ---------------------------------------------------------------------------------------------------- shown


def draw_lost(axis: Axes, tails: pd.DataFrame) -> None:
    mean_lines(axis, tails, "cutoff", "lost", "method", AHEAD, "o-", markersize=4)
    axis.axhline(0, color=style.colour("exact"))
    axis.annotate("exact posterior", (CUTOFFS[-1], 0), (0, -3), textcoords="offset points", color=style.colour("exact"),
                  fontsize=8.5, va="top", ha="right")  # fmt: skip
    axis.set(xscale="log", xlabel="epochs observed", ylabel="nats per point below exact", ylim=(-0.04, 5))
    axis.set_yscale("symlog", linthresh=0.2)
    ticks(axis, CUTOFFS)
    ticks(axis, (0, 0.1, 0.2, 0.5, 1, 2), "g", "y")
    axis.legend(fontsize=8.5, loc="upper right", ncols=2)


def claims() -> list[Claim]:
    rivals = (("highest_at_10", ALONE, "separate epochs of the PFN", 10),
              ("highest_beats_released_at_40", RELEASED, "sampled futures of the released model", 40))  # fmt: skip
    return [
        Claim("beats_last", "Do the LSTM’s continuations score higher than the last value?",
              (SAMPLED, LAST), Above(0), NATS),
        Claim("later_like_pfn", "Do the LSTM’s continuations score at least as high as the PFN?",
              (SAMPLED, PFN), AtLeast(0), NATS),
        *(Claim(name, f"After {cutoff} epochs, does the LSTM foresee the highest later value better than {words}?",
                (rival, cutoff), Above(1), "×")
          for name, rival, words, cutoff in rivals),
    ]  # fmt: skip
