"""Would the backbone that forecasts best improve the released model?

Four networks are trained like the released model: half of the curves from the prior of real runs, missing epochs in six of
ten contexts, as many parameters. One has the released design; the others have the shared head of this chapter above the PFN's
attention, above the backbone that `architectures` found best, and above minGRU, which came later. All train for the same
time on one core: training steps are timed in turns with those of the released design, which gives the number of curves.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
import torch

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig
from curvecast.networks.bars import BarsConfig
from curvecast.networks.heads import parameters
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import with_holes
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster, TrainConfig
from presswork import Above, Claim, Estimates, there, where
from reproduce.backbones import _leads, _rows, _trainings
from reproduce.backbones._rows import BUDGETS, PFN
from reproduce.backbones._trainings import CUTOFFS, SETTINGS
from reproduce.protocols.timing import core_seconds, threads

SHIPS, ATTENTION, BEST, SMALL = "as it ships", "PFN’s attention", "best other", "minGRU"
NETWORKS = {"ships": SHIPS, "attention": ATTENTION, "best": BEST, "small": SMALL}
SHIPPED_PRIOR = PriorConfig(real=0.5)
HALVES = {"the paper’s prior": PriorConfig(), "laws of real runs": PriorConfig(real=1.0)}
READINGS = {"every epoch": 1, "every third": 3}
CURVES_SEED = 7_700  # of the curves that score
TURNS = 8  # of timed steps
ON_REQUEST = "python -m reproduce run trial_to_ship --scale paper"
STOPWATCHES = ("rows.seconds",)
ABOUT = ("network", "backbone", "seed", "parameters", "curves", "seconds")
TABLES = {"rows": (*ABOUT, "half", "reading", "cutoff", "ll")}


@dataclass(frozen=True)
class Config:
    model: ModelConfig = ModelConfig(128, 3, 4, features="spread")
    buckets: int = 2_000
    curves: int = 98_304  # of the released design; the released model was trained on eight times as many
    seeds: int = 3
    in_turns: bool = True  # False: the same number of curves for all
    scored: int = 1_000  # curves of each half
    rates: str = "backbone_rates/paper"
    found: str = "architectures"  # of the same scale


SCALES = {
    "smoke": Config(ModelConfig(16, 1, 2, components=4, features="spread"), 100, 192, 2, False, 8),
    "laptop": Config(curves=2_048, seeds=1, scored=500),
    "paper": Config(),
}  # fmt: skip


def parts(config: Config) -> dict[str, dict[str, Any]]:
    each = [(*one, seed) for seed in range(config.seeds) for one in NETWORKS.items()]
    return {f"{name}-{seed}": {"network": network, "seed": seed} for name, network, seed in each}


def reads(config: Config) -> list[str]:
    return [config.rates, config.found]


def measure(config: Config, network: str, seed: int, read: dict[str, Any]) -> pd.DataFrame:
    backbone = {SHIPS: "", ATTENTION: PFN, BEST: best_other(read[config.found]), SMALL: SMALL}[network]
    ships, rates = training(config, "", seed, "Muon"), read[config.rates]
    mine = training(config, backbone, seed, _trainings.best(rates, backbone)) if backbone else ships
    if config.in_turns and backbone:
        mine = replace(mine, curves=64 * round(config.curves / 64 / dearer(ships, mine)))
    done = _trainings.train(mine)
    scores = likelihoods(done.forecaster, config.scored) if done else [{"ll": float("nan")}]
    return pd.DataFrame(scores).assign(
        network=network, backbone=backbone or PFN, seed=seed, curves=mine.curves,
        seconds=round(done.seconds, 1) if done else float("nan"),
        parameters=parameters(mine.model),
    )  # fmt: skip


def best_other(architectures: pd.DataFrame) -> str:
    """At equal time where that was measured, by the mean over seeds and cutoffs."""
    budget = [one for one in BUDGETS if one in set(architectures["budget"])][-1]
    means = where(architectures, budget=budget).groupby("backbone")["ll"].mean()
    return str(means.drop(PFN, errors="ignore").idxmax())


def training(config: Config, backbone: str, seed: int, setting: str) -> TrainConfig:
    """Of the released design, or of a network of its size with the shared head above this backbone."""
    model: Any = config.model
    if backbone:
        model = replace(_rows.reader(backbone, parameters(model)), features="spread")
    plain = _trainings.training(model, SETTINGS[setting], config.curves, seed)
    return with_holes(replace(plain, prior=SHIPPED_PRIOR, bars=BarsConfig(buckets=config.buckets)))


def dearer(one: TrainConfig, other: TrainConfig) -> float:
    """How many times as long a step of the other takes. Curves are drawn before, the same for both."""
    with threads(), Training(one, one.network()) as first, Training(other, other.network()) as second:
        for steps in (first, second):
            steps.step(0)
        ratios = []
        for turn in range(1, TURNS + 1):
            took = core_seconds(partial(first.step, turn))
            ratios.append(core_seconds(partial(second.step, turn)) / took)
    return statistics.median(ratios)


def likelihoods(forecaster: Forecaster, scored: int) -> Iterator[dict[str, object]]:
    """Nats per point of all later epochs, by half of the prior, by logging interval and by cutoff."""
    for half, prior in HALVES.items():
        y = by_number.sample(prior, CURVES_SEED, torch.arange(scored)).noisy.float()  # (n, T)
        for (reading, every), cutoff in product(READINGS.items(), CUTOFFS):
            shown, asked = torch.arange(cutoff)[every - 1 :: every], torch.arange(cutoff, y.shape[1])
            ll = float(_trainings.log_density(forecaster, y, shown, asked, 200).mean())
            yield {"half": half, "reading": reading, "cutoff": cutoff, "ll": round(ll, 4)}


def estimates(rows: pd.DataFrame) -> Estimates:
    """{network: nats per point over the released design}"""
    table = _leads.by_seed(rows, "network")
    return there({network: _leads.lead(table, network, SHIPS) for network in (BEST, SMALL)})


def claims(rows: pd.DataFrame) -> list[Claim]:
    names = {"beats_what_ships": BEST, "small_beats_what_ships": SMALL}
    called = {
        network: next(iter(where(rows, network=network)["backbone"]), network) for network in names.values()
    }
    return [
        Claim(name, f"In the same training time, does the backbone “{called[network]}” score higher than the design of the "
              "released model on curves of the training prior of the released model?",
              network, Above(0), "nats per point")
        for name, network in names.items()
    ]  # fmt: skip
