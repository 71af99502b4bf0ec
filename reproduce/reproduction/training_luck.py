"""How much do scores vary between trainings that differ only in their seed?

The same recipe at full length, with another seed for the curves and the first weights. Every training is scored on the
second test set, on which nothing was chosen, and by the coverage of its 90 % intervals beyond epoch 100.
"""

from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.scores import curve_by_curve
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import AtLeast, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.reproduction import _luck_of_seeds, _method_scores
from reproduce.trainings import SMALL, TINY

ON_REQUEST = "python -m reproduce run training_luck --scale paper"
BEYOND = "every epoch, asked beyond 100"
LABEL_FREE = {"seeds_agree_at_10": "the seed that is farthest off, whichever it is"}
TABLES = {
    "rows": ("seed", "method", "cutoff", "n", "ll", "ll_se", "ll_even", "ll_even_se"),
    "beyond": ("seed", "cutoff", "held", "held_se"),
}


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    seeds: tuple[int, ...] = (0, 1, 2)
    curves: int = 10_000  # of the second test set
    cutoffs: tuple[int, ...] = (10, 20, 40, 80)  # those of printed numbers
    several: int = 500  # curves of 400 epochs, as many as on the page Limitations
    shares: tuple[int, ...] = (10, 20, 40)  # of them, in percent


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=640), curves=20, several=12),
    "laptop": Config(SMALL["1x64"], curves=2000),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return [f"seed{seed}" for seed in config.seeds]


def models(config: Config) -> list[TrainConfig]:
    return [replace(config.train, seed=seed) for seed in config.seeds]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [replace(config.train, seed=int(part.removeprefix("seed")))]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    (train,) = needs(config, part)
    forecaster, curves = trained(train), prior.second_test_set(config.curves)
    rows = _method_scores.likelihoods(part, forecaster, curves, config.cutoffs)
    generator = torch.Generator().manual_seed(0)  # the same curves as on the page Limitations
    long = where(curve_by_curve.long(forecaster, config.several, config.shares, generator), case=BEYOND)
    held = long.groupby("cutoff")["cover90"].agg(held="mean", held_se="sem").reset_index()
    return {"rows": pd.DataFrame(rows).assign(seed=train.seed), "beyond": held.assign(seed=train.seed)}


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """Each seed minus the mean of all, beside the sampling variation of the test curves."""
    figure, axis = plt.subplots(figsize=(6.4, 3.2))
    scores = rows["rows"]
    cutoffs = sorted(scores["cutoff"].unique())
    for place, cutoff in enumerate(cutoffs):
        mine = where(scores, cutoff=cutoff)
        mean, error = mine["ll_even"].mean(), 1.96 * mine["ll_even_se"].mean()
        axis.fill_between([place - 0.3, place + 0.3], -error, error, color=style.colour("none"), alpha=0.25,
                          linewidth=0, label=None if place else "sampling variation of the test curves, 95 %")  # fmt: skip
        axis.plot([place] * len(mine), mine["ll_even"] - mean, "o", color=style.colour("ours"),
                  label=None if place else "one training")  # fmt: skip
    axis.axhline(0, color=style.ink(), linewidth=0.8)
    axis.set_xticks(range(len(cutoffs)), [f"{c} %" for c in cutoffs])
    axis.set(xlabel="observed epochs", ylabel="log-likelihood minus the mean,\nnats per point")
    figure.legend(loc="outside upper center", ncols=2)
    return {"seeds": figure}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    scores, lines = rows["rows"], []
    for seed, mine in scores.groupby("seed"):
        held = where(rows["beyond"], seed=seed)
        cells = {f"{r.cutoff} %": f"{r.ll_even:.3f}" for r in mine.itertuples()}
        beyond = {f"coverage > 100, after {r.cutoff} %": f"{100 * r.held:.1f} %" for r in held.itertuples()}
        lines.append({"training": f"seed {seed}"} | cells | beyond)
    spread = _luck_of_seeds.luck(scores)
    luck = {
        f"{r.cutoff} %": f"{_luck_of_seeds.half_width(spread, r.cutoff):.3f}" for r in spread.itertuples()
    }
    return {"seeds": pd.DataFrame([*lines, {"training": "seed-to-seed variation, 95 %"} | luck]).fillna("")}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    mine = where(rows["rows"], cutoff=10)
    most = float((mine["ll_even"] - mine["ll_even"].mean()).abs().max()) if len(mine) else None
    n = len(config.seeds)
    question = f"After 10 % of the epochs, do {n} trainings that differ only in their seed score close to their mean?"
    agree = Claim("seeds_agree_at_10", question, Interval.exactly(most), AtMost(0.02), "nats per point")
    share = max(config.shares)
    held = Interval.of_mean(where(rows["beyond"], cutoff=share)["held"])
    beyond = (
        f"Beyond epoch 100, after {4 * share} observed epochs, does the 90 % interval keep its coverage, on average over "
        "trainings that differ only in their seed?"
    )
    return [agree, Claim("beyond_100", beyond, held and held.of_share(), AtLeast(0.87), "%")]
