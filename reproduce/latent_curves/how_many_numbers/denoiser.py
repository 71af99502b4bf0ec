"""A denoising autoencoder learns to give a noisy beginning back without its noise: does it help a forecaster?

Does it know the score of the noisy law, and does the model that was trained on the paper's prior forecast better from what it
gives back? Beside it stands the best that any denoiser could do, the beginning without noise; and real runs, where the
released model forecasts. Last, a forecaster that was trained on denoised beginnings, beside one that was trained on them as
observed: on the same curves in the same order, behind a denoiser that was trained before, on other curves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.latent.autoencoder import Autoencoder, AutoencoderConfig
from curvecast.latent.fit import Steps, fit, of_gaussian, principal, rms, score
from curvecast.networks.model import ModelConfig
from curvecast.scores import evaluate
from curvecast.training.batches import Batch, TrainConfig, queries, seed_of
from curvecast.training.batches import curves as drawn_curves
from curvecast.training.steps import Training
from curvecast.training.train import fit as fit_forecaster
from presswork import Above, Below, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import leads
from reproduce.latent_curves._curves import RealRuns, batches, data_set, training_curves
from reproduce.pictures.panels import legend, mean_lines, panels

NOISY, DENOISED, CLEAN = "as observed", "denoised", "without its noise"
COLOURS = {NOISY: "ours", DENOISED: "paper", CLEAN: "exact"}
PRIOR, REAL = "the paper’s prior", "real runs"
MODELS = {PRIOR: "paper-prior", REAL: "released"}
SCORES = {
    "off": "error of the beginning (RMS)",
    "ll": "nats per later point",
    "cover90": "coverage of 90 % (%)",
}


@dataclass(frozen=True)
class Denoiser:
    cutoffs: tuple[int, ...] = (10, 20, 40)
    curves: int = 20_000
    steps: int = 1_000
    scored: int = 100  # curves of the prior
    runs: int = 10  # real ones of each task
    seeds: int = 3  # of denoisers of a normal law
    sigma: float = 0.05  # noise in that law


@dataclass(frozen=True)
class Behind:
    seeds: int = 3  # of denoisers and forecasters
    model: ModelConfig = ModelConfig(64, 2, 2)
    curves: int = 32_000
    scored: int = 500


TABLES = {
    "denoised": ("curves", "cutoff", "beginning", "curve", "group", "off", "ll", "crps", "cover90"),
    "score": ("seed", "cosine", "length"),  # length: over that of the score
    "behind": ("seed", "beginning", "curve", "ll"),  # means over the numbers of observed epochs
}
Fronts = dict[int, Autoencoder | None]  # by number of observed epochs: the denoiser, if there is one


def measured(config: Denoiser, runs: RealRuns) -> Rows:
    curves, test, frames = training_curves(config.curves, 0), prior.second_test_set(config.scored), []
    for cutoff in config.cutoffs:
        denoiser = trained(curves.noisy[:, :cutoff], curves.clean[:, :cutoff], config.steps, seed=cutoff)
        of_prior = {NOISY: test.noisy, DENOISED: denoised(denoiser, test.noisy)}
        of_prior[CLEAN] = restored(test.clean, test.noisy, cutoff)
        of_real = {NOISY: runs.accuracy, DENOISED: denoised(denoiser, runs.accuracy)}
        kinds = (PRIOR, of_prior, test.clean, range(config.scored)), (REAL, of_real, None, runs.task)
        for name, beginnings, clean, groups in kinds:
            about = {"group": list(groups), "curves": name, "cutoff": cutoff}
            tables = {how: _scored(MODELS[name], y, clean, cutoff) for how, y in beginnings.items()}
            frames += [scored.assign(beginning=how, **about) for how, scored in tables.items()]
    scores = pd.DataFrame([_score(curves.clean, config, seed) for seed in range(config.seeds)])
    return {"denoised": pd.concat(frames, ignore_index=True), "score": scores}


def trained(noisy: Tensor, clean: Tensor, steps: int, seed: int) -> Autoencoder:
    """It keeps as many numbers as it sees: what it learns is to undo noise, not to be short."""
    basis = principal(clean, min(12, noisy.shape[1]))
    torch.manual_seed(seed)
    net = AutoencoderConfig(len(basis.directions), width=64).network(basis)
    return fit(net, batches(noisy, clean, seed), Steps(steps))


@torch.no_grad()
def denoised(net: Autoencoder, y: Tensor) -> Tensor:
    return restored(net.decode(net.encode(y[:, : net.epochs])), y, net.epochs)


def restored(beginning: Tensor, y: Tensor, cutoff: int) -> Tensor:
    """Later points stay as they are: these are what is forecast."""
    return torch.cat([beginning[:, :cutoff], y[:, cutoff:]], 1)


def _scored(model: str, y: Tensor, clean: Tensor | None, cutoff: int) -> pd.DataFrame:
    scores = evaluate.score(torch_network.load(shipped.path_of(model)), y, None, cutoff)
    off = torch.full((len(y),), torch.nan) if clean is None else rms(y[:, :cutoff], clean[:, :cutoff])
    kept = {name: scores[name].numpy().round(5) for name in ("ll", "crps", "cover90")}
    return pd.DataFrame({"curve": range(len(y)), "off": off.numpy().round(6)} | kept)


def _score(clean: Tensor, config: Denoiser, seed: int) -> dict[str, float]:
    """A normal law with mean and covariance of the curves; compared within the directions in which it varies."""
    basis = principal(clean, 12)
    chance = torch.Generator().manual_seed(seed)
    x = basis.decode(basis.spread * torch.randn(config.curves, 12, generator=chance))
    noisy = x + config.sigma * torch.randn(x.shape, generator=chance)
    net = trained(noisy[500:], x[500:], config.steps, seed)
    with torch.no_grad():
        ours = score(lambda x: net.decode(net.encode(x)), noisy[:500], config.sigma) @ basis.directions.T
    covariance = torch.diag(basis.spread.square())
    exact = of_gaussian(torch.zeros(12), covariance, basis.encode(noisy[:500]), config.sigma)
    cosine = torch.cosine_similarity(ours, exact).mean().item()
    return {"seed": seed, "cosine": cosine, "length": (ours.norm() / exact.norm()).item()}


# ------------------------------------------------------------------------------------- a forecaster behind a denoiser


def seen(y: Tensor, cutoff: int, denoiser: Autoencoder | None) -> Tensor:
    """What a forecaster reads of curves (n, T).  -> (n, cutoff)"""
    return (y if denoiser is None else denoised(denoiser, y))[:, :cutoff]


def behind(fronts: Fronts) -> type[TrainConfig]:
    """A training on these numbers of observed epochs, each in as many curves of a batch."""

    class BehindConfig(TrainConfig):
        def batches(self, step: int, device: str) -> Iterator[Batch]:
            generator = torch.Generator().manual_seed(seed_of(self.seed, "queries", step))
            parts = drawn_curves(self, step, device).chunk(len(fronts))
            for (cutoff, denoiser), y in zip(fronts.items(), parts, strict=True):
                n, length = y.shape
                index = queries(self.queries, torch.full((n, 1), cutoff), length, length - cutoff, generator)
                x = torch.arange(1.0, cutoff + 1).expand(n, -1)
                yield Batch(x, seen(y, cutoff, denoiser), index + 1.0, y.gather(1, index), None)

    return BehindConfig


def measured_behind(config: Denoiser, asked: Behind, seed: int) -> pd.DataFrame:
    known, test, frames = training_curves(config.curves, seed), prior.second_test_set(asked.scored).noisy, []
    denoisers: Fronts = {
        cutoff: trained(known.noisy[:, :cutoff], known.clean[:, :cutoff], config.steps, seed)
        for cutoff in config.cutoffs
    }
    for name, fronts in ((NOISY, dict.fromkeys(denoisers)), (DENOISED, denoisers)):
        how = behind(fronts)(asked.model, curves=asked.curves, batch=66, cutoffs=len(fronts), seed=seed)
        training = Training(how, how.network())
        fit_forecaster(training)
        ll = torch.stack([likelihood(training.net.eval(), test, *one) for one in fronts.items()]).mean(0)
        frames.append(pd.DataFrame({"beginning": name, "curve": range(len(ll)), "ll": ll.numpy().round(4)}))
    return pd.concat(frames, ignore_index=True).assign(seed=seed)[list(TABLES["behind"])]


@torch.no_grad()
def likelihood(net: Any, y: Tensor, cutoff: int, denoiser: Autoencoder | None) -> Tensor:
    """Of the later points of curves (n, T).  -> (n,)"""
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    ll: Tensor = net.log_density(x[:, :cutoff], seen(y, cutoff, denoiser), x[:, cutoff:], y[:, cutoff:])
    return ll.double().mean(1)


def gain_behind(rows: pd.DataFrame) -> Interval | None:
    """Over seeds and curves."""
    wide = rows.pivot_table(index="seed", columns=["beginning", "curve"], values="ll")
    both = {NOISY, DENOISED} <= set(rows["beginning"])
    return Interval.of_seeds_and_curves(wide[DENOISED] - wide[NOISY]) if both else None


def estimates(rows: Rows) -> Estimates:
    """By claims: over curves of the prior, or data sets of real runs; each counts once, its mean over cutoffs."""
    of_prior, real = (where(rows["denoised"], curves=curves) for curves in (PRIOR, REAL))
    off, ll = (leads(of_prior, "beginning", NOISY, one, "curve", Interval.of_many) for one in ("off", "ll"))
    by_set = real.assign(set=real["group"].map(data_set)).rename(columns={"set": "data_set"})
    real_ll = leads(by_set, "beginning", NOISY, "ll", "data_set")
    return there({
        "trained_behind": gain_behind(rows["behind"]),
        "less_noise": off.get(DENOISED), "forecasts_better": ll.get(DENOISED), "perfect_denoiser": ll.get(CLEAN),
        "real_forecasts_better": real_ll.get(DENOISED),
        "score_direction": Interval.of_mean(rows["score"].set_index("seed")["cosine"]),
    })  # fmt: skip


def draw(rows: pd.DataFrame, config: Denoiser) -> Figure:
    of_prior = where(rows, curves=PRIOR).assign(cover90=100 * rows["cover90"])
    figure, axes = panels(SCORES.values(), (8.6, 3.4), across="observed epochs")
    for axis, column in zip(axes, SCORES, strict=True):
        mean_lines(axis, of_prior, "cutoff", column, "beginning", COLOURS, "o-")
        axis.set_xticks(config.cutoffs)
    axes[2].axhline(90, color=style.ink(), linestyle=":", linewidth=1)
    legend(figure, axes)
    return figure


def claims() -> list[Claim]:
    return [
        Claim("less_noise", "Is the denoised beginning closer to the curve without noise?",
              "less_noise", Below(0)),
        Claim("forecasts_better", "On curves of the prior, does a denoiser in front raise the likelihood of the forecast?",
              "forecasts_better", Above(0), "nats per point"),
        Claim("perfect_denoiser", "On curves of the prior, would a perfect denoiser in front raise the likelihood?",
              "perfect_denoiser", Above(0), "nats per point"),
        Claim("real_forecasts_better", "On real runs, does a denoiser in front of the released model raise the likelihood?",
              "real_forecasts_better", Above(0), "nats per point"),
        Claim("score_direction", "Does a denoising autoencoder point along the score of a known normal law?",
              "score_direction", Above(0.95)),
        Claim("trained_behind", "On curves of the prior, does a denoiser in front raise the likelihood of forecasters that "
              "were trained behind it?", "trained_behind", Above(0), "nats per point"),
    ]  # fmt: skip
