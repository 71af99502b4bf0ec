"""How long must other methods run until they are as good as the network?"""

import math
import re
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.pictures.panels import panels
from reproduce.protocols.timing import threads
from reproduce.reproduction.time_to_accuracy import runs
from reproduce.reproduction.time_to_accuracy.crossing import slowdown
from reproduce.trainings import SMALL, TINY

STOPWATCHES = ("rows.seconds",)
TABLES = {"rows": ("method", "steps", "cutoff", "curve", "ll", "seconds")}
STYLE = {"chains": "vector", "judge": "exact", "network": "ours"}
NAMES = {"chains": style.name("vector"), "judge": style.name("exact"), "network": "network"}


LADDER = (  # of the exact posterior, from the shortest run to the one used elsewhere; each has another number of steps
    PosteriorConfig(bank=8_000, islands=2, population=8, moves=1, steps=2, keep=1),
    PosteriorConfig(bank=8_000, islands=4, population=16, moves=1, steps=3, keep=1),
    PosteriorConfig(bank=16_000, islands=4, population=16, moves=2, steps=5, keep=2),
    PosteriorConfig(bank=30_000, population=16, moves=3, steps=10, keep=5),
    PosteriorConfig(bank=125_000, moves=5, steps=40, keep=20),
    PosteriorConfig(),
)
PAPERS_LONGEST = 4500  # steps of a chain


@dataclass(frozen=True)
class Config:
    network: TrainConfig = SMALL["3x128"]
    curves: int = 40  # of THE test set, the first ones
    chained: int = 20  # of them: chains cost most
    at_once: int = 20
    cutoffs: tuple[int, ...] = (10,)
    chains: tuple[int, ...] = (500, 1500, PAPERS_LONGEST)  # steps
    judge: tuple[PosteriorConfig, ...] = LADDER
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY["1x16"], 6, 4, 3, chains=(50, 100), judge=(
            PosteriorConfig(bank=2000, islands=2, population=8, moves=2, steps=4, keep=2),
            PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
        ),
    ),
    "laptop": Config(curves=20, chained=10, at_once=10),
    "paper": Config(curves=400, chained=100, at_once=25, cutoffs=(10, 20), chains=(500, 1500, PAPERS_LONGEST, 13_500)),
}  # fmt: skip


def models(config: Config) -> list[TrainConfig]:
    return [config.network]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.network] if part.startswith("network") else []


def parts(config: Config) -> list[str]:
    return [f"{method}{cutoff}" for cutoff in config.cutoffs for method in STYLE]


def measure(config: Config, part: str) -> pd.DataFrame:
    method, digits = re.fullmatch(r"([a-z]+)(\d+)", part).groups()  # type: ignore[union-attr]  # one of parts()
    y, cutoff = prior.test_set(config.curves).noisy, int(digits)
    with threads():
        if method == "network":
            found = runs.network(trained(config.network).model, y, cutoff, config.at_once)
        elif method == "chains":
            found = runs.chains(config.chains, y[: config.chained], cutoff, config.at_once, config.seed)
        else:
            found = runs.exact_posterior(config.judge, y, cutoff, config.at_once, config.seed)
        return runs.table(method, cutoff, found)


