"""What does each belief about learning curves cost where another one is true?

Networks of one size and budget are trained on six priors, on their mixture, and on the mixture with the name of each curve's
prior. Each is scored on new curves of each prior, and compared with the specialist, the network of that prior.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import of_each_end, table, those_of
from reproduce.pictures.panels import panels
from reproduce.protocols.beliefs import LONGER, MIXED, NAMED, PRIORS, TITLES, Networks, beside, clearly_above

CUTOFFS = (5, 10, 20, 40, 70)
TEST_SEED = 9_100  # of curves that no training has
ALL = (*PRIORS, MIXED, NAMED, LONGER)
LOSS, COVERAGE = "loss", "coverage"
SHOWN = 14  # sampled curves of a panel


@dataclass(frozen=True)
class Config:
    """A long run on a CPU at paper scale."""

    networks: Networks = Networks(ALL, "2x96")
    scored: int = 300  # curves of each prior


SCALES = {
    "smoke": Config(Networks(ALL, "1x8", 256, (0,)), 3),
    "laptop": Config(Networks(("paper", "laws"), curves=12_032), 200),
    "paper": Config(),
}

TABLES = {
    "scores": ("network", "seed", "curves", "curve", "ll", "in90"),  # of a curve: means over all cutoffs
    "samples": ("curves", "curve", "epoch", "y"),
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    return {"samples": {}} | config.networks.parts()  # the first without a network


def needs(config: Config, name: str | None, seed: int) -> list[TrainConfig]:
    return [config.networks.training(name, seed)] if name else []


def measure(config: Config, name: str | None, seed: int) -> Rows:
    if not name:
        return {"samples": samples()}
    network = trained(config.networks.training(name, seed), progress=False)
    each = [_scores(network, name, kind, config.scored) for kind in PRIORS]
    means = pd.concat(each).groupby(["curves", "curve"], as_index=False, sort=False)[["ll", "in90"]].mean()
    return {"scores": means.round(4).assign(network=name, seed=seed)[list(TABLES["scores"])]}


@torch.no_grad()
def _scores(network: Forecaster, name: str, kind: str, count: int) -> pd.DataFrame:
    """By curve of this kind and cutoff: nats per future point, and the share inside the 90 % interval."""
    generator = np.random.default_rng([TEST_SEED, [*PRIORS].index(kind)])
    y = PRIORS[kind].sample(count, generator).noisy.float()  # (n, T)
    x = torch.arange(1.0, y.shape[1] + 1).expand_as(y)
    if name == NAMED:
        x = beside(x, torch.full((count,), [*PRIORS].index(kind)))
    found = []
    for cutoff in CUTOFFS:
        ahead = y[:, cutoff:]
        density = network.model.density(x[:, :cutoff], y[:, :cutoff], x[:, cutoff:])
        inside = ((density.cdf(ahead) - 0.5).abs() <= 0.45).float()
        ll, in90 = (each.double().mean(1).numpy() for each in (density.log_density(ahead), inside))
        found.append(pd.DataFrame({"curve": range(count), "cutoff": cutoff, "ll": ll, "in90": in90}))
    return pd.concat(found).assign(curves=kind)


def samples() -> pd.DataFrame:
    made = []
    for number, (kind, prior) in enumerate(PRIORS.items()):
        y = prior.sample(SHOWN, np.random.default_rng([TEST_SEED + 1, number])).noisy.numpy().round(3)
        which, epoch = np.indices(y.shape).reshape(2, -1)
        made.append(pd.DataFrame({"curves": kind, "curve": which, "epoch": epoch + 1, "y": y.ravel()}))
    return pd.concat(made, ignore_index=True)


# ------------------------------------------------------------------------------------------------- estimates


def of_pairs(scores: pd.DataFrame, value: str) -> dict[tuple[str, str], pd.DataFrame]:
    """By network and kind of curves: a line a seed, a column a curve."""
    pairs = scores.groupby(["network", "curves"], sort=False)
    return {key: own.pivot(index="seed", columns="curve", values=value) for key, own in pairs}


def apart(rows: Rows) -> dict[tuple[str, str], pd.DataFrame]:
    """By network and kind of curves: nats per point below the specialist, of each seed and curve."""
    ll = of_pairs(rows["scores"], "ll")
    pairs = ((key, key[1]) for key in ll if key[0] != key[1])
    return {key: ll[kind, kind] - ll[key] for key, kind in pairs if (kind, kind) in ll}


def estimates(rows: Rows) -> Estimates:
    """{(LOSS, network, curves): nats per point below the specialist}, {(COVERAGE, network, curves): of the 90 %
    interval, in per cent}, where seeds and curves vary, and the others by the names of their claims."""
    inside = {key: 100 * own for key, own in of_pairs(rows["scores"], "in90").items()}
    tables = {LOSS: apart(rows), COVERAGE: inside}
    each = {(what, *key): own for what, by_key in tables.items() for key, own in by_key.items()}
    found = there({key: Interval.of_seeds_and_curves(own) for key, own in each.items()})
    return found | there({
        "specialists_lead": led(rows),
        "generalist_costs": averages(rows, MIXED, ""),
        "name_helps": averages(rows, MIXED, NAMED),
        "mixture_least_worst": worst_above_mixture(those_of(found, LOSS)),
    })  # fmt: skip


def averages(rows: Rows, value: str, over: str) -> Interval | None:
    """Nats per point that the network `over` is above another one, all six kinds of curves together."""
    ll = of_pairs(rows["scores"], "ll")
    kinds = [kind for kind in PRIORS if (over or kind, kind) in ll and (value, kind) in ll]
    if len(kinds) < len(PRIORS):
        return None
    apart = [(ll[over or kind, kind] - ll[value, kind]).add_prefix(f"{kind} ") for kind in kinds]
    return Interval.of_seeds_and_curves(pd.concat(apart, axis=1))


def worst_above_mixture(lost: Estimates) -> Interval | None:
    """The least of the single priors' largest losses, minus that of the mixture; None unless all were measured."""
    each = {name: [*those_of(lost, name).values()] for name in (*PRIORS, MIXED)}
    if any(len(own) < len(PRIORS) - (name in PRIORS) for name, own in each.items()):
        return None
    largest = there({name: of_each_end(max, own) for name, own in each.items()})
    least, mixed = of_each_end(min, [largest[name] for name in PRIORS]), largest[MIXED]
    return least and least.minus(mixed)


