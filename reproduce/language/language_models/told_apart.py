"""Can a classifier tell sampled curves from fresh curves of the prior? And, as a control, fresh curves from others?

Curves of the prior are rounded to words first and drawn anew within their buckets, so that rounding gives nothing away.
"""

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.language.continuations import continuations
from curvecast.training.forecaster import Forecaster
from reproduce._press import style
from reproduce._press.claim import AtMost, Claim
from reproduce._press.estimates import by_mean
from reproduce._press.where import where
from reproduce.language.language_models.tails import drawn
from reproduce.pictures.panels import around, panels

SEED = 5_500  # of the fresh curves
LANGUAGE, CONTROL = "sampled", "fresh"
SHOWN = 8  # curves of each kind, for the picture
TREES = 100


def told_apart(language: Forecaster, curves: int, epochs: int, seed: int) -> dict[str, pd.DataFrame]:
    generator = torch.Generator().manual_seed(seed)
    grown = continuations(language.model, torch.empty(1, 0), epochs, curves, generator)
    sampled = drawn(language, grown, generator)[0]  # (n, T)
    numbers = torch.arange(2 * curves)
    fresh = by_number.sample(PriorConfig(length=epochs), SEED + seed, numbers).noisy.float()
    words = language.model.vocabulary
    shares = torch.rand(fresh.shape, generator=generator).clamp(1e-6, 1 - 1e-6)
    fresh = words.values(words.words(fresh), shares)
    rows = []
    for name, one in ((LANGUAGE, sampled), (CONTROL, fresh[curves:])):
        right, judged = _right(one.numpy(), fresh[:curves].numpy(), seed)
        rows.append({"what": name, "right": right, "judged": judged})
    return {
        "apart": pd.DataFrame(rows),
        "shown": pd.concat([_shown(LANGUAGE, sampled), _shown(CONTROL, fresh)]),
    }


def _right(one: np.ndarray, other: np.ndarray, seed: int) -> tuple[int, int]:
    """How many of the curves that it did not learn from a forest attributes rightly; half of them are of either kind."""
    from sklearn.ensemble import ExtraTreesClassifier  # a second, which nobody else waits for

    def features(curves: np.ndarray) -> np.ndarray:
        return np.hstack([curves, np.diff(curves)])

    half, kinds = len(one) // 2, np.repeat([0, 1], len(one) // 2)
    forest = ExtraTreesClassifier(TREES, random_state=seed, min_samples_leaf=2)
    forest.fit(features(np.concatenate([one[:half], other[:half]])), kinds)
    judged = features(np.concatenate([one[half : 2 * half], other[half : 2 * half]]))
    return int((forest.predict(judged) == kinds).sum()), len(kinds)


def _shown(kind: str, curves: Tensor) -> pd.DataFrame:
    some = pd.DataFrame(curves[:SHOWN].T.numpy(), index=pd.RangeIndex(1, curves.shape[1] + 1, name="epoch"))
    values = some.rename_axis("curve", axis=1).unstack().rename("value")
    return values.round(4).reset_index().assign(kind=kind)[["kind", "curve", "epoch", "value"]]


def draw(shown: pd.DataFrame) -> Figure:
    kinds = {
        LANGUAGE: ("sampled by the LSTM, word by word", "recurrent"),
        CONTROL: ("fresh from the prior", "ours"),
    }
    figure, axes = panels([title for title, _ in kinds.values()], (8.4, 3.4), sharey=True)
    for axis, (kind, (_, colour)) in zip(axes, kinds.items(), strict=True):
        for _, one in where(shown, kind=kind).groupby("curve"):
            axis.plot(one["epoch"], one["value"], color=style.colour(colour), linewidth=0.9)
        axis.set_ylim(-0.1, 1.15)
    around(figure, "epoch", "value")
    return figure


def claims(apart: pd.DataFrame) -> list[Claim]:
    share = by_mean(apart.assign(share=apart["right"] / apart["judged"]), "what", "share")
    return [
        Claim(f"{name}_look_alike", f"Does a classifier attribute at most 55 % of {words} rightly?",
              share.get(name), AtMost(0.55), "%")
        for name, words in ((LANGUAGE, "curves that the LSTM sampled, or fresh ones of the prior,"),
                            (CONTROL, "two sets of fresh curves of the prior"))
    ]  # fmt: skip
