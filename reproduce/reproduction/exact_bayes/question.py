"""How far below the exact posterior is a network that approximates it?"""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.claim import Needs
from presswork.estimates import by_mean, leads, line, table, those_of
from presswork.intervals import means_again, named
from reproduce.pictures.panels import name_lines, ticks
from reproduce.reproduction import _lines
from reproduce.reproduction.exact_bayes import checks_of_posterior, forecasters
from reproduce.reproduction.exact_bayes.checks_of_posterior import gaps
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

LADDER = {  # one size, one recipe: what does training longer buy?
    f"3x128-{curves // 1024}k": TrainConfig(ModelConfig(128, 3, 4), curves=curves)
    for curves in (12_288, 24_576, 49_152, 98_304, 393_216)
}
STYLE = {"1x64": "small", "2x96": "medium", "3x128": "large"}
STYLE |= {"ours": "ours", "paper": "paper", "chains": "mcmc"}
SHOWN = {"paper": "the paper’s recipe,\n100k curves"}  # trained here: not one of P1, P2, P3
PAPER = {"paper": TrainConfig.paper(128, 3, 100_000)}

NEAR = AtMost(0.15)  # nats per point below the exact posterior: the same for networks and chains

TIMED = True
STOPWATCHES = ("work.seconds", "work.bank_seconds")

TOLERANCES = dict.fromkeys(
    ("rows.ll", "calibration.share", "calibration.se", "work.ess", "work.accepted"),
    (0.05, "a step of a particle or of a chain that rounding decides otherwise on another processor"),
)


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: SMALL)
    best: str = "3x128"  # of them: the claims speak of it
    curves: int = 40  # of THE test set, the first ones
    doubled: int = 10  # of them get the exact posterior once more, with twice the bank and twice the steps
    at_once: int = 10
    cutoffs: tuple[int, ...] = (5, 10, 20, 40)
    chains: tuple[int, ...] = (10,)  # cutoffs at which the paper's chains are run as well, vectorised
    steps: int = 4500  # of the chains, of which a ninth is burn-in: the paper's M3
    chains_at_once: int = 50
    judge: PosteriorConfig = PosteriorConfig()
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY | {"paper": TINY_PAPER}, "1x16", 4, 2, 2, (10,), (10,), 90, 4,
        PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
    ),
    "laptop": Config(curves=10, doubled=2, cutoffs=(5, 10)),
    "paper": Config(
        SMALL | LADDER | PAPER | LARGE, curves=1000, doubled=100, cutoffs=(5, 10, 20, 40, 70, 80), chains=(10, 20, 40)
    ),
}  # fmt: skip
NOT_AT_SMOKE_SCALE = {"models.precision": "half precision is for a GPU, which smoke scale does without"}

