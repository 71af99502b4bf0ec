"""What does each choice of our recipe buy?"""

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
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval, student
from reproduce._press.style import colour, faint
from reproduce.pictures.dots import dots
from reproduce.trainings import TINY

ON_REQUEST = "python -m reproduce run recipe --scale laptop"
STOPWATCHES = ("rows.seconds",)

BASE = TrainConfig(ModelConfig(128, 3, 4), curves=10_240)
SEEDS = ("base", *(f"base-seed{i}" for i in range(1, 5)))


def variants(base: TrainConfig) -> dict[str, TrainConfig]:
    """One change each from the base; other seeds of the base give the noise."""

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


@dataclass(frozen=True)
class Config:
    base: TrainConfig = field(default_factory=lambda: BASE)
    only: tuple[str, ...] = ()  # of the variants; none named: all
    curves: int = 1000  # of THE test set
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

    The interval has two parts: the curves, and the luck of a seed, whose size few seeds tell only roughly (Student's t).
    A seed of the base has no interval; where fewer than three were trained, nothing has.
    """
    each = {}
    for part in rows["rows"]["variant"]:
        columns = {f"{part}@{c}": f"at{c}" for c in config.cutoffs}
        each[part] = rows["each"][list(columns)].dropna().reset_index(drop=True).rename(columns=columns)
    seeds = [each[part] for part in SEEDS if part in each]
    if not seeds:
        return pd.DataFrame(columns=["variant", "gap", "half"])
    base, n = sum(seeds) / len(seeds), len(seeds)
    luck = float("nan")  # half width of 95 %
    if n > 2:
        sd = pd.Series([seed.to_numpy().mean() for seed in seeds]).std()
        luck = student(n) * sd * (1 + 1 / n) ** 0.5
    found = []
    for part, scores in each.items():
        gap = metrics.paired(*(torch.tensor(s.mean(axis=1).to_numpy()) for s in (scores, base)))
        half = float("nan") if part in SEEDS else math.hypot(1.96 * gap.se, luck)
        found.append({"variant": part, "gap": gap.value, "half": half} | (scores - base).mean().to_dict())
    return pd.DataFrame(found)


def draw(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, Figure]:
    gaps = _gaps(rows, config).sort_values("gap")
    figure, axis = plt.subplots(figsize=(7.4, 0.32 * len(gaps) + 1))
    seeds = gaps[gaps["variant"].isin(SEEDS)]["gap"]
    if len(seeds):
        axis.axvspan(seeds.min(), seeds.max(), color=faint(), alpha=0.6, linewidth=0)
        axis.annotate("seeds of the base", (seeds.max(), 0.02), xycoords=("data", "axes fraction"),
                      xytext=(4, 0), textcoords="offset points", fontsize=8)  # fmt: skip
    halves = zip(gaps["gap"], gaps["half"].fillna(0), strict=True)
    names = gaps["variant"].str.replace("-", " ")
    found = [(name, Interval.around(*pair)) for name, pair in zip(names, halves, strict=True)]
    dots(axis, found, fmt="o", color=colour("ours"), markersize=4)
    axis.set(xlabel="log-likelihood against the base, nats per point")
    axis.grid(axis="y", visible=False)
    return {"effects": figure}


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    gaps = _gaps(rows, config)
    table = pd.DataFrame({"change": gaps["variant"].str.replace("-", " ")})
    shown = zip(gaps["gap"], gaps["half"], strict=True)
    table["mean"] = [Interval.around(gap, half).plus_minus("+.3f") for gap, half in shown]
    for c in config.cutoffs:
        table[f"{c} %"] = [f"{g:+.3f}" for g in gaps.get(f"at{c}", [])]
    seconds = rows["rows"].set_index("variant")["seconds"]
    table["seconds"] = [f"{seconds[v]:.0f}" for v in gaps["variant"]]
    return {"effects": table}


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    gaps = _gaps(rows, config).set_index("variant")
    sentences = {
        "head-free-logits": "A mixture head is better than one free logit a bucket: without it {value:+.2f} nats.",
        "features-x-y-only": "Features beyond the epoch and the value help: without them {value:+.2f} nats.",
        "optimiser-adam": "Orthogonalised updates are better than Adam alone: without them {value:+.2f} nats.",
        "dropout-0.2": "Where every curve is fresh, dropout only hurts: with the paper's 0.2 {value:+.3f} nats.",
        "norm-after": "Norm before the layers is better than after: with the paper's order {value:+.2f} nats.",
    }
    stated = []
    for part, sentence in sentences.items():
        found = Interval.around(*gaps.loc[part, ["gap", "half"]]) if part in gaps.index else None
        stated.append(claim(part.replace("-", "_").replace(".", "_"), sentence, found, "< 0"))
    return stated
