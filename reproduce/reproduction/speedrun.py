"""How many minutes on two cores does a network need to be as good as P2, and what does each change of the recipe save?

Each recipe is trained in several lengths, since its rate falls to zero at the end of each. Enough is where the line of mean
log-likelihood against the logarithm of effort crosses the score that the paper prints.
"""

from dataclasses import dataclass, replace
from statistics import median

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _method_scores
from reproduce.reproduction._crossing import enough
from reproduce.trainings import TINY

BASE = TrainConfig(ModelConfig(128, 3, 4), draws="number")
RECIPES = {  # each adds one thing to the one above it
    "before": BASE,
    "early": replace(BASE, early=2.0),
    "lent": replace(BASE, early=2.0, stock=32_768),
}
NAMES = {
    "before": "previous recipe",
    "early": "short beginnings more often",
    "lent": "short beginnings and lent endings",
}
COLOURS = {"before": "last", "early": "pow4", "lent": "ours"}
PRINTED, AT = "P2", (10, 20, 40, 80)
STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": ("recipe", "seed", "curves", "seconds", "ll_even")}


@dataclass(frozen=True)
class Config:
    recipes: dict[str, TrainConfig]
    lengths: tuple[int, ...] = (16_384, 32_768, 65_536)
    seeds: int = 3
    judged: int = 4_000  # curves of the second test set


SCALES = {
    "smoke": Config({name: replace(TINY["1x16"], draws="number", early=recipe.early, stock=recipe.stock and 256)
                     for name, recipe in RECIPES.items()}, (320, 640), 1, 40),
    "laptop": Config({name: RECIPES[name] for name in ("before", "lent")}, (4_096, 8_192), 1, 500),
    "paper": Config(RECIPES),
}  # fmt: skip


def of_part(config: Config) -> dict[str, TrainConfig]:
    """{"lent-16384-0": ...}"""
    return {
        f"{name}-{curves}-{seed}": replace(recipe, curves=curves, seed=seed)
        for seed in range(config.seeds)
        for curves in config.lengths
        for name, recipe in config.recipes.items()
    }


def parts(config: Config) -> list[str]:
    return [*of_part(config)]


def models(config: Config) -> list[TrainConfig]:
    return list(of_part(config).values())


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [of_part(config)[part]]


def measure(config: Config, part: str) -> pd.DataFrame:
    forecaster, fresh = trained(of_part(config)[part]), prior.second_test_set(config.judged)
    even = [row["ll_even"] for row in _method_scores.likelihoods(part, forecaster, fresh, AT)]
    recipe, curves, seed = part.split("-")
    row = {"recipe": recipe, "seed": int(seed), "curves": int(curves), "ll_even": float(np.mean(even))}  # type: ignore[arg-type]  # floats
    return pd.DataFrame([row | {"seconds": forecaster.history[-1]["seconds"]}])


def level() -> float:
    """The score that the paper prints for P2, as the mean over cutoffs."""
    return float(np.mean([log_likelihood(PRINTED, c) or np.nan for c in AT]))


def enough_of(rows: pd.DataFrame, recipe: str, effort: str) -> dict[int, float]:
    """By seed: seconds, or curves, until it is as good as P2."""
    by_seed = {}
    for seed, mine in where(rows, recipe=recipe).groupby("seed"):
        mine = mine.sort_values(effort)
        if len(mine) > 1:
            by_seed[int(seed)] = enough(np.log(mine[effort].to_numpy()), mine["ll_even"].to_numpy() - level())
    return by_seed


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(7, 3.8))
    for recipe, colour in COLOURS.items():
        for number, (_, mine) in enumerate(where(rows, recipe=recipe).groupby("seed")):
            mine = mine.sort_values("curves")
            axis.plot(mine["curves"], mine["ll_even"], "o-", markersize=4, linewidth=1, color=style.colour(colour),
                      label=None if number else NAMES[recipe])  # fmt: skip
    axis.axhline(level(), color=style.colour("paper"), linewidth=1.2)
    axis.annotate(f"{PRINTED}, as printed", (0, level()), xycoords=("axes fraction", "data"), xytext=(4, 4),
                  textcoords="offset points", color=style.colour("paper"), fontsize=9)  # fmt: skip
    axis.set(xscale="log", xlabel="training curves")
    lengths = sorted(set(rows["curves"]))
    axis.set_xticks(lengths, [f"{n:,}" for n in lengths])
    axis.minorticks_off()
    axis.set_ylabel("log-likelihood, nats per point\n(mean of four cutoffs, higher is better)")
    figure.legend(loc="outside upper center", ncols=1)
    return {"run": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    title, table = "recipe", []
    for recipe, name in NAMES.items():
        if seconds := enough_of(rows, recipe, "seconds"):
            curves = enough_of(rows, recipe, "curves")
            table.append(
                {
                    title: name,
                    "seeds": str(len(seconds)),
                    "curves": _said(curves, 1),
                    "minutes": _said(seconds, 60),
                }
            )
    return {"run": pd.DataFrame(table, columns=None if table else [title])}


def _said(of_seed: dict[int, float], unit: float) -> str:
    """The median of the seeds, and their range."""
    values = list(of_seed.values())
    form = ",.0f" if unit == 1 else ".1f"
    ends = [median(values), min(values), max(values)]
    middle, low, high = ("not reached" if np.isinf(end) else f"{end / unit:{form}}" for end in ends)
    return middle if len(values) == 1 else f"{middle} ({low} to {high})"


def saving(rows: pd.DataFrame, recipe: str, of: str, effort: str) -> Interval | None:
    """How many times the effort of a recipe another one takes, seed by seed; unknown where a seed never arrives."""
    ours, theirs = enough_of(rows, recipe, effort), enough_of(rows, of, effort)
    both = ours.keys() & theirs.keys()
    if any(np.isinf(side[seed]) for side in (ours, theirs) for seed in both):
        return None
    share = Interval.of_mean(pd.Series([ours[seed] / theirs[seed] for seed in sorted(both)], dtype=float))
    return share and share.inverse()


def claims(rows: pd.DataFrame) -> list[Claim]:
    reach = "let a 3 × 128 network reach the printed score of P2"
    lent = "lent endings (drawn from the posterior)"
    both = f"Do {lent} and showing short beginnings more often together {reach}"
    asked = {
        "lent_saves": (f"{both} with far fewer training curves?", "lent", "before", "curves", 2),
        "lent_adds": (f"Where short beginnings are already shown more often, do {lent} {reach} with fewer training curves?",
                      "lent", "early", "curves", 1),
    }  # fmt: skip
    return [
        Claim(name, question, saving(rows, *sides), Above(times), "×")
        for name, (question, *sides, times) in asked.items()
    ]
