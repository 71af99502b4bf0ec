"""The models of the ladder, and what each says of the next point: the same curves in the same order, and equal time.

Numbers of curves are set so that a training takes about as long as one of the forecasting network on 19,200 curves. Its
settings of the optimiser are those with which all backbones learn best (`backbone_rates`); tables of words need a higher
rate, tuned for each kind. Seconds are those of all cores together.
"""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import by_number, prior
from curvecast.curves.prior import PriorConfig
from curvecast.language.model import (
    FAMILIES,
    LanguageConfig,
    LanguageModel,
    LanguageModelConfig,
    Vocabulary,
    own_perplexity,
)
from curvecast.language.skip_gram import nearest
from curvecast.language.symbols import NGrams
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce.protocols.timing import threads

CUTOFFS = (5, 10, 20, 40, 70)
FIRST = min(CUTOFFS)  # after which the next point is forecast
COUNTS, UNIFORM, TIED, PFN, ORACLE = "n-gram", "uniform", "transformer, tied", "PFN", "oracle"
DISCOUNTS = (0.3, 0.5, 0.7, 0.9)
VALIDATION = 5_400  # seed of the curves that choose order and discount, and rates
# of the tables of words: the best of those tried (part `rates`), with a seed and curves of their own
WORD_RATES = {"feed-forward": 0.04, "LSTM": 0.1, "transformer": 0.1, TIED: 0.1}
TUNING = 90  # seed of the trainings that choose a rate
NEAR = 2  # buckets
NATS = "nats per point"


@dataclass(frozen=True)
class Trainings:
    width: int = 64
    buckets: int = 256
    counted: int = 19_200  # curves that the n-grams count
    orders: tuple[int, ...] = (1, 2, 3, 4)
    validated: int = 500
    pfn_width: int = 60
    pfn: int = 19_200  # training curves
    window: int = 18_112
    lstm: int = 13_568
    transformer: int = 11_520

    @property
    def bars(self) -> BarsConfig:
        return BarsConfig(buckets=self.buckets)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(make_borders(self.bars, PriorConfig()))

    def config(self, name: str, seed: int, rate: float | None = None) -> TrainConfig:
        how: dict[str, Any] = {"draws": "number", "lr": 1.6e-3, "matrix_lr": 0.02, "seed": seed}
        if name == PFN:  # the row "transformer, encoder" of the page on architectures
            reader = ReaderConfig(TransformerConfig(heads=2), self.pfn_width)
            return TrainConfig(reader, curves=self.pfn, **how)
        family = "transformer" if name == TIED else name
        curves = {"feed-forward": self.window, "LSTM": self.lstm, "transformer": self.transformer}[family]
        model = LanguageModelConfig(FAMILIES[family], self.width, tied=name == TIED)
        return LanguageConfig(model, bars=self.bars, curves=curves, **how | {"lr": rate or WORD_RATES[name]})


def forecaster(config: TrainConfig) -> Forecaster:
    """From the cache of weights, or trained now."""
    with threads():
        return trained(config, progress=False)


@torch.no_grad()
def next_points(forecaster: Forecaster, y: Tensor) -> Tensor:
    """Log-density of each point given all before it, (n, T); NaN for the first where the network reads nothing there."""
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    if isinstance(forecaster.model, LanguageModel):  # one pass
        some = zip(x.split(100), y.split(100), strict=True)
        return torch.cat([forecaster.model.log_density(*part, *part) for part in some]).double()
    ask, epochs = forecaster.log_density, range(1, y.shape[1])
    steps = [ask(x[:, :t], y[:, :t], x[:, t : t + 1], y[:, t : t + 1]) for t in epochs]
    return torch.cat([torch.full_like(y[:, :1], torch.nan), *steps], 1).double()


def rows_of(log_density: Tensor, vocabulary: Vocabulary, y: Tensor) -> pd.DataFrame:
    """By curve: nats per point of all points after the first (chain rule), and bits of their words."""
    within = vocabulary.within(y, vocabulary.words(y)).double()
    each = log_density, (within - log_density) / math.log(2)
    nats, words = (part[:, FIRST:].mean(1).numpy().round(4) for part in each)
    columns = {"curve": range(len(y)), "ll": nats, "bits": words, "own_perplexity": np.nan, "near": np.nan}
    return pd.DataFrame(columns)


def rates(how: Trainings, tried: list[Forecaster], models: tuple[str, ...]) -> pd.DataFrame:
    """Nats per point by kind and rate, on the curves that choose; of each kind as many rates."""
    y = by_number.sample(PriorConfig(), VALIDATION, torch.arange(how.validated)).noisy.float()
    ll = [rows_of(next_points(one, y), how.vocabulary(), y)["ll"].mean() for one in tried]
    names = np.repeat(models, len(tried) // len(models))
    return pd.DataFrame({"model": names, "rate": [one.config.lr for one in tried], "ll": ll})


def of_network(forecaster: Forecaster, vocabulary: Vocabulary, y: Tensor) -> pd.DataFrame:
    """With what only a language model has: the perplexity of its own entropy, and words whose nearest vector is near."""
    frame, net = rows_of(next_points(forecaster, y), vocabulary, y), forecaster.model
    if not isinstance(net, LanguageModel):
        return frame
    with torch.no_grad():
        own = own_perplexity(torch.cat([net(part)[:, FIRST:] for part in y.split(100)]))
    near = (nearest(net.embed.weight.detach()[:-1]) - torch.arange(vocabulary.size)).abs() <= NEAR
    return frame.assign(own_perplexity=round(own, 3), near=near.double().mean().item())


def without_training(how: Trainings, y: Tensor, seed: int) -> pd.DataFrame:
    """The uniform model, and the n-grams whose order and discount are best on curves of their own."""
    vocabulary = how.vocabulary()

    def words(curves: Tensor) -> list[np.ndarray]:
        return list(vocabulary.words(curves.float()).numpy())

    learnt = words(by_number.sample(PriorConfig(), seed, torch.arange(how.counted)).noisy)
    chosen_on = words(by_number.sample(PriorConfig(), VALIDATION, torch.arange(how.validated)).noisy)
    models = [NGrams(learnt, order, how.buckets) for order in how.orders]
    pairs = product(models, DISCOUNTS)
    best, discount = max(pairs, key=lambda pair: pair[0].log_p(chosen_on, pair[1]).mean())
    within = vocabulary.within(y, vocabulary.words(y)).double()
    frames = []
    for name, model in ((UNIFORM, NGrams([], 0, how.buckets)), (COUNTS, best)):
        log_p = torch.from_numpy(model.log_p(words(y), discount)).view(y.shape)
        about = {"model": name, "order": model.order, "discount": discount if model.order else np.nan}
        curves = how.counted if model.order else 0
        frames.append(rows_of(log_p + within, vocabulary, y).assign(**about, curves=curves))
    return pd.concat(frames)


def oracle(scored: int, vocabulary: Vocabulary) -> pd.DataFrame:
    """Of the density that knows the curve and its noise: no model can be better on average."""
    curves = prior.second_test_set(scored)
    normal = torch.distributions.Normal(curves.clean.double(), curves.sigma.double()[:, None])
    frame = rows_of(normal.log_prob(curves.noisy.double()), vocabulary, curves.noisy)
    return frame.assign(model=ORACLE, curves=0)
