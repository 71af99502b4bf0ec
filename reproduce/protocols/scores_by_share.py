"""What forecasts of real curves are worth: every forecaster sees the same curves, cut off at the same points."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.ground.errors import UserError
from curvecast.networks.mixture import MixtureBars
from curvecast.scores.quantile_scores import LEVELS
from reproduce.protocols.forecasters import Ask, Density
from reproduce.protocols.real_curve import SHARES, Trial, worth

AT_ONCE = 20  # curves: their later epochs should stay in the cache
SCORES = ("ll", "crps", "error", "in50", "in90")


class Shown(NamedTuple):
    """Trials of which equally many points are seen."""

    numbers: list[int]  # which they are
    y: Tensor  # (B, T)
    later: Tensor  # (B, A), NaN behind the end of a curve


def scores(trials: Sequence[Trial], forecasters: dict[str, Ask], at_once: int = AT_ONCE) -> pd.DataFrame:
    """Of each curve, share seen and method, NaN where it was refused."""
    rows, none = [], [np.nan] * len(SCORES)
    for (name, ask), share in product(forecasters.items(), SHARES):
        each = dict(_each(trials, share, ask, at_once))
        rows += [(i, share, name, *each.get(i, none)) for i in range(len(trials))]
    return pd.DataFrame(rows, columns=["curve", "seen", "method", *SCORES])


def _each(trials: Sequence[Trial], share: int, ask: Ask, at_once: int) -> Iterator[tuple[int, list[float]]]:
    """Number of a curve, and its scores."""
    for shown in portions(trials, share, at_once):
        for some, density in answered(ask, shown):
            ll = density.log_density(some.later.nan_to_num(0.5)).double()
            quantiles = quantiles_of(density)  # (L, B, A)
            for place, number in enumerate(some.numbers):
                one = trials[number]
                hidden = slice(0, len(one.values) - shown.y.shape[1])
                told = worth(one, shown.y.shape[1], quantiles[:, place, hidden].numpy())
                yield number, [float(ll[place, hidden].mean()), *told]


def quantiles_of(density: Density) -> Tensor:
    """At all levels, which a mixture tells at once.  (L, B, A)"""
    if isinstance(density, MixtureBars):
        return density.quantile(torch.from_numpy(LEVELS)[:, None, None]).double()
    return torch.stack([density.quantile(float(level)).double() for level in LEVELS])


def portions(trials: Sequence[Trial], share: int, at_once: int = AT_ONCE) -> Iterator[Shown]:
    cutoffs = np.array([one.cutoff(share) for one in trials])
    for cutoff in np.unique(cutoffs):
        alike = np.flatnonzero(cutoffs == cutoff)
        for some in np.array_split(alike, -(-len(alike) // at_once)):
            curves = [torch.from_numpy(trials[i].seen) for i in some]
            padded = torch.nn.utils.rnn.pad_sequence(curves, batch_first=True, padding_value=float("nan"))
            yield Shown(some.tolist(), padded[:, :cutoff], padded[:, cutoff:])


def answered(ask: Ask, shown: Shown) -> Iterator[tuple[Shown, Density]]:
    """With their densities, in as few calls as possible; a trial that is refused even alone is not among them."""
    try:
        density = ask(shown.y, shown.later.shape[1])
    except UserError:
        if (n := len(shown.numbers)) > 1:
            for half in (slice(-(-n // 2)), slice(-(-n // 2), n)):
                yield from answered(ask, Shown(shown.numbers[half], shown.y[half], shown.later[half]))
        return
    yield shown, density
