"""Variational autoencoders of whole curves: bits against error, drawn curves, and what each number does."""

from typing import Any

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.fit import Steps, fit
from curvecast.latent.gaussian import BITS, Normal
from curvecast.latent.principal import principal, rms
from curvecast.latent.variational import VariationalConfig
from reproduce._press import style
from reproduce._press.claim import AtMost, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.latent_curves._curves import batches, training_curves
from reproduce.pictures.panels import around, panels

FRESH, DRAWN = "fresh", "drawn"  # kinds of curves for the picture; and curves along one number of a code:
NUMBERS = ("dearest number", "second dearest", "third dearest", "fourth dearest")
SHOWN = 12  # fresh and drawn ones
PLACES = (-2.0, -1.0, 0.0, 1.0, 2.0)  # of one number, in the prior's standard deviations; others are 0
LEARNING_RATE = 5e-3  # 2e-3 and 1e-2 changed the ELBO of other curves by less than 0.01 nats per point
WIDELY = 2_000  # drawn curves whose last values are compared with fresh ones


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
    some = pd.DataFrame(curves.T.numpy(), index=pd.RangeIndex(1, curves.shape[1] + 1, name="epoch"))[::2]
    values = some.rename_axis("curve", axis=1).unstack().rename("value")
    return values.round(4).reset_index().assign(kind=kind)[["kind", "curve", "epoch", "value"]]


def draw(shown: pd.DataFrame) -> Figure:
    """Fresh curves, curves of codes that were drawn at random, and what single numbers of a code do."""
    names = {FRESH: "fresh from the prior", DRAWN: "drawn by the autoencoder"} | {one: one for one in NUMBERS}
    figure, axes = panels(list(names.values()), (8.8, 5.0), 3, sharex=True, sharey=True)
    for axis, kind in zip(axes, names, strict=True):
        curves = [one for _, one in where(shown, kind=kind).groupby("curve")]
        for place, one in enumerate(curves):
            pale = 0.3 + 0.7 * (place + 1) / len(curves) if kind in NUMBERS else 1
            colour = style.colour("ours" if kind == FRESH else "paper")
            axis.plot(one["epoch"], one["value"], color=colour, linewidth=0.9, alpha=pale)
        axis.set_ylim(-0.1, 1.15)
    around(figure, "epoch", "value")
    return figure


def claims(whole: pd.DataFrame) -> list[Claim]:
    bits = where(whole, beta=whole["beta"].max()).set_index("seed")["bits"]
    cheap = where(whole, beta=1.0).set_index("seed")
    return [
        Claim("dear_bits_vanish", "Does a code whose bits cost too much keep nothing of the curve?",
              Interval.of_mean(bits), Below(0.1)),
        Claim("elbo_is_close", "Is the ELBO within a hundredth of a nat per point of the importance-weighted bound?",
              Interval.of_mean(cheap["evidence"] - cheap["elbo"]), AtMost(0.01), "nats per point"),
        Claim("draws_widely", "Do curves that the autoencoder draws end as far apart as fresh ones, within a tenth?",
              Interval.of_mean(cheap["spread"]), Between(0.9, 1.1), "×"),
        Claim("samples_as_noted", "Does noise times the root of the standard deviation give samples of the right variance?",
              Interval.exactly(spread_of_samples(0.5) / 0.25) if len(whole) else None, Between(0.99, 1.01), "×"),
    ]  # fmt: skip


def spread_of_samples(power: float) -> float:
    """Variance of a million samples of a normal with variance a quarter, if noise is multiplied by sd to this power."""
    noise = torch.randn(1_000_000, 1, generator=torch.Generator().manual_seed(0))
    return float(Normal(torch.zeros(1), torch.full((1,), 0.5) ** power).at(noise).var())
