"""Variational autoencoders of whole curves: bits against error, drawn curves, and what each number does."""

from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.gaussian import BITS
from curvecast.latent.principal import principal, rms
from curvecast.latent.variational import VariationalConfig
from reproduce.latent_curves._curves import batches, training_curves

FRESH, DRAWN = "fresh", "drawn"  # kinds of curves for the picture; and curves along one number of a code:
NUMBERS = ("dearest number", "second dearest", "third dearest", "fourth dearest")
SHOWN = 12  # fresh and drawn ones
PLACES = (-2.0, -1.0, 0.0, 1.0, 2.0)  # of one number, in the prior's standard deviations; others are 0
LEARNING_RATE = 5e-3  # 2e-3 and 1e-2 changed the ELBO of other curves by less than 0.01 nats per point
WIDELY = 2_000  # drawn curves whose last values are compared with fresh ones
EPOCHS = np.arange(1, 101, 2)  # of the curves in the picture


def whole_curves(
    betas: tuple[float, ...], code: int, curves: int, held_out: int, steps: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Noisy curves as codes: bits, error against the curve without noise, two bounds of the evidence per point, and how far
    apart drawn curves end, over how far apart fresh ones do."""
    x, y = training_curves(curves, seed), prior.second_test_set(held_out)
    basis, lines, tables = principal(x.clean, 12), [], {}
    for beta in betas:
        torch.manual_seed(seed)
        net = VariationalConfig(code, beta=beta).network(basis)
        fit(net, batches(x.noisy, x.noisy, seed), Steps(steps, LEARNING_RATE))
        lines.append({"beta": beta} | of_whole(net, y.noisy, y.clean, x.clean))
        if beta == 1 and seed == 0:  # curves of one training are enough for a picture
            tables["shown"] = shown(net, y.noisy)
    return tables | {"whole": pd.DataFrame(lines)}


@torch.no_grad()
def of_whole(net: Any, noisy: Tensor, clean: Tensor, many: Tensor) -> dict[str, float]:
    chance = torch.Generator().manual_seed(0)
    noise = torch.randn(64, 1, net.config.code, generator=chance)
    per_point = {"elbo": net.elbo(noisy, noise).mean(0), "evidence": net.evidence(noisy, noise)}
    again = net.decode(net.posterior(noisy).at(noise))  # (64, n, T)
    drawn = net.decode(torch.randn(WIDELY, net.config.code, generator=chance))
    return {
        "bits": BITS * float(net.posterior(noisy).rate().mean()),
        "error": float(rms(again, clean).square().mean().sqrt()),
        "spread": float(drawn[:, -1].std() / many[:, -1].std()),
    } | {name: float(values.mean()) / net.epochs for name, values in per_point.items()}


@torch.no_grad()
def shown(net: Any, noisy: Tensor) -> pd.DataFrame:
    """Fresh curves, curves of codes drawn from their prior, and curves along the numbers that cost most nats; with noise,
    along a number the same."""
    k, chance = net.config.code, torch.Generator().manual_seed(0)
    codes = {DRAWN: torch.randn(SHOWN, k, generator=chance)}
    nats = net.posterior(noisy).rate_of_each().mean(0)  # (k,)
    for kind, number in zip(NUMBERS, nats.argsort(descending=True).tolist(), strict=False):
        codes[kind] = torch.zeros(len(PLACES), k)
        codes[kind][:, number] = torch.tensor(PLACES)
    kinds = {FRESH: noisy[:SHOWN]}
    for kind, code in codes.items():
        noise = torch.randn(SHOWN if kind == DRAWN else 1, net.epochs, generator=chance)
        kinds[kind] = net.likelihood(code).at(noise)
    return pd.concat([_long(kind, curves) for kind, curves in kinds.items()], ignore_index=True)


def _long(kind: str, curves: Tensor) -> pd.DataFrame:
    some = curves[:, EPOCHS - 1].numpy().round(4)
    number, place = np.indices(some.shape)
    return pd.DataFrame(
        {"kind": kind, "curve": number.ravel(), "epoch": EPOCHS[place.ravel()], "value": some.ravel()}
    )
