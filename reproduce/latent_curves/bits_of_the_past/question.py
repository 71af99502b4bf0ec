"""How many bits of the past are worth having?

A code of the beginning is all that a forecast may know (the deep information bottleneck). The dearer its bits, the fewer it
keeps: likelihood of later points against an upper bound of the bits, for several prices beta. Beside it a conditional
variational autoencoder, a prior-fitted network that was trained on the same curves, and the last value; all of them on real
runs as well. And whole curves as codes of a variational autoencoder: rate against distortion, and curves drawn from it.
"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Claim
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.latent_curves.bits_of_the_past import picture, stated
from reproduce.latent_curves.bits_of_the_past.trained import (
    BOTTLENECK,
    LAST,
    PFN,
    VAE,
    network,
    on_runs,
    scores,
    trained,
)  # fmt: skip
from reproduce.latent_curves.bits_of_the_past.whole import whole_curves
from reproduce.protocols.own_runs import evenly, own_runs
from reproduce.protocols.timing import threads

TABLES = {
    "rows": ("model", "beta", "seed", "curves", "seconds", "cutoff", "ll", "lost", "bits"),
    "runs": ("model", "beta", "seed", "seen", "task", "ll", "crps", "in90", "curves"),
    "whole": ("beta", "seed", "bits", "error", "spread", "elbo", "evidence"),
    "shown": ("seed", "kind", "curve", "epoch", "value"),
}
STOPWATCHES = ("rows.seconds",)
LABEL_FREE = {
    "samples_as_noted": "of a formula, tried on numbers that are drawn there and then; no row enters"
}
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
    return [EXACT, OWN]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    name, _, number = part.rpartition("-")
    model, _, price = name.partition("-")
    seed, beta = int(number), float(price) if model == BOTTLENECK else 1.0
    exact = where(read[EXACT]["rows"], method="exact")
    runs = evenly(own_runs(read[OWN], ("accuracy",)), config.runs)
    with threads():
        if model == "whole":
            found = whole_curves(
                config.whole_betas, config.whole_code, config.whole_curves, 500, config.steps, seed
            )
            return {name: table.assign(seed=seed) for name, table in found.items()}
        if model == "last":
            forecaster, about = None, {"model": LAST, "curves": 0, "seconds": 0.0}
        else:
            net = network(model, beta, config.width, config.code, config.samples)
            forecaster, seconds = trained(model, net, config.curves, seed)
            about = {"model": model, "curves": config.curves, "seconds": round(seconds, 1)}
        found = scores(forecaster, exact, config.scored).assign(**about, beta=beta, seed=seed)
        of_runs = on_runs(forecaster, runs).assign(model=about["model"], beta=beta, seed=seed)
    return {"rows": found, "runs": of_runs}


def draw(rows: Rows) -> dict[str, Figure]:
    figures = {"bits": picture.trade_offs(*(rows[name] for name in ("rows", "whole")))}
    return figures | ({"drawn": picture.drawn(rows["shown"])} if "shown" in rows else {})


def tabulate(rows: Rows) -> dict[str, pd.DataFrame]:
    lines, runs = [], rows["runs"]
    for (model, beta), some in rows["rows"].groupby(["model", "beta"], sort=False):
        by_cutoff, bits = some.groupby("cutoff")["ll"].mean(), some["bits"].mean()
        line = {"forecaster": f"{model}, beta {beta:g}" if model == BOTTLENECK else str(model),
                "curves": f"{some['curves'].iloc[0]:,}" if model != LAST else "–",
                "seconds": f"{some['seconds'].mean():.0f}" if model != LAST else "–",
                "bits kept, at most": "–" if pd.isna(bits) else f"{bits:.1f}"}  # fmt: skip
        line |= {f"after {cutoff}": f"{ll:.2f}" for cutoff, ll in by_cutoff.items()}
        line["below exact"] = in_cell(
            Interval.of_mean(some.groupby("seed")["lost"].mean()), ".2f", f"{some['lost'].mean():.2f}"
        )
        crps = where(runs, model=model, beta=beta).groupby("task")["crps"].mean().mean()
        lines.append(line | {"real runs, CRPS": "–" if pd.isna(crps) else f"{crps:.4f}"})
    return {"forecasts": pd.DataFrame(lines)}


def claims(rows: Rows, config: Config) -> list[Claim]:
    return stated.claims(rows, min(config.betas), config.middle, max(config.betas))
