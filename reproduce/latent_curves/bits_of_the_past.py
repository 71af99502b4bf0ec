"""How many bits of the past are worth having?

A code of the beginning is all that a forecast may know (the deep information bottleneck). The dearer its bits, the fewer it
keeps: likelihood of later points against an upper bound of the bits, for several prices beta. Beside it a conditional
variational autoencoder, a prior-fitted network that was trained on the same curves, and the last value. And whole curves as
codes of a variational autoencoder: rate against distortion, and curves drawn from it.
"""

import time
from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.fit import Steps, principal, rms
from curvecast.latent.fit import fit as fit_code
from curvecast.latent.prefix_code import PrefixCode, PrefixCodeConfig
from curvecast.latent.variational import BITS, VariationalConfig
from curvecast.networks.backbones.reader import FAMILIES, ReaderConfig
from curvecast.scores import baselines, evaluate
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, fit
from presswork import AtLeast, Between, Claim, Estimates, Interval, Rows, in_cell, style, there, where
from presswork.estimates import by_mean
from reproduce.latent_curves._curves import batches, training_curves
from reproduce.pictures.panels import panels, ticks
from reproduce.protocols.timing import threads

CUTOFFS = (5, 10, 20, 40, 70)
PFN, VAE, BOTTLENECK, LAST, WHOLE = "PFN", "VAE", "bottleneck", "last value", "whole"
RATES = {PFN: (1.6e-3, 0.02), VAE: (3e-3, 0.02), BOTTLENECK: (3e-3, 0.02)}  # of Adam, and of Muon
LINES = {PFN: "ours", VAE: "shipped", LAST: "last"}  # and their colours
NATS = "nats per point"
EXACT = "exact_bayes/paper"
FRESH, DRAWN = "fresh", "drawn"  # kinds of curves for the picture; and curves along one number of a code:
NUMBERS = ("dearest number", "second dearest", "third dearest", "fourth dearest")
SHOWN = 12  # fresh and drawn ones
PLACES = (-2.0, -1.0, 0.0, 1.0, 2.0)  # of one number, in the prior's standard deviations; others are 0
LEARNING_RATE = 5e-3  # 2e-3 and 1e-2 changed the ELBO of other curves by less than 0.01 nats per point
WIDELY = 2_000  # drawn curves whose last values are compared with fresh ones


@dataclass(frozen=True)
class Config:
    betas: tuple[float, ...] = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)  # the price of a nat of rate
    seeds: int = 3
    width: int = 48
    code: int = 8
    samples: int = 16
    curves: int = 24_576
    scored: int = 200
    whole_code: int = 6
    whole_curves: int = 20_000
    whole_betas: tuple[float, ...] = (1_000.0, 300.0, 100.0, 30.0, 10.0, 1.0)
    steps: int = 10_000  # raised from 800 after drawn curves had been seen
    middle: float = 1.0  # the price that the claim about few bits is about


