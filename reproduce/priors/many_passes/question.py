"""Does it help to average many passes of one network, each through another map of the values?

TabPFN forecasts by 32 passes. Here each pass after the first sees a curve through a random affine map of its values and, with
probability one half, a power transformation; its density is mapped back. How strong the maps are was chosen on other curves:
those that gain most on the tuning set of real curves and cost at most a hundredth of a nat on curves of the prior.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, Below, Claim
from reproduce._press.estimates import line, table
from reproduce._press.intervals import in_cell
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import legend, panels, ticks
from reproduce.priors.many_passes.asked import of_one_length, real
from reproduce.priors.many_passes.estimates import (
    PRIOR,
    REAL,
    by_benchmark,
    differences,
    estimates,
    milliseconds,
    times_as_long,
)
from reproduce.priors.many_passes.passes import MapsConfig, stream
from reproduce.priors.many_passes.scores import VALUES, by_kind, by_strength, scores, times
from reproduce.protocols.benchmarks import TITLES
from reproduce.protocols.timing import threads
from reproduce.trainings import SMALL, TINIEST

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
BOTH, AFFINE, POWER = "both", "affine", "power"
WAYS = {BOTH: "both maps", AFFINE: "affine alone", POWER: "power alone"}
SMALLEST, LARGER = "1x64", "3x128"
TIMES, TUNED = "seconds", "tuned"  # parts


def networks(sizes: dict[str, TrainConfig], seeds: int) -> dict[str, TrainConfig]:
    """Of the smallest size so many, of a larger one the first."""
    count = dict.fromkeys(sizes, 1) | {SMALLEST: seeds}
    return {f"{name}-{i}": replace(sizes[name], seed=i) for name in sizes for i in range(count[name])}


TINY = dict.fromkeys((SMALLEST, LARGER), TINIEST["1x8"])
OURS = {name: SMALL[name] for name in (SMALLEST, LARGER)}


@dataclass(frozen=True)
class Config:
    networks: dict[str, TrainConfig] = field(default_factory=lambda: networks(OURS, 3))
    maps: MapsConfig = MapsConfig()  # by the table `tuned`
    passes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    alone: tuple[int, ...] = (1, 2, 4, 8)  # passes through one kind of map
    curves: int = 1_000  # of the second test set of the prior
    real: int = 100  # of each benchmark, at most
    points: int = 12  # later ones that are asked for
    edges: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4)  # tried on other curves
    powers: tuple[float, ...] = (0.0, 0.5, 0.9)
    tuning: int = 400  # curves of the prior for that; an eighth of them of each benchmark
    seed: int = 0


SCALES = {
    "smoke": Config(
        networks(TINY, 1), passes=(1, 2, 4), alone=(1, 2), curves=20, real=1, points=4,
        edges=(0.0, 0.2), powers=(0.0, 0.9), tuning=8,
    ),
    "laptop": Config(networks(OURS, 2), curves=200, real=20, edges=(0.0, 0.2), powers=(0.0, 0.9), tuning=80),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    # of curves of the prior a tenth in each group; gain: above one pass without a map; single: that of the mean single
    # pass; raised: on which share of the curves there is a gain; flat: gain of one pass mixed with a little of a flat density
    "rows": ("network", "seed", "row", "group", "seen", "way", "passes", "ll", *VALUES, "in90"),
    "kinds": ("network", "seed", "row", "kind", "curves", "gain"),  # of all passes through both maps
    "tuned": ("edge", "power", "row", "gain"),
    "seconds": ("round", "passes", "ms"),  # of one forecast, whose passes go through the network at once
}
STOPWATCHES = ("seconds.ms",)


def parts(config: Config) -> list[str]:
    return [*config.networks, TUNED, TIMES]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.networks.get(part, next(iter(config.networks.values())))]


def measure(config: Config, part: str) -> Rows:
    forecaster = trained(needs(config, part)[0])
    with threads():
        if part == TIMES:
            y = prior.second_test_set(1).noisy[0]
            return {"seconds": times(forecaster, y, config.maps, config.passes).round(3)}
        if part == TUNED:
            return {"tuned": tuned(config, forecaster).round(4)}
        curves = {PRIOR: of_one_length(prior.second_test_set(config.curves).noisy)}
        curves |= real(TEST, config.real, config.seed)
        network, seed = part.split("-")
        rows, kinds = [], []
        for way, how in of_each_kind(config.maps).items():
            maps, counts = stream(how, int(seed)), config.passes if way == BOTH else config.alone
            for row, some in curves.items():
                scored = scores(forecaster, some, maps, counts, config.points)
                means = scored.groupby(["group", "seen", "passes"], as_index=False).mean()
                rows.append(means.assign(row=row, way=way))
                if way == BOTH:
                    kinds.append(by_kind(where(scored, passes=counts[-1])).assign(row=row))
    tables = {"rows": pd.concat(rows), "kinds": pd.concat(kinds)}
    about = {"network": network, "seed": int(seed)}
    return {name: made.assign(**about)[list(TABLES[name])].round(4) for name, made in tables.items()}


def tuned(config: Config, forecaster: Forecaster) -> pd.DataFrame:
    """On curves that are not reported on: of the prior from another seed, and of the tuning set of real curves."""
    y = prior.sample(prior.PriorConfig(), config.tuning, np.random.default_rng(config.seed)).noisy
    curves = {PRIOR: of_one_length(y.float())} | real(TUNING, -(-config.tuning // 8), config.seed)
    pairs = [(edge, power) for edge in config.edges for power in config.powers if edge or power]
    tried = [replace(config.maps, edge=edge, power=power) for edge, power in pairs]
    return by_strength(forecaster, curves, tried, config.alone[-1], config.points)


def of_each_kind(maps: MapsConfig) -> dict[str, MapsConfig]:
    return {BOTH: maps, AFFINE: replace(maps, power=0.0), POWER: replace(maps, edge=0.0)}


# ---------------------------------------------------------------------------------------------------- shown

LINES = {  # network, way, value, colour, dashes
    "both maps": (SMALLEST, BOTH, "gain", "ours", "-"),
    "both maps, the mean single pass": (SMALLEST, BOTH, "single", "ours", ":"),
    "affine alone": (SMALLEST, AFFINE, "gain", "paper", "--"),
    "power alone": (SMALLEST, POWER, "gain", "new", "-."),
    "one pass and a flat density": (SMALLEST, BOTH, "flat", "last", "--"),
    "both maps, 3 × 128": (LARGER, BOTH, "gain", "exact", "-"),
}
BOUNDED = "both maps"  # the line with intervals, which would hide one another


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    found = estimates(rows["rows"])
    look: dict[str, Any] = {"marker": "o", "markersize": 3}
    figure, axes = panels(["curves of the prior", "real curves", "time of a forecast"], (9.4, 3.7))
    for axis, curves in zip(axes, (PRIOR, REAL), strict=False):
        for label, (network, way, value, colour, dashes) in LINES.items():
            each = {n: one for n in config.passes if (one := found.get((curves, network, way, n, value)))}
            colours: dict[str, Any] = {"color": style.colour(colour), "linestyle": dashes, "label": label}
            if label == BOUNDED:
                line(axis, each, **colours, **look)
            else:
                axis.plot([*each], [one.value for one in each.values()], **colours, **look)
        axis.axhline(0, color=style.faint(), linewidth=1)
    axes[0].set_ylabel("gain over one pass (nats per point)")
    line(axes[2], milliseconds(rows["seconds"]), color=style.colour("ours"), **look)
    axes[2].set_ylabel("milliseconds")
    for axis in axes:
        axis.set(xscale="log", xlabel="passes")
        ticks(axis, config.passes)
    legend(figure, axes[:2], 3)
    return {"passes": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    """By the number of passes; by benchmark; by the strength of the maps."""
    columns = {
        (PRIOR, SMALLEST, "gain"): "prior", (REAL, SMALLEST, "gain"): "real curves",
        (REAL, SMALLEST, "single"): "real, mean single pass",
        (REAL, SMALLEST, "flat"): "real, one pass and a flat density",
        (PRIOR, LARGER, "gain"): "prior, 3 × 128", (REAL, LARGER, "gain"): "real, 3 × 128",
    }  # fmt: skip
    found, ms = estimates(rows["rows"]), milliseconds(rows["seconds"])
    cells = {
        (n, (curves, network, value)): one
        for (curves, network, way, n, value), one in found.items()
        if way == BOTH
    }
    by_passes = table(cells, "passes", {n: f"{n}" for n in config.passes}, columns, "+.3f")
    by_passes["milliseconds"] = [in_cell(ms.get(n), ".2f", "–") for n in config.passes]
    few, most = config.alone[-1], config.passes[-1]
    titles = {(SMALLEST, way, few): f"{title}, {few} passes" for way, title in WAYS.items()}
    titles |= {
        (SMALLEST, BOTH, most): f"both maps, {most} passes",
        (LARGER, BOTH, most): f"3 × 128, {most} passes",
    }
    of_row = {
        (row, rest): one for (row, *key), one in by_benchmark(rows["rows"]).items() if (rest := tuple(key))
    }
    tables = {"passes": by_passes, "benchmarks": table(of_row, "benchmark", TITLES, titles, "+.2f")}
    return tables | ({"strengths": strengths(rows["tuned"], config.maps)} if len(rows["tuned"]) else {})


def strengths(rows: pd.DataFrame, taken: MapsConfig) -> pd.DataFrame:
    """Each benchmark counts alike."""
    curves = rows["row"].where(rows["row"] == PRIOR, REAL)
    gains = rows.assign(curves=curves).pivot_table("gain", ["edge", "power"], "curves").reset_index()
    is_taken = (gains["edge"] == taken.edge) & (gains["power"] == taken.power)
    return pd.DataFrame({
        "affine: edge up to": gains["edge"].map("{:.1f}".format), "power: 1 ±": gains["power"].map("{:.1f}".format),
        "prior": gains[PRIOR].map("{:+.3f}".format), "real curves": gains[REAL].map("{:+.3f}".format),
        "taken": is_taken.map({True: "yes", False: ""}),
    })  # fmt: skip


def claims(rows: Rows, config: Config) -> list[Claim]:
    """Over seeds and curves of the prior; over sources of real curves."""
    found, nats = estimates(rows["rows"]), "nats per point"
    few, most = config.alone[-1], config.passes[-1]
    apart = differences(rows["rows"], rows["kinds"], SMALLEST, BOTH, most)
    return [
        Claim("passes_help_prior", "On curves of the paper’s prior, do many passes score higher than one?",
              found.get((PRIOR, SMALLEST, BOTH, most, "gain")), Above(0), nats),
        Claim("power_helps_prior", "On curves of the paper’s prior, do a few passes through power maps alone score higher "
              "than one?", found.get((PRIOR, SMALLEST, POWER, few, "gain")), Above(0), nats),
        Claim("passes_help_real", "On real curves, do many passes score higher than one?",
              found.get((REAL, SMALLEST, BOTH, most, "gain")), Above(0), nats),
        Claim("most_curves_gain", "Do many passes score higher than one on more than half of the real curves?",
              found.get((REAL, SMALLEST, BOTH, most, "raised")), Above(0.5), "%"),
        Claim("passes_help_larger", "On real curves, do many passes of this larger network score higher than one?",
              found.get((REAL, LARGER, BOTH, most, "gain")), Above(0), nats),
        Claim("affine_helps_real", "On real curves, do a few passes through affine maps alone score higher than one?",
              found.get((REAL, SMALLEST, AFFINE, few, "gain")), Above(0), nats),
        Claim("power_helps_real", "On real curves, do a few passes through power maps alone score higher than one?",
              found.get((REAL, SMALLEST, POWER, few, "gain")), Above(0), nats),
        Claim("four_give_half", "On real curves, do the first four passes bring more than half of what all passes gain?",
              apart.get("four over half"), Above(0), nats),
        Claim("averaging_is_most", "On real curves, does averaging passes gain more than the maps gain in a single pass?",
              apart.get("averaging over maps"), Above(0), nats),
        Claim("passes_beat_flat", "On real curves, do many passes score higher than one pass mixed with a little of a flat "
              "density?", apart.get("many over flat"), Above(0), nats),
        Claim("coverage_nearer", "On real curves, is the coverage of the 90 % interval nearer to nominal with many passes?",
              apart.get("coverage"), Above(0), "points"),
        Claim("near_edges_more", "Do many passes gain more on real curves near 0 or 1 than on those in the middle?",
              apart.get("near over middle"), Above(0), nats),
        Claim("narrow_more", "Do many passes gain more on real curves whose observed values span little than on others?",
              apart.get("narrow over wide"), Above(0), nats),
        Claim("passes_are_cheap",
              "If passes go through the network at once, do many take less than eight times as long as one?",
              times_as_long(rows["seconds"], most), Below(8), "×"),
    ]  # fmt: skip
