"""A forecaster that was trained behind a denoiser, on denoised beginnings, beside one that was trained on them as observed.

Both are trained on the same curves in the same order. The denoiser was trained before, on other curves, and stays as it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.autoencoder import Autoencoder
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import Batch, TrainConfig, curves, queries, seed_of
from curvecast.training.steps import Training
from curvecast.training.train import fit
from presswork import Above, Claim, Interval
from reproduce.latent_curves._curves import training_curves
from reproduce.latent_curves.how_many_numbers.denoiser import DENOISED, NOISY, Denoiser, denoised, trained

TABLES = {"behind": ("seed", "beginning", "curve", "ll")}  # means over the numbers of observed epochs
Fronts = dict[int, Autoencoder | None]  # by number of observed epochs: the denoiser, if there is one


@dataclass(frozen=True)
class Behind:
    seeds: int = 3  # of denoisers and forecasters
    model: ModelConfig = ModelConfig(64, 2, 2)
    curves: int = 32_000
    scored: int = 500


def seen(y: Tensor, cutoff: int, denoiser: Autoencoder | None) -> Tensor:
    """What a forecaster reads of curves (n, T).  -> (n, cutoff)"""
    return (y if denoiser is None else denoised(denoiser, y))[:, :cutoff]


def behind(fronts: Fronts) -> type[TrainConfig]:
    """A training on these numbers of observed epochs, each in as many curves of a batch."""

    class BehindConfig(TrainConfig):
        def batches(self, step: int, device: str) -> Iterator[Batch]:
            generator = torch.Generator().manual_seed(seed_of(self.seed, "queries", step))
            parts = curves(self, step, device).chunk(len(fronts))
            for (cutoff, denoiser), y in zip(fronts.items(), parts, strict=True):
                n, length = y.shape
                index = queries(self.queries, torch.full((n, 1), cutoff), length, length - cutoff, generator)
                x = torch.arange(1.0, cutoff + 1).expand(n, -1)
                yield Batch(x, seen(y, cutoff, denoiser), index + 1.0, y.gather(1, index), None)

    return BehindConfig


def measured(config: Denoiser, asked: Behind, seed: int) -> pd.DataFrame:
    known, test, frames = training_curves(config.curves, seed), prior.second_test_set(asked.scored).noisy, []
    denoisers: Fronts = {
        cutoff: trained(known.noisy[:, :cutoff], known.clean[:, :cutoff], config.steps, seed)
        for cutoff in config.cutoffs
    }
    for name, fronts in ((NOISY, dict.fromkeys(denoisers)), (DENOISED, denoisers)):
        how = behind(fronts)(asked.model, curves=asked.curves, batch=66, cutoffs=len(fronts), seed=seed)
        training = Training(how, how.network())
        fit(training)
        ll = torch.stack([likelihood(training.net.eval(), test, *one) for one in fronts.items()]).mean(0)
        frames.append(pd.DataFrame({"beginning": name, "curve": range(len(ll)), "ll": ll.numpy().round(4)}))
    return pd.concat(frames, ignore_index=True).assign(seed=seed)[list(TABLES["behind"])]


@torch.no_grad()
def likelihood(net: Any, y: Tensor, cutoff: int, denoiser: Autoencoder | None) -> Tensor:
    """Of the later points of curves (n, T).  -> (n,)"""
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    ll: Tensor = net.log_density(x[:, :cutoff], seen(y, cutoff, denoiser), x[:, cutoff:], y[:, cutoff:])
    return ll.double().mean(1)


def gain(rows: pd.DataFrame) -> Interval | None:
    """Over seeds and curves."""
    wide = rows.pivot_table(index="seed", columns=["beginning", "curve"], values="ll")
    both = {NOISY, DENOISED} <= set(rows["beginning"])
    return Interval.of_seeds_and_curves(wide[DENOISED] - wide[NOISY]) if both else None


def claims() -> list[Claim]:
    asks = "On curves of the prior, does a denoiser in front raise the likelihood of forecasters that were trained behind it?"
    return [Claim("trained_behind", asks, "trained_behind", Above(0), "nats per point")]
