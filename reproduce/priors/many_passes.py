"""Does it help to average many passes of one network, each through another map of the values?

TabPFN forecasts by 32 passes over copies of a table, half of them through a power transformation. Here a copy is a curve that
is bent by such a transformation (Yeo and Johnson's) with probability one half, and then moved to a part of 0 .. 1. A network
is shown T(y) in place of y, and its density is mapped back. Each curve and pass has a rising map of its own, drawn without a
look at the curve. How strong maps are was chosen on other curves, see the log.
Shapes: L = points of a curve, B = curves with T observed points, Q = queries, M = passes.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Generator, Tensor

from curvecast.curves import prior
from curvecast.curves.tuning_and_test import TEST
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.estimates import Estimates, by_mean, grouped, line, table
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, over
from reproduce.pictures.panels import legend, panels, ticks
from reproduce.priors._grades import over_seeds_and
from reproduce.protocols.benchmarks import ROWS, TITLES, chosen
from reproduce.protocols.timing import ROUNDS, core_seconds, in_turns, threads
from reproduce.trainings import SMALL, TINIEST

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
PRIOR, REAL = "prior", "real"  # curves
SEEN = (10, 20, 40)  # per cent of a curve
GROUPS = 10  # of the curves of the prior, which tell how much their choice matters
FLAT = 1 / 32  # share of a flat density, as if one of many passes knew nothing


@dataclass(frozen=True)
class Config:
    networks: tuple[TrainConfig, ...] = tuple(replace(SMALL["1x64"], seed=seed) for seed in range(3))
    passes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    edge: float = 0.2  # 0 and 1 are moved to places at most so far inside 0 .. 1; 0: nothing is moved
    power: float = 0.9  # the exponent is drawn from 1 - power to 1 + power, power below 1; 0: nothing is bent
    bent: float = 0.5  # probability of a power transformation
    unit: float = 0.25  # of the value, as the transformation sees it: the smaller, the more it bends near 0
    curves: int = 1_000  # of the second test set of the prior
    real: int = 100  # of each benchmark, at most
    points: int = 12  # later ones that are asked for
    seed: int = 0  # of the choice of real curves


SCALES = {
    "smoke": Config((TINIEST["1x8"],), (1, 2, 4), curves=20, real=1, points=4),
    "laptop": Config(Config().networks[:2], curves=200, real=20),
    "paper": Config(),
}
VALUES = ("gain", "single", "raised", "flat")
TABLES = {
    # of curves of the prior a tenth in each group; gain: above one pass without a map; single: that of the mean single
    # pass; raised: on which share of the curves there is a gain; flat: gain of one pass mixed with a little of a flat density
    "rows": ("seed", "row", "group", "seen", "passes", "ll", *VALUES),
    "seconds": ("round", "passes", "ms"),  # of one forecast, whose passes go through the network at once
}
STOPWATCHES = ("seconds.ms",)


def parts(config: Config) -> list[str]:
    return [*(f"seed-{train.seed}" for train in config.networks), "seconds"]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [train for train in config.networks if part == f"seed-{train.seed}"] or [config.networks[0]]


def measure(config: Config, part: str) -> Rows:
    forecaster, frames = trained(needs(config, part)[0]), []
    with threads():
        if part == "seconds":
            return {"seconds": times(config, forecaster).round(3)}
        seed, curves = forecaster.config.seed, {PRIOR: [*prior.second_test_set(config.curves).noisy]}
        chance = Generator().manual_seed(seed)
        for row, some in (curves | real(config.real, config.seed)).items():
            scored = scores(config, forecaster, some, chance)
            scored["group"] = scored.pop("curve") % (GROUPS if row == PRIOR else 1)
            means = scored.groupby(["group", "seen", "passes"], as_index=False).mean()
            frames.append(means.assign(row=row, seed=seed))
    return {"rows": pd.concat(frames)[list(TABLES["rows"])].round(4)}


def real(most: int, seed: int) -> dict[str, list[Tensor]]:
    """By benchmark, at most so many curves (L,) of each."""
    found = {row: [one.trial.seen for one in chosen(row, TEST, most, seed)] for row in ROWS}
    return {row: [torch.from_numpy(y).float() for y in own] for row, own in found.items() if own}


# ------------------------------------------------------------------------------- many passes, each through a map

Asked = tuple[Tensor, Tensor, Tensor, Tensor]  # x and y (B, T) of beginnings, x and y (B, Q) of later points


def portions(curves: list[Tensor], seen: int, points: int) -> Iterator[tuple[np.ndarray, Asked]]:
    """Which curves (L,) have equally many observed points, and what is asked of them; later points evenly spread."""
    cutoffs = np.array([max(1, round(len(y) * seen / 100)) for y in curves])
    for T in np.unique(cutoffs).tolist():
        which = np.flatnonzero(cutoffs == T)
        own = [curves[i] for i in which]
        places = [T + (torch.linspace(0, 1, points) * (len(y) - 1 - T)).round().long() for y in own]
        later = torch.stack([y[place] for y, place in zip(own, places, strict=True)])  # (B, Q)
        x, y = torch.arange(1.0, T + 1).expand(len(own), -1), torch.stack([y[:T] for y in own])
        yield which, (x, y, torch.stack(places) + 1.0, later)


class Map(NamedTuple):
    """T(y) = low + (high - low) bend(y), where bend leaves 0 and 1 in place."""

    low: Tensor  # (B, 1)
    high: Tensor  # (B, 1)
    exponent: Tensor  # (B, 1), 1 where nothing is bent
    unit: float

    def __call__(self, y: Tensor) -> Tensor:  # (B, Q) -> (B, Q)
        return self.low + (self.high - self.low) * self._power(y) / self._power(torch.ones(1))

    def log_slope(self, y: Tensor) -> Tensor:  # (B, Q) -> (B, Q)
        bend = (self.exponent - 1) * y.sign() * (y.abs() / self.unit).log1p()
        return bend + ((self.high - self.low) / self._power(torch.ones(1)) / self.unit).log()

    def _power(self, y: Tensor) -> Tensor:
        """Yeo and Johnson's transformation of y in units; its slope at 0 is that of y in units."""
        exponent = torch.where(y >= 0, self.exponent, 2 - self.exponent)
        return y.sign() * torch.expm1(exponent * (y.abs() / self.unit).log1p()) / exponent


