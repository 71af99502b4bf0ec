"""Scores of forecasters with more input than the values of a curve: a planned rate, sizes of training sets.

Shapes: B = curves, T = observed points, A = future points, n = points of a curve.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.scores import quantile_scores
from reproduce.protocols.forecasters import Ask, Density
from reproduce.protocols.real_curve import SHARES, Trial, worth
from reproduce.protocols.scores_by_share import AT_ONCE, Shown, answered, portions

Array = np.ndarray
Answer = Callable[[Shown], Iterable[tuple[Shown, Density]]]  # those that are not refused

SCORES = ("crps", "error", "in90", "low")
END = 5  # the last fifth of the points


def of_values(ask: Ask) -> Answer:
    """Of a forecaster without other input."""
    return lambda shown: answered(ask, shown)


def beside(known: Sequence[Array], shown: Shown) -> tuple[Tensor, Tensor]:
    """The input of observed (B, T, ...) and of future points (B, A, ...); after the end of a curve the last is repeated."""
    T, A = shown.y.shape[1], shown.later.shape[1]
    own = [known[number] for number in shown.numbers]
    padded = [np.concatenate([one, np.repeat(one[-1:], T + A - len(one), 0)]) for one in own]
    told = torch.from_numpy(np.stack(padded)).float()
    return told[:, :T], told[:, T:]


def told(known: Sequence[Array], ask: Callable[[Tensor, Tensor, Tensor], Density]) -> Answer:
    """Of a forecaster with input for observed and for future points."""

    def answer(shown: Shown) -> list[tuple[Shown, Density]]:
        seen, ahead = beside(known, shown)
        return [(shown, ask(seen, shown.y, ahead))]

    return answer


def scores(trials: Sequence[Trial], answers: dict[str, Answer]) -> pd.DataFrame:
    """Of each curve, share observed and method, in three digits."""
    rows = [
        (number, share, method, *each)
        for method, answer in answers.items()
        for share in SHARES
        for number, each in sorted(_each(trials, share, answer))
    ]
    table = pd.DataFrame(rows, columns=["curve", "seen", "method", *SCORES])
    for name in SCORES:
        table[name] = [float(f"{value:.3g}") for value in table[name]]
    return table


def _each(trials: Sequence[Trial], share: int, answer: Answer) -> Iterator[tuple[int, tuple[float, ...]]]:
    for shown in portions(trials, share, AT_ONCE):
        for some, density in answer(shown):
            quantiles = torch.stack([density.quantile(float(q)).double() for q in quantile_scores.LEVELS])
            for place, number in enumerate(some.numbers):
                trial, cutoff = trials[number], shown.y.shape[1]
                own = quantiles[:, place, : len(trial.values) - cutoff].numpy()
                told = worth(trial, cutoff, own)
                yield number, (told.crps, told.error, told.in90, too_low(trial, own))


def too_low(trial: Trial, quantiles: Array) -> float:
    """How far the median lies below the curve's end, as networks see it: 0 to 1, more is better, a loss turned over."""
    last = min(max(1, len(trial.values) // END), quantiles.shape[1])
    median = np.clip(quantile_scores.median(quantiles)[-last:], 0, 1)
    return float((trial.seen[-last:] - median).mean())
