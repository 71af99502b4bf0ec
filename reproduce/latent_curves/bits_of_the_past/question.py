"""How many bits of the past are worth having?

A code of the beginning is all that a forecast may know (the deep information bottleneck). The dearer its bits, the fewer it
keeps: likelihood of later points against an upper bound of the bits, for several prices beta. Beside it a conditional
variational autoencoder, a prior-fitted network that was trained on the same curves, and the last value; all of them on real
runs as well. And whole curves as codes of a variational autoencoder: rate against distortion, and curves drawn from it.
"""

import time
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.latent.gaussian import BITS
from curvecast.latent.prefix_code import PrefixCode, PrefixCodeConfig
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.scores import baselines, evaluate
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig, fit
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.latent_curves.bits_of_the_past import whole
from reproduce.pictures.panels import panels, ticks
from reproduce.protocols import forecasters, scores_by_share
from reproduce.protocols.own_runs import OwnRun, evenly, own_runs
from reproduce.protocols.timing import threads

CUTOFFS = (5, 10, 20, 40, 70)
PFN, VAE, BOTTLENECK, LAST = "PFN", "VAE", "bottleneck", "last value"
RATES = {PFN: (1.6e-3, 0.02), VAE: (3e-3, 0.02), BOTTLENECK: (3e-3, 0.02)}  # of Adam, and of Muon
LINES = {PFN: "ours", VAE: "shipped", LAST: "last"}  # and their colours
NATS = "nats per point"
EXACT, OWN = "exact_bayes/paper", "own_curves/laptop"


@dataclass(frozen=True)
class Config:
    betas: tuple[float, ...] = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03)  # the price of a nat of rate
    seeds: int = 3
    width: int = 48
    code: int = 8
    samples: int = 16
    curves: int = 24_576
    scored: int = 200
    runs: int = 125  # real ones, of which some do not learn and are left out
    whole_code: int = 6
    whole_curves: int = 20_000
    whole_betas: tuple[float, ...] = (1_000.0, 300.0, 100.0, 30.0, 10.0, 1.0)
    steps: int = 10_000  # raised from 800 after drawn curves had been seen, see the log
    middle: float = 1.0  # the price that the claim about few bits is about


SCALES = {
    "smoke": Config((10.0, 1.0), 2, 8, 3, 2, 128, 8, 4, 3, 300, (100.0, 1.0), 8),
    "laptop": Config((10.0, 1.0, 0.03), 2, 32, 8, 8, 2_048, 60, 40, 6, 5_000, (100.0, 1.0), 1_500),
    "paper": Config(),
}
TABLES = {
    "rows": ("model", "beta", "seed", "curves", "seconds", "cutoff", "ll", "lost", "bits"),
    "runs": ("model", "beta", "seed", "seen", "task", "ll", "crps", "in90", "curves"),
    "whole": ("beta", "seed", "bits", "error", "spread", "elbo", "evidence"),
    "shown": ("seed", "kind", "curve", "epoch", "value"),
}
STOPWATCHES = ("rows.seconds",)
FORMULA = "of a formula, tried on numbers that are drawn there and then; no row enters"
LABEL_FREE = {"samples_as_noted": FORMULA}


def parts(config: Config) -> list[str]:
    """Model by model: a bottleneck for each price."""
    models = [LAST.replace(" ", "-"), PFN, VAE, *(f"{BOTTLENECK}-{beta:g}" for beta in config.betas), "whole"]
    every = [(seed, model) for seed in range(config.seeds) for model in models]
    return [f"{model}-{seed}" for seed, model in every if seed == 0 or "last" not in model]


def reads(config: Config) -> list[str]:
    return [EXACT, OWN]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    name, _, number = part.rpartition("-")
    model, _, price = name.partition("-")
    seed, beta = int(number), float(price) if model == BOTTLENECK else 1.0
    exact = where(read[EXACT]["rows"], method="exact")
    runs = evenly(own_runs(read[OWN], ("accuracy",)), config.runs)
    with threads():
        if model == "whole":
            tables = whole.whole_curves(
                config.whole_betas, config.whole_code, config.whole_curves, 500, config.steps, seed
            )
            return {name: table.assign(seed=seed) for name, table in tables.items()}
        if model == "last":
            forecaster, about = None, {"model": LAST, "curves": 0, "seconds": 0.0}
        else:
            net = network(model, beta, config.width, config.code, config.samples)
            forecaster, seconds = trained(model, net, config.curves, seed)
            about = {"model": model, "curves": config.curves, "seconds": round(seconds, 1)}
        rows = scores(forecaster, exact, config.scored).assign(**about, beta=beta, seed=seed)
        of_runs = on_runs(forecaster, runs).assign(model=about["model"], beta=beta, seed=seed)
    return {"rows": rows, "runs": of_runs}


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


