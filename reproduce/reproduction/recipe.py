"""What does each choice of our recipe gain?"""

import math
from dataclasses import dataclass, field, replace

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.scores import evaluate, metrics
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval, student
from reproduce._press.style import colour, faint
from reproduce.pictures.dots import dots
from reproduce.trainings import TINY

ON_REQUEST = "python -m reproduce run recipe --scale laptop"
TABLES = {"rows": ("variant", "seconds"), "each": (...,)}  # a column for each variant and cutoff
STOPWATCHES = ("rows.seconds",)

BASE = TrainConfig(ModelConfig(128, 3, 4), curves=10_240)
SEEDS = ("base", *(f"base-seed{i}" for i in range(1, 5)))


def variants(base: TrainConfig) -> dict[str, TrainConfig]:
    """One change each from the base; other seeds of the base give the seed-to-seed variation."""

    def model(**changes: object) -> TrainConfig:
        return replace(base, model=replace(base.model, **changes))

    return {
        **{name: replace(base, seed=seed) for seed, name in enumerate(SEEDS)},
        "head-free-logits": model(head="bars"),
        "head-4-components": model(components=4),
        "features-x-y-only": model(features="paper"),
        "optimiser-adam": replace(base, optimiser="adam"),
        "matrix-rate-doubled": replace(base, matrix_lr=2 * base.matrix_lr),
        "rate-doubled": replace(base, lr=2 * base.lr),
        "one-cutoff-a-batch": replace(base, cutoffs=1),
        "cutoff-for-each-curve": replace(base, cutoffs=base.batch),
        "queries-8": replace(base, queries=8),
        "norm-after": model(norm="post"),
        "dropout-0.2": model(dropout=0.2),
        "buckets-200": replace(base, bars=BarsConfig(buckets=200)),
        "query-sees-itself": model(query_sees_itself=True),
    }


TITLES = {
    "head-free-logits": "head: free logits", "head-4-components": "head: 4 Gaussians", "optimiser-adam": "Adam alone",
    "features-x-y-only": "epoch and value alone", "matrix-rate-doubled": "Muon’s rate doubled", "norm-after": "norm after",
    "one-cutoff-a-batch": "one cutoff per batch", "cutoff-for-each-curve": "a cutoff for each curve",
    "queries-8": "8 queries", "buckets-200": "200 buckets", "query-sees-itself": "query attends to itself",
}  # fmt: skip


@dataclass(frozen=True)
class Config:
    base: TrainConfig = field(default_factory=lambda: BASE)
    only: tuple[str, ...] = ()  # of the variants; empty: all
    curves: int = 1000  # of the test set
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=128), curves=20),
    "laptop": Config(),
    "paper": Config(replace(BASE, curves=1_000_000), curves=10_000),
}


def parts(config: Config) -> list[str]:
    return list(config.only or variants(config.base))


def models(config: Config) -> list[TrainConfig]:
    return [variants(config.base)[part] for part in parts(config)]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    forecaster = trained(variants(config.base)[part])
    curves = prior.test_set(config.curves)
    each = {
        f"{part}@{c}": evaluate.likelihood(forecaster, curves.noisy, c).numpy().round(4)
        for c in config.cutoffs
    }
    seconds = forecaster.history[-1]["seconds"]
    return {"rows": pd.DataFrame([{"variant": part, "seconds": seconds}]), "each": pd.DataFrame(each)}


def _gaps(rows: dict[str, pd.DataFrame], config: Config) -> pd.DataFrame:
    """Each variant against the mean of the seeds of the base, on the same curves and over all cutoffs.

    The interval counts the test curves and seed-to-seed variation, which few seeds tell only roughly (Student's t).
    A seed of the base has no interval; with fewer than three seeds, nothing has.
    """
    each = {}
    for part in rows["rows"]["variant"]:
        columns = {f"{part}@{c}": f"at{c}" for c in config.cutoffs}
        each[part] = rows["each"][list(columns)].dropna().reset_index(drop=True).rename(columns=columns)
    seeds = [each[part] for part in SEEDS if part in each]
    if not seeds:
        return pd.DataFrame(columns=["variant", "gap", "half"])
    base, n = sum(seeds) / len(seeds), len(seeds)
    between_seeds = float("nan")  # half width of 95 %
    if n > 2:
        sd = pd.Series([seed.to_numpy().mean() for seed in seeds]).std()
        between_seeds = student(n) * sd * (1 + 1 / n) ** 0.5
    lines = []
    for part, scores in each.items():
        gap = metrics.paired(*(torch.tensor(s.mean(axis=1).to_numpy()) for s in (scores, base)))
        half = float("nan") if part in SEEDS else math.hypot(1.96 * gap.se, between_seeds)
        lines.append({"variant": part, "gap": gap.value, "half": half} | (scores - base).mean().to_dict())
    return pd.DataFrame(lines)


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    gaps = _gaps(rows, config).sort_values("gap")
    figure, axis = plt.subplots(figsize=(7.4, 0.32 * len(gaps) + 1))
    seeds = gaps[gaps["variant"].isin(SEEDS)]["gap"]
    if len(seeds):
        axis.axvspan(seeds.min(), seeds.max(), color=faint(), alpha=0.6, linewidth=0)
        axis.annotate("other seeds of the base", (seeds.max(), 0.02), xycoords=("data", "axes fraction"),
                      xytext=(4, 0), textcoords="offset points", fontsize=8)  # fmt: skip
    halves = zip(gaps["gap"], gaps["half"].fillna(0), strict=True)
    names = gaps["variant"].map(_title)
    found = [(name, Interval.around(*pair)) for name, pair in zip(names, halves, strict=True)]
    dots(axis, found, fmt="o", color=colour("ours"), markersize=4)
    axis.set(xlabel="log-likelihood minus that of the base, nats per point (higher is better)")
    axis.grid(axis="y", visible=False)
    return {"effects": figure}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    gaps = _gaps(rows, config)
    table = pd.DataFrame({"change": gaps["variant"].map(_title)})
    shown = zip(gaps["gap"], gaps["half"], strict=True)
    table["mean"] = [Interval.around(gap, half).plus_minus("+.3f") for gap, half in shown]
    for c in config.cutoffs:
        table[f"{c} %"] = [f"{g:+.3f}" for g in gaps.get(f"at{c}", [])]
    seconds = rows["rows"].set_index("variant")["seconds"]
    table["seconds"] = [f"{seconds[v]:.0f}" for v in gaps["variant"]]
    return {"effects": table}


def _title(variant: str) -> str:
    return TITLES.get(variant, variant.replace("-", " "))


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    """Taken the other way round: what the base gains over the change."""
    gaps = _gaps(rows, config).set_index("variant")
    asked = {
        "head-free-logits": "with a mixture head than with one free logit per bucket",
        "features-x-y-only": "with all its features than with the epoch and the value alone",
        "optimiser-adam": "with orthogonalised updates (Muon) than with Adam alone",
        "dropout-0.2": "without dropout than with the dropout of the paper",
        "norm-after": "with the norm before each layer than after it, as in the paper",
    }
    stated = []
    for part, than in asked.items():
        here = part in gaps.index
        found = Interval.around(-gaps.at[part, "gap"], gaps.at[part, "half"]) if here else None
        question = f"After a short training, does our recipe score higher {than}?"
        name = part.replace("-", "_").replace(".", "_")
        stated.append(Claim(name, question, found, Above(0), "nats per point"))
    return stated
