"""Trains forecasters on the same curves in the same order and scores them; and variational autoencoders of whole curves."""

import time
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.gaussian import BITS
from curvecast.latent.prefix_code import PrefixCode, PrefixCodeConfig
from curvecast.latent.principal import principal, rms
from curvecast.latent.variational import VariationalConfig
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.scores import baselines, evaluate
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig
from curvecast.training.train import fit as fit_forecaster
from reproduce._press.where import where
from reproduce.latent_curves._curves import batches, training_curves

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
        history = fit_forecaster(steps)
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


def whole_curves(
    betas: tuple[float, ...], code: int, curves: int, held_out: int, steps: int, seed: int
) -> pd.DataFrame:
    """Noisy curves as codes: bits, error against the curve without noise, and two bounds of the evidence per point."""
    x, y = training_curves(curves, seed), prior.second_test_set(held_out)
    basis = principal(x.clean, 12)
    lines = []
    for beta in betas:
        torch.manual_seed(seed)
        net = VariationalConfig(code, beta=beta).network(basis)
        fit(net, batches(x.noisy, x.noisy, seed), Steps(steps))
        lines.append({"beta": beta, "seed": seed} | _of_whole(net, y.noisy, y.clean))
    return pd.DataFrame(lines)


@torch.no_grad()
def _of_whole(net: Any, noisy: Tensor, clean: Tensor) -> dict[str, float]:
    noise = torch.randn(64, 1, net.config.code, generator=torch.Generator().manual_seed(0))
    per_point = {"elbo": net.elbo(noisy, noise).mean(0), "evidence": net.evidence(noisy, noise)}
    drawn = net.decode(net.posterior(noisy).at(noise[0]))
    return {
        "bits": BITS * float(net.posterior(noisy).rate().mean()),
        "error": float(rms(drawn, clean).square().mean().sqrt()),
    } | {name: float(values.mean()) / net.epochs for name, values in per_point.items()}
