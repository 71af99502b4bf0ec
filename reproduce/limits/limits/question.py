"""Where does the network stop working?"""

from dataclasses import dataclass, replace

import pandas as pd
import torch

from curvecast.curves import outside_prior, prior
from curvecast.scores import baselines, curve_by_curve, metrics
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press.claim import Claim
from reproduce._press.where import Rows
from reproduce.limits.limits import best_remaining, figures, other_instructions, tables
from reproduce.limits.limits import claims as claimed
from reproduce.trainings import SMALL, TINY


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    tried: TrainConfig = replace(TINY["1x16"], curves=1280)  # trained anew with each set of instructions
    curves: int = 250  # of THE test set, the first ones
    several: int = 500  # of them for gaps and long curves, which are asked less
    ahead: int = 1000  # of them for the distances, where each curve gives one point
    cutoffs: tuple[int, ...] = (10, 20, 40)
    best_cutoffs: tuple[int, ...] = (10, 40)
    distances: tuple[int, ...] = (1, 5, 10, 30, 60, 90)
    margins: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1)
    seed: int = 0


SCALES = {
    "smoke": Config(TINY["1x16"], replace(TINY["1x16"], curves=64), curves=12, several=12, ahead=12),
    "laptop": Config(),
    "paper": Config(curves=1000, several=2000, ahead=10_000),
}
RIVALS = ("pow4", "last value")


def models(config: Config) -> list[TrainConfig]:
    return [config.train]


def parts(config: Config) -> list[str]:
    return ["strange", "ahead", "long", "gaps", "best", "measures", "machine"]


TOLERANCES = {
    "machine.uses": ("chaotic", "the widest instructions that the processor has"),
    "machine.ll": ("chaotic", "rounding errors"),
    "machine.weights": ("chaotic", "rounding errors"),
    "machine.ll_after": ("chaotic", "rounding errors"),
}

TABLES = {
    "strange": ("case", "cutoff", "curve", "ll", "cover90"),
    "example": ("case", "epoch", "y", "q05", "q50", "q95"),
    "ahead": ("ahead", "curve", "cover90", "error", "width"),
    "long": ("case", "cutoff", "curve", "ll", "cover90"),
    "gaps": ("case", "curve", "ll", "cover90"),
    "best": ("cutoff", "curve", "margin", "happened", "independent", "largest", "last", "last_happened"),
    "place": ("cutoff", "curve", "independent"),
    "measures": ("rival", "cutoff", "curve", "ll", "crps", "mse_noisy"),
    "machine": ("setting", "uses", "ll", "weights", "ll_after"),
}


def measure(config: Config, part: str) -> Rows:
    if part == "machine":
        return {"machine": other_instructions.compare(config.train, config.tried, config.curves)}
    forecaster = trained(config.train)
    curves = prior.test_set(config.curves)
    generator = torch.Generator().manual_seed(config.seed)
    if part == "strange":
        return _strangely(forecaster, curves, config, generator)
    if part == "ahead":
        many = prior.test_set(config.ahead)
        return {"ahead": curve_by_curve.ahead(forecaster, many, config.cutoffs[0], config.distances)}
    if part == "long":
        return {"long": curve_by_curve.long(forecaster, config.several, config.cutoffs, generator)}
    if part == "gaps":
        return {"gaps": curve_by_curve.gaps(forecaster, prior.test_set(config.several).noisy, 20, generator)}
    if part == "best":
        found = [
            (c, best_remaining.chances(forecaster, curves.noisy, c, config.margins))
            for c in config.best_cutoffs
        ]
        return {t: pd.concat([f[t].assign(cutoff=c) for c, f in found]) for t in ("best", "place")}
    return {"measures": pd.concat([_gain_over_last_value(forecaster, curves, c) for c in config.cutoffs])}


def _strangely(
    forecaster: Forecaster, curves: prior.Curves, config: Config, generator: torch.Generator
) -> Rows:
    """Each kind of curve at each cutoff, with forecasts of the same late epochs; and one curve in full."""
    x, frames, examples = torch.arange(1, 101.0), [], []
    first = int((curves.sigma < 0.01).int().argmax())  # of those with little noise, which hides nothing
    later = torch.tensor([61.0, 76.0, 100.0])  # no spikes, and all places of a tooth
    for name, kind in outside_prior.KINDS.items():
        y = kind.make(curves, generator)
        for c in config.cutoffs:
            frame = curve_by_curve.ask(forecaster, x[:c], y[:, :c], later, y[:, later.long() - 1])
            frame["ll"] += torch.tensor(kind.unit).log().item()  # as a density of the curve itself
            frames.append(frame.assign(case=name, cutoff=c))
        c, one = 20, y[first : first + 1]
        density = forecaster.predict(x[None, :c], one[:, :c], x[None, c:])
        example = pd.DataFrame({"case": name, "epoch": range(1, 101), "y": one[0].numpy()})
        for level in (0.05, 0.5, 0.95):
            example.loc[c:, f"q{100 * level:02.0f}"] = density.quantile(level)[0].numpy()
        examples.append(example)
    return {"strange": pd.concat(frames), "example": pd.concat(examples)}


def _gain_over_last_value(forecaster: Forecaster, curves: prior.Curves, cutoff: int) -> pd.DataFrame:
    """By how much the network forecasts a curve better than simple methods, by three measures."""
    x = torch.arange(1, 101.0)
    later = torch.arange(cutoff + 4, 101.0, 8.0)
    y = curves.noisy[:, later.long() - 1]
    density = forecaster.predict(
        x[:cutoff].expand(len(y), -1), curves.noisy[:, :cutoff], later.expand(len(y), -1)
    )
    ours, frames = metrics.scores(density, y), []
    for rival in RIVALS:
        theirs = metrics.scores(baselines.forecast(rival, x[:cutoff], curves.noisy[:, :cutoff], later), y)
        gains = {m: (theirs[m] - ours[m]).numpy() for m in ("crps", "mse_noisy")}
        frames.append(pd.DataFrame({"rival": rival, "cutoff": cutoff, "curve": range(len(y)),
                                    "ll": (ours["ll"] - theirs["ll"]).numpy()} | gains))  # fmt: skip
    return pd.concat(frames)


def claims(rows: Rows, config: Config) -> list[Claim]:
    return claimed.claims(rows, config.cutoffs, config.distances)


draw, tabulate = figures.figures, tables.tables
