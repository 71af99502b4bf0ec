"""Trains forecasters on the same curves in the same order, and scores them on curves of the prior and on real runs."""

import time
from typing import Any

import pandas as pd
import torch

from curvecast.curves import prior
from curvecast.latent.gaussian import BITS
from curvecast.latent.prefix_code import PrefixCode, PrefixCodeConfig
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.scores import baselines, evaluate
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, fit
from reproduce._press.where import where
from reproduce.protocols import forecasters, scores_by_share
from reproduce.protocols.own_runs import OwnRun

CUTOFFS = (5, 10, 20, 40, 70)
PFN, VAE, BOTTLENECK, LAST = "PFN", "VAE", "bottleneck", "last value"
RATES = {PFN: (1.6e-3, 0.02), VAE: (3e-3, 0.02), BOTTLENECK: (3e-3, 0.02)}  # of Adam, and of Muon


def network(model: str, beta: float, width: int, code: int, samples: int) -> Any:
    """The PFN is the row `transformer, encoder` of the page on architectures, with as many parameters."""
    if model == PFN:
        return ReaderConfig(FAMILIES["transformer, encoder"], 60 * width // 48)
    aim = "elbo" if model == VAE else "bottleneck"
    return PrefixCodeConfig(code, beta, aim, width=width, samples=samples)


def trained(model: str, config: Any, curves: int, seed: int) -> tuple[Forecaster, float]:
    """With the seconds of one core."""
    lr, matrix_lr = RATES[model]
    asked = TrainConfig(config, curves=curves, seed=seed, draws="number", lr=lr, matrix_lr=matrix_lr)
    net, begin = asked.network(), time.process_time()
    with Training(asked, net) as steps:
        history = fit(steps)
    return Forecaster(asked, net.eval(), history), time.process_time() - begin


@torch.no_grad()
def scores(forecaster: Forecaster | None, exact: pd.DataFrame, scored: int) -> pd.DataFrame:
    """By cutoff, on curves whose exact posterior is known: nats per point, how far below it, and bits of the code."""
    y = prior.test_set(scored).noisy
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    lines = []
    for cutoff in CUTOFFS:
        if forecaster:
            ll = evaluate.likelihood(forecaster, y, cutoff)
        else:
            ll = (
                baselines.forecast(LAST, x[0, :cutoff], y[:, :cutoff], x[0, cutoff:])
                .log_density(y[:, cutoff:])
                .mean(1)
            )
        net, bits = forecaster.model if forecaster else None, float("nan")
        if isinstance(net, PrefixCode) and net.config.aim == "bottleneck":
            bits = BITS * float(net.posterior(x[:, :cutoff], y[:, :cutoff]).rate().mean())
        best = where(exact, cutoff=cutoff).set_index("curve")["ll"].reindex(range(len(y))).to_numpy()
        mean = float(ll.double().mean())
        lines.append({"cutoff": cutoff, "ll": mean, "lost": float(best.mean()) - mean, "bits": bits})
    return pd.DataFrame(lines)


def on_runs(forecaster: Forecaster | None, runs: list[OwnRun]) -> pd.DataFrame:
    """On real runs that learn: by share seen and task. Without a forecaster the last value."""
    ask = forecasters.network(forecaster) if forecaster else forecasters.simple()["last"]
    return scores_by_share.by_task(runs, {"": ask}).drop(columns="method")
