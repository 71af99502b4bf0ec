"""The claims: forecasts on curves of the prior by seed, on real runs by task, and whole curves."""

import numpy as np
import pandas as pd
import torch

from curvecast.latent.gaussian import Normal
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.latent_curves.bits_of_the_past.trained import BOTTLENECK, LAST, PFN, VAE

NATS = "nats per point"


def claims(rows: Rows, cheap: float, middle: float, dear: float) -> list[Claim]:
    """Of bottlenecks at three prices of a nat. Seeds draw curves and first weights."""
    return [
        *on_the_prior(rows["rows"], cheap, middle, dear),
        *on_runs(rows["runs"], cheap),
        *of_whole(rows["whole"]),
    ]


def on_the_prior(rows: pd.DataFrame, cheap: float, middle: float, dear: float) -> list[Claim]:

    def ll(model: str, beta: float = 1.0, **at: int) -> pd.Series:
        return where(rows, model=model, beta=beta, **at).groupby("seed")["ll"].mean()

    def above_last(**at: int) -> Interval | None:
        """Of what nearly free bits gain over the last value, the share of few bits; None if they gain nothing."""
        few, free = (ll(BOTTLENECK, beta, **at) - ll(LAST, **at).mean() for beta in (middle, cheap))
        return Interval.of_mean(few / free) if (free > 0).all() else None

    few, free, none = (ll(BOTTLENECK, beta) for beta in (middle, cheap, dear))
    asks = "Does a code of few bits gain most of what nearly free bits gain over the last value"
    return [
        Claim("vae_beats_last", "Does a variational autoencoder forecast better than the last value?",
              Interval.of_mean(ll(VAE) - ll(LAST).mean()), Above(0), NATS),
        Claim("vae_as_good_as_pfn", "Does a variational autoencoder forecast as well as a PFN trained on the same curves?",
              Interval.of_mean(ll(VAE) - ll(PFN)), AtLeast(0), NATS),
        Claim("code_as_good_as_pfn", "Does a code of nearly free bits forecast as well as a PFN trained on the same curves?",
              Interval.of_mean(free - ll(PFN)), AtLeast(0), NATS),
        Claim("few_bits", "Does a code of few bits of the beginning gain most of what nearly free bits gain?",
              Interval.of_mean((few - none) / (free - none)), AtLeast(0.8), "%"),
        Claim("few_bits_above_last", f"{asks}?", above_last(), AtLeast(0.8), "%"),
        *(Claim(f"few_bits_above_last_at_{cutoff}", f"{asks}, after {cutoff} epochs?", above_last(cutoff=cutoff),
                AtLeast(0.8), "%") for cutoff in (40, 70)),
    ]  # fmt: skip


def on_runs(runs: pd.DataFrame, cheap: float) -> list[Claim]:
    """By CRPS, since a likelihood has no bound where a run stands still."""
    by_task = runs.groupby(["model", "beta", "task"])["crps"].mean().reset_index()

    def crps(model: str, beta: float = 1.0) -> pd.Series:
        return np.log(where(by_task, model=model, beta=beta).set_index("task")["crps"])

    codes = (("vae", "a variational autoencoder", crps(VAE)),
             ("code", "a code of nearly free bits", crps(BOTTLENECK, cheap)))  # fmt: skip
    rivals = (("last", "the last value", crps(LAST)), ("pfn", "a PFN trained on the same curves", crps(PFN)))
    found = []
    for code, a_code, mine in codes:
        for rival, the_rival, theirs in rivals:
            times = Interval.of_mean((theirs - mine).dropna())
            asks = f"On our own runs that learn, is the CRPS of {the_rival} higher than that of {a_code}?"
            found.append(Claim(f"{code}_beats_{rival}_on_runs", asks, times and times.exp(), Above(1), "×"))
    return found


def of_whole(whole: pd.DataFrame) -> list[Claim]:
    bits = where(whole, beta=whole["beta"].max()).set_index("seed")["bits"]
    cheap = where(whole, beta=1.0).set_index("seed")
    return [
        Claim("dear_bits_vanish", "Does a code whose bits cost too much keep nothing of the curve?",
              Interval.of_mean(bits), Below(0.1)),
        Claim("elbo_is_close", "Is the ELBO within a hundredth of a nat per point of the importance-weighted bound?",
              Interval.of_mean(cheap["evidence"] - cheap["elbo"]), AtMost(0.01), NATS),
        Claim("draws_widely", "Do curves that the autoencoder draws end as far apart as fresh ones, within a tenth?",
              Interval.of_mean(cheap["spread"]), Between(0.9, 1.1), "×"),
        Claim("samples_as_noted", "Does noise times the root of the standard deviation give samples of the right variance?",
              Interval.exactly(spread_of_samples(0.5) / 0.25) if len(whole) else None, Between(0.99, 1.01), "×"),
    ]  # fmt: skip


def spread_of_samples(power: float) -> float:
    """Variance of a million samples of a normal with variance a quarter, if noise is multiplied by sd to this power."""
    noise = torch.randn(1_000_000, 1, generator=torch.Generator().manual_seed(0))
    return float(Normal(torch.zeros(1), torch.full((1,), 0.5) ** power).at(noise).var())