def on_runs(forecaster: Forecaster | None, runs: list[OwnRun]) -> pd.DataFrame:
    """On real runs that learn: by share seen and task. Without a forecaster the last value."""
    ask = forecasters.network(forecaster) if forecaster else forecasters.simple()["last"]
    return scores_by_share.by_task(runs, {"": ask}).drop(columns="method")


# ------------------------------------------------------------------------------------------------- estimates


def crps_on_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """By forecaster and task. A likelihood has no bound where a run stands still."""
    return runs.groupby(["model", "beta", "task"], as_index=False)["crps"].mean()


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {"bits": trade_offs(rows["rows"], rows["whole"]), "drawn": whole.draw(rows["shown"])}


def trade_offs(rows: pd.DataFrame, of_whole: pd.DataFrame) -> Figure:
    """A point for each price and seed."""
    figure, (left, right) = panels(["whole curves", "forecasts from the beginning"], (8.4, 3.9))
    _path(left, of_whole.rename(columns={"error": "value"}), "paper")
    left.set(yscale="log", xlabel="bits kept of the curve (upper bound)", ylabel="error of the curve (RMS)")
    ticks(left, (0.01, 0.02, 0.05, 0.1, 0.2), "g", "y")
    kept = where(rows, model=BOTTLENECK).groupby(["beta", "seed"], as_index=False)[["bits", "ll"]].mean()
    _path(right, kept.rename(columns={"ll": "value"}), "paper")
    exact = where(rows, model=LAST).eval("ll + lost").mean()
    for name, value, colour in (
        ("exact posterior", exact, "exact"),
        *((name, where(rows, model=name)["ll"].mean(), colour) for name, colour in LINES.items()),
    ):
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


def tabulate(rows: Rows) -> Rows:
    lines, by_task = [], crps_on_runs(rows["runs"])
    for (model, beta), own in rows["rows"].groupby(["model", "beta"], sort=False):
        is_trained, mean = model != LAST, own.mean(numeric_only=True)
        crps = where(by_task, model=model, beta=beta)["crps"].mean()
        lost = Interval.of_mean(own.groupby("seed")["lost"].mean())
        lines.append({
            "forecaster": f"{model}, beta {beta:g}" if model == BOTTLENECK else str(model),
            "curves": f"{own['curves'].iloc[0]:,}" if is_trained else "–",
            "seconds": f"{mean['seconds']:.0f}" if is_trained else "–",
            "bits kept, at most": "–" if pd.isna(mean["bits"]) else f"{mean['bits']:.1f}",
            **{f"after {cutoff}": f"{ll:.2f}" for cutoff, ll in own.groupby("cutoff")["ll"].mean().items()},
            "below exact": in_cell(lost, ".2f", f"{mean['lost']:.2f}"),
            "real runs, CRPS": "–" if pd.isna(crps) else f"{crps:.4f}",
        })  # fmt: skip
    return {"forecasts": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    """Of bottlenecks at three prices of a nat. Seeds draw curves and first weights."""
    cheap = min(config.betas)
    return [
        *on_the_prior(rows["rows"], cheap, config.middle, max(config.betas)),
        *on_real_runs(crps_on_runs(rows["runs"]), cheap),
        *whole.claims(rows["whole"]),
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


def on_real_runs(by_task: pd.DataFrame, cheap: float) -> list[Claim]:
    def log_crps(model: str, beta: float = 1.0) -> pd.Series:
        return np.log(where(by_task, model=model, beta=beta).set_index("task")["crps"])

    codes = {"vae": ("a variational autoencoder", log_crps(VAE)),
             "code": ("a code of nearly free bits", log_crps(BOTTLENECK, cheap))}  # fmt: skip
    rivals = {
        "last": ("the last value", log_crps(LAST)),
        "pfn": ("a PFN trained on the same curves", log_crps(PFN)),
    }
    stated = []
    for (code, (a_code, mine)), (rival, (the_rival, theirs)) in product(codes.items(), rivals.items()):
        ratio = Interval.of_mean((theirs - mine).dropna())
        asks = f"On our own runs that learn, is the CRPS of {the_rival} higher than that of {a_code}?"
        stated.append(Claim(f"{code}_beats_{rival}_on_runs", asks, ratio and ratio.exp(), Above(1), "×"))
    return stated