def drawn(config: Config, curves: int, chance: Generator) -> Map:
    """A map for each curve."""
    low, high, power, bent = torch.rand(4, curves, 1, generator=chance)
    exponent = torch.where(bent < config.bent, 1 + config.power * (2 * power - 1), 1.0)
    return Map(config.edge * low, 1 - config.edge * high, exponent, config.unit)


@torch.inference_mode()
def passes(forecaster: Forecaster, asked: Asked, maps: list[Map]) -> Tensor:
    """The log density of the true values: seen as they are, then through each map.  -> (M, B, Q)"""
    (x, y, x_query, y_query), density = asked, forecaster.model.density
    found = [density(x, y, x_query).log_density(y_query)]
    found += [density(x, by(y), x_query).log_density(by(y_query)) + by.log_slope(y_query) for by in maps]
    return torch.stack(found)


def together(log_density: Tensor) -> Tensor:
    """Of the mean of the densities of all passes.  (M, B, Q) -> (B, Q)"""
    return log_density.logsumexp(0) - math.log(len(log_density))


def hedged(log_density: Tensor, y: Tensor) -> Tensor:
    """Of one pass, mixed with a little of a flat density over 0 .. 1.  (B, Q), (B, Q) -> (B, Q)"""
    flat = torch.where((y >= 0) & (y <= 1), math.log(FLAT), -math.inf)
    return torch.logaddexp(log_density + math.log1p(-FLAT), flat)


def scores(config: Config, forecaster: Forecaster, curves: list[Tensor], chance: Generator) -> pd.DataFrame:
    """A line for each curve, share observed and number of passes."""
    frames = []
    for seen in SEEN:
        for which, asked in portions(curves, seen, config.points):
            maps = [drawn(config, len(which), chance) for _ in range(config.passes[-1] - 1)]
            found = passes(forecaster, asked, maps)
            each = found.mean(2)  # (M, B)
            flat = hedged(found[0], asked[-1]).mean(1) - each[0]  # (B,)
            for count in config.passes:
                ll, single = together(found[:count]).mean(1), each[:count].mean(0) - each[0]
                frames.append(pd.DataFrame({"curve": which, "seen": seen, "passes": count, "ll": ll, "gain": ll - each[0],
                                            "single": single, "raised": ll > each[0], "flat": flat}))  # fmt: skip
    return pd.concat(frames)