SCALES = {
    "smoke": Config((10.0, 1.0), 2, 8, 3, 2, 128, 8, 3, 300, (100.0, 1.0), 8),
    "laptop": Config((10.0, 1.0, 0.03), 2, 32, 8, 8, 2_048, 60, 6, 5_000, (100.0, 1.0), 1_500),
    "paper": Config(),
}
TABLES = {
    "rows": ("model", "beta", "seed", "curves", "seconds", "cutoff", "ll", "lost", "bits"),
    "whole": ("beta", "seed", "bits", "error", "spread", "elbo", "evidence"),
    "shown": ("seed", "kind", "curve", "epoch", "value"),
}
STOPWATCHES = ("rows.seconds",)


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Model by model: a bottleneck for each price."""
    models = {PFN: (PFN, 1.0), VAE: (VAE, 1.0)}
    models |= {f"{BOTTLENECK}-{beta:g}": (BOTTLENECK, beta) for beta in config.betas} | {WHOLE: (WHOLE, 1.0)}
    every = [("last-value", (LAST, 1.0), 0)]
    every += [(name, model, seed) for seed in range(config.seeds) for name, model in models.items()]
    return {f"{name}-{seed}": {"model": m, "beta": beta, "seed": seed} for name, (m, beta), seed in every}


def reads(config: Config) -> list[str]:
    return [EXACT]


def measure(config: Config, model: str, beta: float, seed: int, read: dict[str, Rows]) -> Rows:
    exact = where(read[EXACT]["rows"], method="exact")
    with threads():
        if model == WHOLE:
            tables = whole_curves(config, 500, seed)
            return {name: table.assign(seed=seed) for name, table in tables.items()}
        forecaster, curves, seconds = None, 0, 0.0
        if model != LAST:
            net, curves = network(model, beta, config.width, config.code, config.samples), config.curves
            forecaster, seconds = trained(model, net, curves, seed)
        rows = scores(forecaster, exact, config.scored)
    return {"rows": rows.assign(model=model, curves=curves, seconds=round(seconds, 1), beta=beta, seed=seed)}


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
    net, lines = forecaster and forecaster.model, []
    for cutoff in CUTOFFS:
        seen, later = y[:, :cutoff], y[:, cutoff:]
        if forecaster:
            ll = evaluate.likelihood(forecaster, y, cutoff)
        else:
            ll = baselines.forecast(LAST, x[0, :cutoff], seen, x[0, cutoff:]).log_density(later).mean(1)
        bits = float("nan")
        if isinstance(net, PrefixCode) and net.config.aim == "bottleneck":
            bits = BITS * float(net.posterior(x[:, :cutoff], seen).rate().mean())
        best = where(exact, cutoff=cutoff).set_index("curve")["ll"].reindex(range(len(y))).to_numpy()
        mean = float(ll.double().mean())
        lines.append({"cutoff": cutoff, "ll": mean, "lost": float(best.mean()) - mean, "bits": bits})
    return pd.DataFrame(lines)


def whole_curves(config: Config, held_out: int, seed: int) -> dict[str, pd.DataFrame]:
    """Noisy curves as codes: bits, error against the curve without noise, two bounds of the evidence per point, and how far
    apart drawn curves end, over how far apart fresh ones do."""
    x, y = training_curves(config.whole_curves, seed), prior.second_test_set(held_out)
    basis, lines, tables = principal(x.clean, 12), [], {}
    for beta in config.whole_betas:
        torch.manual_seed(seed)
        net = VariationalConfig(config.whole_code, beta=beta).network(basis)
        fit_code(net, batches(x.noisy, x.noisy, seed), Steps(config.steps, LEARNING_RATE))
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


def estimates(tables: Rows, config: Config) -> Estimates:
    """{(model, beta): nats below the exact posterior; ("forecasts", "bits", beta): kept by a bottleneck, at most}, and the
    others by the names of their claims, of bottlenecks at three prices of a nat; over seeds, which draw curves and first
    weights."""
    rows, cheap, dear = tables["rows"], min(config.betas), max(config.betas)

    def ll(model: str, beta: float = 1.0, **at: int) -> pd.Series:
        return where(rows, model=model, beta=beta, **at).groupby("seed")["ll"].mean()

    few, free, none = (ll(BOTTLENECK, beta) for beta in (config.middle, cheap, dear))
    last = ll(LAST, cutoff=70).mean()
    late_few, late_free = (ll(BOTTLENECK, beta, cutoff=70) - last for beta in (config.middle, cheap))
    means = rows.groupby(["model", "beta", "seed"], as_index=False)[["lost", "bits"]].mean()
    bits = by_mean(where(means, model=BOTTLENECK), "beta", "bits")
    found = by_mean(means, ["model", "beta"], "lost")
    found |= {("forecasts", "bits", beta): one for beta, one in bits.items()}
    return found | there({
        "vae_as_good_as_pfn": Interval.of_mean(ll(VAE) - ll(PFN)), "code_as_good_as_pfn": Interval.of_mean(free - ll(PFN)),
        "few_bits": Interval.of_mean((few - none) / (free - none)),
        "few_bits_above_last_at_70": Interval.of_mean(late_few / late_free) if (late_free > 0).all() else None,
        "draws_widely": Interval.of_mean(where(tables["whole"], beta=1.0).set_index("seed")["spread"]),
    })  # fmt: skip


def draw(rows: Rows) -> dict[str, Figure]:
    return {"bits": trade_offs(rows["rows"], rows["whole"]), "drawn": draw_curves(rows["shown"])}


def trade_offs(rows: pd.DataFrame, of_whole: pd.DataFrame) -> Figure:
    """A point for each price and seed."""
    figure, (left, right) = panels(["whole curves", "forecasts from the beginning"], (8.4, 3.9))
    _path(left, of_whole.rename(columns={"error": "value"}), "paper")
    left.set(yscale="log", xlabel="bits kept of the curve (upper bound)", ylabel="error of the curve (RMS)")
    ticks(left, (0.01, 0.02, 0.05, 0.1, 0.2), "g", "y")
    kept = where(rows, model=BOTTLENECK).groupby(["beta", "seed"], as_index=False)[["bits", "ll"]].mean()
    _path(right, kept.rename(columns={"ll": "value"}), "paper")
    exact = ("exact posterior", where(rows, model=LAST).eval("ll + lost").mean(), "exact")
    others = ((name, where(rows, model=name)["ll"].mean(), colour) for name, colour in LINES.items())
    for name, value, colour in (exact, *others):
        right.axhline(value, color=style.colour(colour), linestyle="--", linewidth=1.2)
        side = "top" if name == VAE else "bottom"  # of its line: the code's dots lie above that of the VAE
        right.text(1, value, name, color=style.colour(colour), fontsize=8.5, va=side, ha="right",
                   transform=right.get_yaxis_transform())  # fmt: skip
    right.set(xlabel="bits kept of the beginning (upper bound)", ylabel="nats per later point")
    return figure


def _path(axis: Axes, points: pd.DataFrame, colour: str) -> None:
    axis.plot(points["bits"], points["value"], "o", color=style.colour(colour), markersize=4)
    mean = points.groupby("beta")[["bits", "value"]].mean().sort_values("bits")
    axis.plot(mean["bits"], mean["value"], color=style.colour(colour), linewidth=1.2)


def draw_curves(shown: pd.DataFrame) -> Figure:
    """Fresh curves, curves of codes that were drawn at random, and what single numbers of a code do."""
    names = {FRESH: "fresh from the prior", DRAWN: "drawn by the autoencoder"} | {one: one for one in NUMBERS}
    size = 8.8, 5.0
    figure, axes = panels(names.values(), size, 3, across="epoch", up="value", sharex=True, sharey=True)
    for axis, kind in zip(axes, names, strict=True):
        curves = [one for _, one in where(shown, kind=kind).groupby("curve")]
        for place, one in enumerate(curves):
            pale = 0.3 + 0.7 * (place + 1) / len(curves) if kind in NUMBERS else 1
            colour = style.colour("ours" if kind == FRESH else "paper")
            axis.plot(one["epoch"], one["value"], color=colour, linewidth=0.9, alpha=pale)
        axis.set_ylim(-0.1, 1.15)
    return figure


def tabulate(rows: Rows, found: Estimates) -> Rows:
    lines = []
    for (model, beta), own in rows["rows"].groupby(["model", "beta"], sort=False):
        is_trained, mean = model != LAST, own.mean(numeric_only=True)
        lines.append({
            "forecaster": f"{model}, beta {beta:g}" if model == BOTTLENECK else str(model),
            "curves": f"{own['curves'].iloc[0]:,}" if is_trained else "–",
            "seconds": f"{mean['seconds']:.0f}" if is_trained else "–",
            "bits kept, at most": "–" if pd.isna(mean["bits"]) else f"{mean['bits']:.1f}",
            **{f"after {cutoff}": f"{ll:.2f}" for cutoff, ll in own.groupby("cutoff")["ll"].mean().items()},
            "below exact": in_cell(found.get((model, beta)), ".2f", f"{mean['lost']:.2f}"),
        })  # fmt: skip
    return {"forecasts": pd.DataFrame(lines)}


def claims() -> list[Claim]:
    return [
        Claim("vae_as_good_as_pfn", "Does a variational autoencoder forecast as well as a PFN trained on the same curves?",
              "vae_as_good_as_pfn", AtLeast(0), NATS),
        Claim("code_as_good_as_pfn", "Does a code of nearly free bits forecast as well as a PFN trained on the same curves?",
              "code_as_good_as_pfn", AtLeast(0), NATS),
        Claim("few_bits", "Does a code of few bits of the beginning gain most of what nearly free bits gain?",
              "few_bits", AtLeast(0.8), "%"),
        Claim("few_bits_above_last_at_70", "Does a code of few bits gain most of what nearly free bits gain over the last "
              "value, after 70 epochs?", "few_bits_above_last_at_70", AtLeast(0.8), "%"),
        Claim("draws_widely", "Do curves that the autoencoder draws end as far apart as fresh ones, within a tenth?",
              "draws_widely", Between(0.9, 1.1), "×"),
    ]  # fmt: skip
