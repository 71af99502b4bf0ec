"""How many minutes of two cores until a network is as good as the paper's P2, and what did each change of the recipe save?

Each recipe is trained to its end in several lengths, since its rate falls to zero at the end of each. The effort at which
the line of mean log-likelihood against the logarithm of effort passes what is printed is what is enough.
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
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _method_scores
from reproduce.reproduction._crossing import enough
from reproduce.trainings import TINY

BASE = TrainConfig(ModelConfig(128, 3, 4), draws="number")
RECIPES = {  # each with what those above it brought
    "before": BASE,
    "early": replace(BASE, early=2.0),
    "lent": replace(BASE, early=2.0, stock=32_768),
}
NAMES = {
    "before": "as before",
    "early": "short beginnings more often",
    "lent": "endings that curves lend one another as well",
}
COLOURS = {"before": "large", "early": "small", "lent": "ours"}
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
    "laptop": Config({name: RECIPES[name] for name in ("before", "lent")}, (16_384, 32_768), 1, 2_000),
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
    """What the paper prints for P2, as the mean over shares seen."""
    return float(np.mean([log_likelihood(PRINTED, c) or np.nan for c in AT]))


def enough_of(rows: pd.DataFrame, recipe: str, effort: str) -> dict[int, float]:
    """By seed: seconds, or curves, until it is as good as P2."""
    found = {}
    for seed, mine in where(rows, recipe=recipe).groupby("seed"):
        mine = mine.sort_values(effort)
        if len(mine) > 1:
            found[int(seed)] = enough(np.log(mine[effort].to_numpy()), mine["ll_even"].to_numpy() - level())
    return found


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
    axis.set(
        xscale="log", xlabel="curves of the training", ylabel="nats per point, mean over four shares seen"
    )
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


def share(rows: pd.DataFrame, recipe: str, of: str, effort: str) -> Interval | None:
    """What a recipe takes of what another does, seed by seed; a seed that never arrives leaves it unknown."""
    ours, theirs = enough_of(rows, recipe, effort), enough_of(rows, of, effort)
    both = ours.keys() & theirs.keys()
    if any(np.isinf(side[seed]) for side in (ours, theirs) for seed in both):
        return None
    return Interval.of_mean(pd.Series([ours[seed] / theirs[seed] for seed in sorted(both)], dtype=float))


def claims(rows: pd.DataFrame) -> list[Claim]:
    short, both = "Short beginnings alone", "Short beginnings and lent endings"
    than = "that the recipe before took until as good as P2 as printed: {value:.2f} of them."
    return [
        claim("early_saves", f"{short} take fewer than all of the curves {than}",
              share(rows, "early", "before", "curves"), "< 1"),
        claim("lent_saves", f"{both} take fewer than half of the curves {than}",
              share(rows, "lent", "before", "curves"), "< 0.5"),
        claim("lent_adds", f"{both} take fewer than all of the curves of short beginnings alone: {{value:.2f}} of them.",
              share(rows, "lent", "early", "curves"), "< 1"),
        claim("lent_saves_time", f"{both} take fewer than all of the seconds {than}",
              share(rows, "lent", "before", "seconds"), "< 1"),
    ]  # fmt: skip