def times(config: Config, forecaster: Forecaster) -> pd.DataFrame:
    """On one core. A fifth of one curve is shown, the rest asked for; it enters one batch, once for each pass."""
    (y,) = prior.second_test_set(1).noisy  # (L,)
    _, most = next(portions([y] * config.passes[-1], 20, len(y) - len(y) // 5))

    def forecast(count: int) -> None:
        x, y, x_query, y_query = (one[:count] for one in most)
        by = drawn(config, count, Generator().manual_seed(0))
        together(passes(forecaster, (x, by(y), x_query, by(y_query)), [])[0])

    turns = {count: lambda count=count: core_seconds(lambda: forecast(count)) for count in config.passes}
    lines = [(number, count, 1000 * took) for number, count, took in in_turns(turns, ROUNDS)]
    return pd.DataFrame(lines, columns=list(TABLES["seconds"]))


# ------------------------------------------------------------------------------------------------- estimates


def estimates(rows: pd.DataFrame) -> Estimates:
    """{(PRIOR, REAL or a benchmark, passes, value)}: seeds vary, and groups of the prior's curves or sources of real ones."""
    of_prior, sources = rows["row"] == PRIOR, {row: about.source for row, about in ROWS.items()}
    unit = rows["group"].where(of_prior, rows["row"].map(sources))
    put = rows.assign(kind=rows["row"].where(of_prior, REAL), unit=unit, lead=rows["gain"] - rows["flat"])
    long = put.melt(["seed", "row", "kind", "unit", "passes"], [*VALUES, "lead"], "value", "nats")
    by = ["passes", "value"]
    each = grouped(long, ["row", *by], lambda own: Interval.of_mean(own.groupby("seed")["nats"].mean()))
    kinds = grouped(long, ["kind", *by], lambda own: over_seeds_and(own.pivot_table("nats", "seed", "unit")))
    return each | kinds


def milliseconds(times: pd.DataFrame) -> Estimates:
    return by_mean(times, "passes", "ms", lambda ms: Interval.of_median(list(ms)))


# ---------------------------------------------------------------------------------------------------- shown

LINES = {"gain": ("average of all passes", "ours", "-"), "single": ("mean single pass", "ours", ":"),
         "flat": ("one pass and a flat density", "last", "--")}  # fmt: skip


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """With intervals of the averages alone: others would hide one another."""
    found = estimates(rows["rows"])
    figure, axes = panels(["curves of the prior", "real curves", "time of a forecast"], (9.4, 3.7))
    for axis, kind in zip(axes, (PRIOR, REAL), strict=False):
        for value, (label, colour, dashes) in LINES.items():
            each = {n: one for n in config.passes if (one := found.get((kind, n, value)))}
            if value != "gain":
                each = {n: one._replace(low=one.value, high=one.value) for n, one in each.items()}
            line(axis, each, color=style.colour(colour), linestyle=dashes, label=label, marker="o", ms=3)
        axis.axhline(0, color=style.faint(), linewidth=1)
    line(axes[2], milliseconds(rows["seconds"]), color=style.colour("ours"), marker="o", ms=3)
    for axis, up in zip(axes, ("gain over one pass (nats per point)", "", "milliseconds"), strict=True):
        axis.set(xscale="log", xlabel="passes", ylabel=up)
        ticks(axis, config.passes)
    legend(figure, axes[:2])
    return {"passes": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    """By the number of passes, and by benchmark."""
    found, ms, most = estimates(rows["rows"]), milliseconds(rows["seconds"]), config.passes[-1]
    columns = {(PRIOR, "gain"): "prior", (REAL, "gain"): "real curves", (REAL, "single"): "real, mean single pass",
               (REAL, "flat"): "real, one pass and a flat density"}  # fmt: skip
    cells = {(n, (kind, value)): one for (kind, n, value), one in found.items()}
    by_passes = table(cells, "passes", {n: f"{n}" for n in config.passes}, columns, "+.3f")
    by_passes["milliseconds"] = [in_cell(ms.get(n), ".2f", "–") for n in config.passes]
    lines = {(row, most): title for row, title in TITLES.items()}
    values = {"gain": f"{most} passes", "single": "mean single pass", "flat": "one pass and a flat density"}
    return {"passes": by_passes, "benchmarks": table(found, "benchmark", lines, values, "+.2f")}


def claims(rows: Rows, config: Config) -> list[Claim]:
    found, nats, most = estimates(rows["rows"]), "nats per point", config.passes[-1]
    rounds = rows["seconds"].astype({"passes": str})
    return [
        Claim("passes_help_prior", "On curves of the paper’s prior, do many passes score higher than one?",
              found.get((PRIOR, most, "gain")), Above(0), nats),
        Claim("passes_help_real", "On real curves, do many passes score higher than one?",
              found.get((REAL, most, "gain")), Above(0), nats),
        Claim("most_curves_gain", "Do many passes score higher than one on more than half of the real curves?",
              found.get((REAL, most, "raised")), Above(0.5), "%"),
        Claim("passes_beat_flat", "On real curves, do many passes score higher than one pass mixed with a little of a flat "
              "density?", found.get((REAL, most, "lead")), Above(0), nats),
        Claim("passes_are_cheap", "If passes go through the network at once, do many take less than eight times as long as "
              "one?", Interval.of_median(over(rounds, "passes", str(most), "1", "ms")), Below(8), "×"),
    ]  # fmt: skip
