"""Does a simulation agree with the exact coverage?

Tosses are drawn again and again; each repetition makes the four intervals and notes which of them contain p.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from presswork import Below, Between, Claim, Estimates, Interval, Rows, style, where
from presswork.estimates import line
from questions._proportion import COLOURS, KINDS, ends

TABLES = {"repetitions": ("repetition", "heads", *KINDS), "exact": ("interval", "coverage")}


@dataclass(frozen=True)
class Config:
    seed: int = 0
    repetitions: int = 20_000
    n: int = 50
    p: float = 0.1


SCALES = {"smoke": Config(repetitions=200), "full": Config()}


def reads(config: Config) -> list[str]:
    return ["coverage"]


def measure(config: Config, answers: dict[str, Rows]) -> Rows:
    heads = np.random.default_rng(config.seed).binomial(config.n, config.p, config.repetitions)
    rows = pd.DataFrame({"repetition": range(config.repetitions), "heads": heads})
    for kind in KINDS:
        low, high = ends(kind, heads, config.n)
        rows[kind] = ((low <= config.p) & (config.p <= high)).astype(int)
    exact = where(answers["coverage"]["by_p"], n=config.n, p=config.p)
    return {"repetitions": rows, "exact": exact[["interval", "coverage"]]}


def estimates(rows: Rows) -> Estimates:
    """{interval}: its simulated coverage; {(interval, "minus exact")}: how many points that is above the exact one"""
    exact, drawn = (
        rows["exact"].set_index("interval")["coverage"],
        rows["repetitions"].set_index("repetition"),
    )
    found = {kind: Interval.wilson(drawn[kind]) for kind in KINDS}
    away = {
        (kind, "minus exact"): one.ends(*(100 * (x - exact[kind]) for x in one))
        for kind, one in found.items()
    }
    return found | away


def draw(rows: Rows, found: Estimates) -> dict[str, plt.Figure]:
    figure, axis = plt.subplots(figsize=(7, 3))
    for place, (kind, exact) in enumerate(rows["exact"].to_numpy()):
        axis.plot([place - 0.25, place + 0.25], [100 * exact] * 2, color=style.ink(), linewidth=1)
        look = {"color": style.colour(COLOURS[kind]), "marker": "o", "markersize": 4, "capsize": 4}
        line(axis, {place: found[kind]}, lambda x: 100 * x, **look)
    axis.set(xticks=range(len(KINDS)), xticklabels=KINDS, ylabel="coverage in %")
    return {"agreement": figure}


def claims(rows: Rows, found: Estimates, config: Config) -> list[Claim]:
    told = f"at n = {config.n} and p = {config.p}"
    return [
        Claim("wald_covers_less", f"Does the Wald interval cover less often than it says {told}?",
              found["Wald"], Below(0.95), "%"),
        Claim("wilson_agrees", f"Is the simulated coverage of the Wilson interval close to the exact one {told}?",
              found["Wilson", "minus exact"], Between(-0.5, 0.5), "points"),
    ]  # fmt: skip
