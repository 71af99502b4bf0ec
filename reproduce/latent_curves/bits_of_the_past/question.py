"""How many bits of the past are worth having?

A code of the beginning is all that a forecast may know (the deep information bottleneck). The dearer its bits, the fewer it
keeps: likelihood of later points against an upper bound of the bits, for several prices beta. Beside it a conditional
variational autoencoder, a prior-fitted network that was trained for as long, and the last value. And whole curves as codes
of a variational autoencoder: rate against distortion.
"""

from dataclasses import dataclass

import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.latent.gaussian import Normal
from reproduce._press.claim import Above, AtLeast, Below, Between, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, measured, where
from reproduce.latent_curves.bits_of_the_past import picture
from reproduce.latent_curves.bits_of_the_past.trained import (
    BOTTLENECK,
    LAST,
    PFN,
    VAE,
    network,
    scores,
    trained,
    whole_curves,
)  # fmt: skip
from reproduce.protocols.timing import threads

TABLES = {
    "rows": ("model", "beta", "seed", "curves", "seconds", "cutoff", "ll", "lost", "bits"),
    "whole": ("beta", "seed", "bits", "error", "elbo", "evidence"),
}
STOPWATCHES = ("rows.seconds",)
EXACT = "exact_bayes/paper"


@dataclass(frozen=True)
class Config:
    betas: tuple[float, ...] = (10.0, 3.0, 1.0, 0.3, 0.03)  # the price of a nat of rate
    seeds: int = 3
    width: int = 48
    code: int = 8
    samples: int = 16
    curves: int = 8_000
    scored: int = 200
    whole_code: int = 6
    whole_curves: int = 20_000
    whole_betas: tuple[float, ...] = (1_000.0, 100.0, 10.0, 1.0)
    steps: int = 800
    middle: float = 1.0  # the price that the claim about few bits is about


SCALES = {
    "smoke": Config((10.0, 1.0), 2, 8, 3, 2, 128, 8, 3, 300, (100.0, 1.0), 8),
    "laptop": Config((10.0, 1.0, 0.03), 2, 32, 8, 8, 2_048, 60, 6, 5_000, (100.0, 1.0), 200),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    """Model by model: a bottleneck for each price."""
    models = [LAST.replace(" ", "-"), PFN, VAE, *(f"{BOTTLENECK}-{beta:g}" for beta in config.betas), "whole"]
    return [
        f"{model}-{seed}"
        for seed in range(config.seeds)
        for model in models
        if seed == 0 or "last" not in model
    ]


def reads(config: Config) -> list[str]:
    return [EXACT]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    name, _, number = part.rpartition("-")
    model, _, price = name.partition("-")
    seed, beta = int(number), float(price) if model == BOTTLENECK else 1.0
    exact = where(read[EXACT]["rows"], method="exact")
    with threads():
        if model == "whole":
            found = whole_curves(
                config.whole_betas, config.whole_code, config.whole_curves, 500, config.steps, seed
            )
            return {"whole": found}
        if model == "last":
            found = scores(None, exact, config.scored).assign(model=LAST, beta=beta, seed=0)
            return {"rows": found.assign(curves=0, seconds=0.0)}
        net = network(model, beta, config.width, config.code, config.samples)
        forecaster, seconds = trained(model, net, config.curves, seed)
        found = scores(forecaster, exact, config.scored)
    return {
        "rows": found.assign(
            model=model, beta=beta, seed=seed, curves=config.curves, seconds=round(seconds, 1)
        )
    }


def draw(rows: Rows) -> dict[str, Figure]:
    return {"bits": picture.trade_offs(*(measured(rows, name, TABLES) for name in ("rows", "whole")))}


def tabulate(rows: Rows) -> dict[str, pd.DataFrame]:
    lines = []
    for (model, beta), some in measured(rows, "rows", TABLES).groupby(["model", "beta"], sort=False):
        by_cutoff, bits = some.groupby("cutoff")["ll"].mean(), some["bits"].mean()
        line = {"forecaster": f"{model}, beta {beta:g}" if model == BOTTLENECK else str(model),
                "curves": f"{some['curves'].iloc[0]:,}" if model != LAST else "–",
                "seconds": f"{some['seconds'].mean():.0f}" if model != LAST else "–",
                "bits kept, at most": "–" if pd.isna(bits) else f"{bits:.1f}"}  # fmt: skip
        line |= {f"after {cutoff}": f"{ll:.2f}" for cutoff, ll in by_cutoff.items()}
        line["below exact"] = in_cell(
            Interval.of_mean(some.groupby("seed")["lost"].mean()), ".2f", f"{some['lost'].mean():.2f}"
        )
        lines.append(line)
    return {"forecasts": pd.DataFrame(lines)}


def spread_of_samples(power: float) -> float:
    """Variance of a million samples of a normal with variance a quarter, if noise is multiplied by sd to this power."""
    noise = torch.randn(1_000_000, 1, generator=torch.Generator().manual_seed(0))
    return float(Normal(torch.zeros(1), torch.full((1,), 0.5) ** power).at(noise).var())


def claims(rows: Rows, config: Config) -> list[Claim]:
    """Intervals over seeds, which draw curves and first weights."""
    table, whole = (measured(rows, name, TABLES) for name in ("rows", "whole"))
    by_seed = table.groupby(["model", "beta", "seed"])[["ll", "bits"]].mean().reset_index()

    def ll(model: str, beta: float = 1.0) -> pd.Series:
        return where(by_seed, model=model, beta=beta).set_index("seed")["ll"]

    dear, middle, cheap = max(config.betas), config.middle, min(config.betas)
    last = ll(LAST).mean()
    share = (ll(BOTTLENECK, middle) - ll(BOTTLENECK, dear)) / (ll(BOTTLENECK, cheap) - ll(BOTTLENECK, dear))
    rates = whole.pivot_table(index="seed", columns="beta", values="bits")
    gap = where(whole, beta=1.0)
    return [
        Claim("vae_beats_last", "Does a variational autoencoder forecast better than the last value?",
              Interval.of_mean(ll(VAE) - last), Above(0), "nats per point"),
        Claim("vae_as_good_as_pfn", "Does a variational autoencoder forecast as well as a PFN trained on the same curves?",
              Interval.of_mean(ll(VAE) - ll(PFN)), AtLeast(0), "nats per point"),
        Claim("code_as_good_as_pfn", "Does a code of nearly free bits forecast as well as a PFN trained on the same curves?",
              Interval.of_mean(ll(BOTTLENECK, cheap) - ll(PFN)), AtLeast(0), "nats per point"),
        Claim("few_bits", "Does a code of few bits of the beginning gain most of what nearly free bits gain?",
              Interval.of_mean(share), AtLeast(0.8), "%"),
        Claim("dear_bits_vanish", "Does a code whose bits cost too much keep nothing of the curve?",
              Interval.of_mean(rates[rates.columns.max()]) if len(rates) else None, Below(0.1)),
        Claim("elbo_is_below", "Is the ELBO below the importance-weighted bound of the evidence?",
              Interval.of_mean(gap["evidence"] - gap["elbo"]), Above(0), "nats per point"),
        Claim("samples_right", "Does noise times the standard deviation give samples of the right variance?",
              Interval.exactly(spread_of_samples(1) / 0.25), Between(0.99, 1.01), "×"),
        Claim("samples_as_noted", "Does noise times the root of the standard deviation give samples of the right variance?",
              Interval.exactly(spread_of_samples(0.5) / 0.25), Between(0.99, 1.01), "×"),
    ]  # fmt: skip