TABLES = {
    "rows": ("method", "cutoff", "curve", "ll"),
    "calibration": ("method", "cutoff", "kind", "at", "share", "se"),  # see forecasters.py
    "work": ("method", "cutoff", "curve", "ess", "ess_bank", "rises", "accepted", "seconds", "bank_seconds"),
    "training": ("method", "parameters", "curves"),
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    cutoffs = {"exact": config.cutoffs, "doubled": config.cutoffs, "chains": config.chains}
    jobs = {f"{kind}{c}": {"kind": kind, "cutoff": c} for kind, some in cutoffs.items() for c in some}
    return jobs | {f"network-{name}": {"model": name} for name in config.models}


def needs(config: Config, model: str | None) -> list[TrainConfig]:
    return [config.models[model]] if model else []


def measure(config: Config, kind: str, cutoff: int, model: str | None) -> Rows:
    y = prior.test_set(config.curves).noisy
    if model:
        return forecasters.network(model, config.models[model], y, config.cutoffs)
    if kind == "chains":
        return forecasters.chains(cutoff, y, config.steps, config.chains_at_once, config.seed)
    how, seed = config.judge, config.seed
    if kind == "doubled":
        how = replace(how, bank=2 * how.bank, steps=2 * how.steps, keep=2 * how.keep)
        y, seed = y[: config.doubled], seed + 1
    return forecasters.exact_posterior(kind, how, cutoff, y, config.at_once, seed)


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(method, cutoff): nats per point below the exact posterior, paired by curve; ("exact", cutoff): its own score}, what
    `checks_of_posterior` finds, and claims by their names."""
    scored, best = rows["rows"], config.best
    found = {
        (method, cutoff): above.negated()
        for cutoff, mine in scored.groupby("cutoff")
        for method, above in leads(mine, "method", "exact", "ll", "curve").items()
    }
    own = by_mean(where(scored, method="exact"), "cutoff", "ll")
    found |= {("exact", cutoff): one for cutoff, one in own.items()}
    ahead = {c: gaps(scored, best, "chains", c) for c in dict.fromkeys((10, *config.chains))}
    steps = pairwise(ahead[c] for c in config.chains if len(ahead[c]))
    shrinks = there({i: Interval.of_mean((a - b).dropna()) for i, (a, b) in enumerate(steps)}).values()
    stated = {
        "ten_times_the_training_at_40": ten_times(rows, [*LADDER, best], 40),
        "network_beats_chains_at_10": Interval.of_mean(ahead[10]),
        "median_lead_over_chains_at_10": Interval.of_median(ahead[10]),
        "lead_over_chains_shrinks": min(shrinks, key=lambda step: step.low, default=None),
    }
    return found | checks_of_posterior.estimates(rows, [*config.models, "chains"]) | there(stated)


def ten_times(rows: Rows, ladder: list[str], cutoff: int) -> Interval | None:
    """By what ten times the training divides the loss of one size: a line through the logarithms, one training each."""
    table = where(rows["rows"], cutoff=cutoff).pivot(index="curve", columns="method", values="ll")
    training = rows["training"]
    effort = dict(zip(training["method"], 1.0 * training["parameters"] * training["curves"], strict=True))
    names = sorted((n for n in ladder if n in effort and n in table), key=effort.__getitem__)
    if len(names) < 4 or "exact" not in table:
        return None
    both = table[["exact", *names]].dropna()
    means = means_again(both[["exact"]].to_numpy() - both[names].to_numpy(), 400)
    if (means <= 0).any():
        return None  # no logarithm: the longest training reaches the posterior within its error
    return _lines.ten_times({n: effort[n] for n in names}, means, named(both.index.name, len(both)))


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(7, 3.6))
    methods, ends = [name for name in STYLE if name in set(rows["rows"]["method"])], {}
    for number, name in enumerate(methods):
        if mine := those_of(found, name):
            aside = 1.04 ** (number - len(methods) / 2)  # side by side
            points = {cutoff * aside: one for cutoff, one in mine.items()}
            heights = line(axis, points, marker="o", markersize=4, **style.line(STYLE[name]))
            ends[SHOWN.get(name, style.name(STYLE[name]))] = (heights[-1], style.colour(STYLE[name]))
    axis.axhline(0, color=style.colour("exact"), linewidth=1.5)
    axis.annotate(style.name("exact"), (1, 0), xycoords=("axes fraction", "data"), xytext=(-2, -12),
                  textcoords="offset points", ha="right", color=style.colour("exact"))  # fmt: skip
    known = [c for c in config.cutoffs if ("exact", c) in found]
    axis.set(xscale="log", xlabel="observed epochs, of 100")
    axis.set_ylabel("nats per point below the exact\nposterior (lower is better)")
    axis.set_ylim(-0.08 * axis.get_ylim()[1], None)  # room for a name below the line
    ticks(axis, known)
    name_lines(axis, ends)
    return {"lost": figure}


def tabulate(rows: Rows, found: Estimates, config: Config) -> Rows:
    """The exact posterior's own score, and what all others are below it, by size and length of their training."""

    def length(name: str) -> tuple[bool, int, int]:
        return name == "paper", config.models[name].model.width, config.models[name].curves

    lines = {"exact": f"{style.name('exact')}, log-likelihood"}
    lines |= {name: called(name, config) for name in (*sorted(config.models, key=length), "chains")}
    columns = {c: f"{c} %" for c in config.cutoffs}
    lost = table(found, "nats per point", lines, columns, ".3f", "…", only_measured=True)
    return {"lost": lost, "judge": checks_of_posterior.table(rows, found)}


def called(name: str, config: Config) -> str:
    """3x128 -> "3 × 128, 197k curves": the loss depends on the training curves as much as on the size."""
    if name == "chains":
        return "Markov chains as long as M3"
    train = config.models[name]
    size = f"{train.model.layers} × {train.model.width}" + (", paper’s recipe" if name == "paper" else "")
    return f"{size}, {train.curves / 1000:,.0f}k curves"


def claims(found: Estimates, config: Config) -> list[Claim]:
    size, chains = config.best.replace("x", " × "), "Markov chains as long as the paper’s M3"
    network = f"this {size} network"
    trained = f"{network}, trained on {config.models[config.best].curves:,} curves,"

    def claim(name: str, asks: str, needs: Needs, unit: str = "nats per point", key: Any = None) -> Claim:
        return Claim(name, asks, key or name, needs, unit)

    return [
        *(claim(f"loses_little_at_{c}", f"After {c} epochs, does {trained} score close to the exact posterior?", NEAR,
                key=(config.best, c)) for c in (10, 40)),
        claim("ten_times_the_training_at_40", f"Does ten times the training bring a {size} network much closer to the exact "
              "posterior after 40 epochs?", Above(1.5), "×"),
        claim("chains_are_near_at_10", f"After 10 epochs, do {chains} score close to the exact posterior?", NEAR,
              key=("chains", 10)),
        claim("network_beats_chains_at_10", f"After 10 epochs, does {network} score higher than {chains}?", Above(0)),
        claim("median_lead_over_chains_at_10", f"After 10 epochs, is the median lead of {network} over {chains} above zero?",
              Above(0)),
        claim("lead_over_chains_shrinks", f"Does the lead of {network} over {chains} shrink from each cutoff to the next?",
              Above(0)),
        *checks_of_posterior.claims(found),
    ]  # fmt: skip