def led(rows: Rows) -> Interval | None:
    """On how many kinds of curves the specialist is above the networks of all other priors, corrected for all pairs."""
    pairs = {key: each for key, each in apart(rows).items() if key[0] in PRIORS and len(each) > 1}
    if len(pairs) < len(PRIORS) * (len(PRIORS) - 1):
        return None
    clear = clearly_above(pairs)
    return Interval.exactly(float(sum(all(clear[key] for key in pairs if key[1] == kind) for kind in PRIORS)))


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    return {"samples": _samples(rows["samples"]), "matrix": _matrix(rows["scores"], found)}


def _samples(drawn: pd.DataFrame) -> Figure:
    titles = [TITLES[kind] for kind in PRIORS]
    figure, axes = panels(titles, (8.2, 4.2), 3, "epoch", "score", sharex=True, sharey=True)
    for axis, kind in zip(axes, PRIORS, strict=True):
        for _, own in where(drawn, curves=kind).groupby("curve"):
            axis.plot(own["epoch"], own["y"], color=style.colour("ours"), linewidth=0.7, alpha=0.75)
        axis.set_ylim(-0.1, 1.1)
    return figure


def _matrix(scores: pd.DataFrame, found: Estimates) -> Figure:
    """A row a network, a column a kind of curves: darker where more is lost to the specialist."""
    names = [name for name in ALL if (scores["network"] == name).any()]
    size = 8.2, 0.9 + 0.42 * len(names)
    figure, (axis,) = panels([""], size, 1, "curves of this prior", "network trained on")
    for (y, name), (x, kind) in product(enumerate(names), enumerate(PRIORS)):
        _cell(axis, x, y, found.get((LOSS, name, kind)), name == kind)
    axis.set(xlim=(-0.5, len(PRIORS) - 0.5), ylim=(len(names) - 0.5, -0.5))
    axis.set_xticks(range(len(PRIORS)), [TITLES[kind].replace(" ", "\n", 1) for kind in PRIORS])
    axis.set_yticks(range(len(names)), [TITLES[name] for name in names])
    axis.tick_params(length=0)
    axis.grid(visible=False)
    return figure


def _cell(axis: Axes, x: int, y: int, loss: Interval | None, own: bool) -> None:
    value = 0.0 if loss is None else max(loss.value, 0)
    if loss or own:
        colour, dark = ("new", 0.35) if own else ("paper", 0.75 * min(value, 1) ** 0.5)
        axis.bar(x, 0.92, 0.96, y - 0.46, color=style.colour(colour), alpha=dark, linewidth=0)
        text = "0" if own else f"{value:.2f}" if value < 9.5 else f"{value:.0f}"
        axis.text(x, y, text, ha="center", va="center", fontsize=9, color=style.ink())


def tabulate(found: Estimates) -> Rows:
    names = {name: TITLES[name] for name in ALL}
    lost, inside = ({(what, ..., kind): TITLES[kind] for kind in PRIORS} for what in (LOSS, COVERAGE))
    return {
        "losses": table(found, "nats per point below the specialist", names, lost),
        "coverage": table(found, "coverage of the 90 % interval, %", names, inside, ".0f"),
    }


def claims() -> list[Claim]:
    return [
        Claim("specialists_lead", "On each of the six priors, does the network trained on it score higher than the networks "
              "of all other single priors, corrected for all comparisons?", "specialists_lead", AtLeast(6)),
        Claim("generalist_costs", "Is one network for all six priors only slightly below the specialists, at an equal "
              "training budget?", "generalist_costs", AtMost(0.05), "nats per point"),
        Claim("name_helps", "Does a network that is given the prior of each curve score higher than one that must infer it?",
              "name_helps", Above(0), "nats per point"),
        Claim("mixture_least_worst", "Is the largest loss on any of the six priors smaller for the mixture than for every "
              "single prior?", "mixture_least_worst", Above(0), "nats per point"),
        Claim("papers_on_simulated_runs", "On simulated runs, is the network of the paper’s prior only slightly below the "
              "specialist?", (LOSS, "paper", "laws"), AtMost(0.1), "nats per point"),
    ]  # fmt: skip