def behind(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each method, length and cutoff: seconds, and nats per point below the network on the curves both have."""
    found = []
    for cutoff, mine in rows.groupby("cutoff"):
        net = where(mine, method="network").set_index("curve")["ll"]
        for (method, steps), own in mine.groupby(["method", "steps"]):
            gap = Interval.of_mean((own["curve"].map(net) - own["ll"]).dropna())
            if gap:
                found.append((cutoff, method, steps, len(own), own["seconds"].mean(), gap))
    columns = ["cutoff", "method", "steps", "curves", "seconds", "below"]
    return pd.DataFrame(found, columns=columns).sort_values(["cutoff", "method", "seconds"])


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    points, n = behind(rows), len(config.cutoffs)
    figure, axes = panels([f"{c} epochs observed" for c in config.cutoffs], (4.2 * n + 1.5, 3.8), sharey=True)
    for axis, cutoff in zip(axes, config.cutoffs, strict=True):
        _panel(axis, where(points, cutoff=cutoff))
        axis.set(xscale="log", xlabel="seconds per curve, one core")
    axes[0].set_ylabel("nats per point below the network\n(lower is better)")
    return {"time": figure}


def _panel(axis: Axes, points: pd.DataFrame) -> None:
    """A method is as good as the network where its line meets the dotted one, and better below it."""
    for method, kind in STYLE.items():
        mine = where(points, method=method)
        if mine.empty:
            continue
        y, half = [one.value for one in mine["below"]], [one.half for one in mine["below"]]
        axis.errorbar(
            mine["seconds"], y, yerr=half, color=style.colour(kind), marker="o", markersize=4, elinewidth=0.7
        )
        axis.annotate(NAMES[method], (mine["seconds"].iloc[0], y[0]), xytext=(9, 6), textcoords="offset points",
                      color=style.colour(kind), fontsize=9)  # fmt: skip
    axis.axhline(0, color=style.colour(STYLE["network"]), linewidth=0.8, linestyle=":")


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    table = [
        {"method": NAMES[p.method] + ("" if p.method == "network" else f", {p.steps:,} steps"),
         "observed epochs": str(p.cutoff), "curves": str(p.curves), "seconds per curve": f"{p.seconds:.2g}",
         "below the network": p.below.plus_minus(".3f")}
        for p in behind(rows).itertuples()
    ]  # fmt: skip
    reached = [
        {"method": NAMES[method], "observed epochs": str(cutoff), "times the network’s time": _times(slowdown(mine, method))}
        for cutoff, mine in rows.groupby("cutoff") for method in ("judge", "chains")
    ]  # fmt: skip
    return {"time": pd.DataFrame(table), "equal_likelihood": pd.DataFrame(reached)}


def _times(found: Interval | None) -> str:
    """Its ends are in order; where a method did not arrive there is no number."""
    if found is None:
        return "…"
    value, low, high = ("never" if math.isinf(end) else f"{end:,.0f}" for end in found)
    return f"{value} [{low}, {high}]"


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated, longest = [], max(config.chains)
    network = f"this {config.network.model.label.replace('x', ' × ')} network"
    for c in config.cutoffs:
        mine = where(rows, cutoff=c)
        chains = where(mine, method="chains", steps=longest).set_index("curve")["ll"]
        below = (where(mine, method="network").set_index("curve")["ll"] - chains).dropna()
        stated += [
            Claim(f"judge_reaches_network_at_{c}", f"After {c} epochs, does the exact posterior, computed just long enough "
                  f"to match {network}, take only a moderate multiple of its time?",
                  _known(slowdown(mine, "judge")), Below(100), "×"),
            Claim(f"chains_reach_network_at_{c}", f"After {c} epochs, do Markov chains need far more time than {network} to "
                  "match it, or do they fail to match it at all?", _at_least(mine, "chains"), Above(100), "×"),
            Claim(f"chains_below_network_at_{c}", f"After {c} epochs, is {network} still above Markov chains of {longest:,} "
                  f"steps, {longest / PAPERS_LONGEST:.3g} times as long as M3?", Interval.of_mean(below), Above(0),
                  "nats per point"),
        ]  # fmt: skip
    return stated


def _at_least(rows: pd.DataFrame, method: str) -> Interval | None:
    """Where a method did not arrive, the time of its longest run, which is too short."""
    found, spent = slowdown(rows, method), rows.groupby(["method", "steps"])["seconds"].mean()
    return found and Interval(*(min(end, spent[method].max() / spent["network"].max()) for end in found))


def _known(found: Interval | None) -> Interval | None:
    """An end beyond the longest run is not known."""
    return found and Interval(*(math.nan if math.isinf(end) else end for end in found))
